"""A LangGraph store: `StemmaStore` over `Stemma` or `StemmaClient`, with the extra `stemma-memory[langgraph]`.

A namespace is a corpus, an item a document: its value is the metadata, what is searched of it the text.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Literal, TypedDict, cast
from urllib.parse import quote, unquote

from stemma.adapters.extras import extra
from stemma.adapters.filters import compare
from stemma.app.face import Face
from stemma.app.models_base import LIMIT_MOST
from stemma.app.models_documents import CorpusEntry, DocumentSummary
from stemma.app.models_search import K_MOST
from stemma.errors import InvalidInput, NotFound, UnknownCorpus

with extra("langgraph", "langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )

Namespace = tuple[str, ...]
_OPERATORS: Final = frozenset({"$eq", "$ne", "$gt", "$gte", "$lt", "$lte"})
_WHOLE: Final = "$"
# A document says something, and this is in no language: an item that is not to be searched stands under it.
_UNSEARCHED: Final = "\u2205"
_EMBEDS: Final = "the store embeds by itself, with the embedder that it was opened with"


class IndexedFields(TypedDict, total=False):
    """What is searched of an item: paths such as `text`, `meta.title` or `parts[*].text`; all of it where none is."""

    fields: list[str]


class StemmaStore(BaseStore):
    """A long-term store for graphs that keeps every revision of an item and follows the store's own search.

    Items never expire; a `ttl` is refused. The face it stands on is the caller's to close.
    """

    supports_ttl = False
    __slots__ = ("_corpora", "_face", "_fields")

    def __init__(self, face: Face, *, index: IndexedFields | None = None, corpora: str = "langgraph") -> None:
        """Stand on an opened face; namespaces are the corpora whose names begin with `corpora` and a colon."""
        for name in sorted((index or {}).keys() - {"fields"}):
            raise InvalidInput(f"index: {name} is nothing that is set here; {_EMBEDS}", field=f"index.{name}")
        if not corpora or "/" in corpora or ":" in corpora:
            raise InvalidInput("corpora is a name without a slash or a colon", field="corpora")
        self._face = face
        self._fields = (index or {}).get("fields") or [_WHOLE]
        self._corpora = corpora

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Read everything that is asked for, then put and delete; the last of several puts of one item holds."""
        listed = list(ops)
        for op in listed:
            validate_op_namespace(op)
            if isinstance(op, PutOp) and op.ttl is not None:
                raise InvalidInput("an item of this store never expires; leave ttl out", field="ttl")
        results = [self._read(op) for op in listed]
        for op in {(op.namespace, op.key): op for op in listed if isinstance(op, PutOp)}.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the same in a thread of its own, so that the event loop goes on."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._get(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
            case PutOp():
                return None
        raise InvalidInput(f"{type(op).__name__} is no operation of a store")

    def _get(self, op: GetOp) -> Item | None:
        try:
            found = self._face.get_document(self._corpus(op.namespace), _escaped(op.key))
        except (NotFound, UnknownCorpus):
            return None
        return Item(**_item(found, op.namespace))

    def _put(self, op: PutOp) -> None:
        corpus, key = self._corpus(op.namespace), _escaped(op.key)
        if op.value is None:
            self._face.delete_document(corpus, key)
            return
        fields = self._fields if op.index is None else op.index
        self._face.put_document(corpus, key, text=_text(op.value, fields), metadata=op.value)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = op.filter or {}
        _meets_all({}, wanted)
        namespaces = self._below(op.namespace_prefix)
        found = self._ranked(namespaces, op) if op.query else self._listed(namespaces)
        met = (one for one in found if _meets_all(one.value, wanted))
        return list(islice(met, op.offset, op.offset + op.limit))

    def _listed(self, namespaces: Mapping[str, Namespace]) -> Iterator[SearchItem]:
        for corpus, namespace in namespaces.items():
            for document in self._face.iter_documents(corpus, limit=LIMIT_MOST):
                yield SearchItem(**_item(document, namespace))

    def _ranked(self, namespaces: Mapping[str, Namespace], op: SearchOp) -> Iterator[SearchItem]:
        if not namespaces:
            return
        # Texts alone: what the store holds equal here is equal in every reading of a filter.
        exact = {name: value for name, value in (op.filter or {}).items() if isinstance(value, str)}
        narrow: dict[str, Any] = {"metadata": exact} if exact else {}
        found = self._face.search_documents(str(op.query), corpora=list(namespaces), k=K_MOST, **narrow)
        for one in found.citations:
            if one.passages[0].text.strip() == _UNSEARCHED:
                continue
            try:
                document = self._face.get_document(one.corpus, one.external_id)
            except NotFound:
                # It went between the search and the reading.
                continue
            yield SearchItem(**_item(document, namespaces[one.corpus]), score=one.score)

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        found = [one for one in self._below(()).values() if all(_matches(one, each) for each in conditions)]
        if op.max_depth is not None:
            found = [one[: op.max_depth] for one in found]
        return sorted(set(found))[op.offset : op.offset + op.limit]

    def _below(self, prefix: Namespace) -> dict[str, Namespace]:
        """Give every namespace with items that begins so, by its corpus, in order."""
        corpora: Iterator[CorpusEntry] = self._face.iter_corpora(limit=LIMIT_MOST)
        own = f"{self._corpora}:"
        named = (one.corpus for one in corpora if one.documents and one.corpus.startswith(own))
        found = {name: tuple(map(unquote, name.removeprefix(own).split("."))) for name in named}
        below = {name: one for name, one in found.items() if one[: len(prefix)] == prefix}
        return dict(sorted(below.items(), key=lambda each: each[1]))

    def _corpus(self, namespace: Namespace) -> str:
        return f"{self._corpora}:{'.'.join(map(_escaped, namespace))}"


def _escaped(name: str) -> str:
    # A corpus has no slash, and names are kept in one normal form: escaped, every label and key stays as it is.
    return quote(name, safe="")


def _item(document: DocumentSummary, namespace: Namespace) -> dict[str, Any]:
    return {
        "value": document.metadata or {},
        "key": unquote(document.external_id),
        "namespace": namespace,
        "created_at": document.recorded_at,
        "updated_at": document.changed_at,
    }


def _text(value: Mapping[str, Any], fields: Sequence[str] | Literal[False]) -> str:
    """Write what is searched of an item, a line for each text."""
    texts: list[str] = []
    for path in fields or ():
        texts += _leaves(value) if path == _WHOLE else get_text_at_path(value, cast("Any", tokenize_path(path)))
    return "\n".join(text for text in texts if text.strip()) or _UNSEARCHED


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for one in value.values():
                yield from _leaves(one)
        case list() | tuple():
            for one in value:
                yield from _leaves(one)
        case bool() | int() | float():
            yield json.dumps(value)


def _meets_all(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    met = [_meets(value.get(name), one) for name, one in wanted.items()]
    return all(met)


def _meets(held: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return compare("eq", held, wanted)
    if not any(name.startswith("$") for name in wanted):
        return isinstance(held, Mapping) and _meets_all(held, wanted)
    if odd := sorted(wanted.keys() - _OPERATORS):
        raise InvalidInput(f"{odd[0]!r} is no operator; there are {', '.join(sorted(_OPERATORS))}", field="filter")
    met = [compare(name.removeprefix("$"), held, one) for name, one in wanted.items()]
    return all(met)


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    here = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(here, path, strict=True))
