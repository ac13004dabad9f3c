"""Writing and searching the two indexes: terms with weights, and vectors. What a text's terms are, core decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol

from stemma.store.transaction import Transaction

# The spells of what always stands, as a multirange's text.
ALWAYS: Final = "{(,)}"
_MOST_DIMENSIONS: Final = 1_000_000_000


class IndexedTurn(Protocol):
    """What a passage of an episode is within its dialogue, column by column."""

    @property
    def unit(self) -> str: ...
    @property
    def session(self) -> str | None: ...
    @property
    def said_at(self) -> datetime: ...
    @property
    def place(self) -> int: ...
    @property
    def role(self) -> str | None: ...
    @property
    def speaker(self) -> Sequence[int]: ...
    @property
    def words(self) -> int: ...
    @property
    def asks(self) -> bool: ...
    @property
    def length(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalRow:
    """A searchable text: `weights` by hashed term, `scope` the hashed tokens it is filtered by, `stands` its spells.

    Several rows of one `owner_id` are the passages of one long text; `turn` is set for those of episodes.
    """

    item_kind: str
    item_id: str
    owner_id: str
    subject_id: str
    text_hash: bytes
    analyser: str
    weights: Mapping[int, float]
    scope: Sequence[int]
    stands: str = ALWAYS
    turn: IndexedTurn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """What a search is confined to before anything is ranked: all scope tokens, a kind, standing at `now`.

    Name the `subject_ids` wherever they are known: row security lets no index on `terms` take part (its operators may
    not see a row before the policy has), so without them a search reads all rows of the tenant.
    """

    scope: Sequence[int]
    item_kinds: Sequence[str]
    now: datetime
    subject_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """An owner's best item and its BM25, higher is better."""

    item_kind: str
    owner_id: str
    item_id: str
    bm25: float


@dataclass(frozen=True, slots=True)
class LexicalAnswer:
    """The lexical leg's hits, best first; `ideal` is the sum of the query terms' idf, 0 where nothing was found."""

    hits: tuple[LexicalHit, ...] = ()
    ideal: float = 0.0
    documents: int = 0


@dataclass(frozen=True, slots=True)
class DenseHit:
    """An owner's best item and its cosine to the query, -1 to 1."""

    item_kind: str
    owner_id: str
    item_id: str
    cosine: float


@dataclass(frozen=True, slots=True)
class DenseAnswer:
    """The dense leg's hits, best first; `floor` is the lowest cosine of a sample, None where no text has a vector."""

    hits: tuple[DenseHit, ...] = ()
    floor: float | None = None
    sampled: int = 0


@dataclass(frozen=True, slots=True)
class MissingVector:
    """A text without a vector of a model, named by one item that holds it."""

    text_hash: bytes
    item_kind: str
    owner_id: str
    item_id: str


@dataclass(frozen=True, slots=True)
class DenseQuery:
    """A query's vector, the model that made it, and how many texts the floor is taken from."""

    model_id: str
    vector: Sequence[float] = field(repr=False)
    sample_size: int = 500


def put_lexical(t: Transaction, rows: Sequence[LexicalRow]) -> int:
    """Write rows, replacing those of the same item; say how many."""
    return t.many("put_lexical", [bound(row) for row in rows])


def replace(t: Transaction, rows: Sequence[LexicalRow]) -> None:
    """Write all rows of their owners in place of those that were there; vectors of texts that are gone go too."""
    if not rows:
        return
    kept = {"item_ids": [row.item_id for row in rows], "text_hashes": [row.text_hash for row in rows]}
    owners = sorted({row.owner_id for row in rows})
    gone = [row["text_hash"] for row in t.all("delete_other_items", {"owner_ids": owners, **kept})]
    put_lexical(t, rows)
    if gone:
        t.execute("delete_vectors_without_text", {"text_hashes": gone})


def set_stands(t: Transaction, stands: Mapping[str, str]) -> int:
    """Set when the items of some owners stand, so that both legs see it at the commit; say how many items."""
    return t.execute("set_lexical_stands", {"owner_ids": list(stands), "stands": list(stands.values())})


def delete(t: Transaction, owner_ids: Sequence[str]) -> int:
    """Delete all items of some owners, and the vectors of texts that no other item has; say how many items."""
    if not owner_ids:
        return 0
    gone = [row["text_hash"] for row in t.all("delete_lexical", {"owner_ids": list(owner_ids)})]
    t.execute("delete_vectors_without_text", {"text_hashes": gone})
    return len(gone)


def candidates_lexical(t: Transaction, where: Where, query: Sequence[int], *, limit: int) -> LexicalAnswer:
    """Find the owners that share a term with the query, by BM25 of the scope's own statistics."""
    if not query:
        return LexicalAnswer()
    terms = sorted(set(query))
    # A row that shares a term has an inner product with their sum; that is a tenth of the cost of comparing arrays.
    asked = sparse_text(dict.fromkeys(terms, 1.0))
    rows = t.all("lexical_candidates", {**_bound_scope(where), "query": terms, "asked": asked, "limit": limit})
    if not rows:
        return LexicalAnswer()
    hits = tuple(LexicalHit(row["item_kind"], row["owner_id"], row["item_id"], row["bm25"]) for row in rows)
    return LexicalAnswer(hits, rows[0]["ideal"], rows[0]["documents"])


def candidates_dense(t: Transaction, where: Where, query: DenseQuery, *, limit: int) -> DenseAnswer:
    """Find the owners nearest to a vector, exactly; only texts with a vector of the same model take part."""
    bound = {"model_id": query.model_id, "vector": vector_text(query.vector), "sample_size": query.sample_size}
    rows = t.all("dense_candidates", {**_bound_scope(where), **bound, "limit": limit})
    if not rows:
        return DenseAnswer()
    hits = tuple(DenseHit(row["item_kind"], row["owner_id"], row["item_id"], row["cosine"]) for row in rows)
    return DenseAnswer(hits, rows[0]["floor"], rows[0]["sampled"])


def cosines(t: Transaction, where: Where, query: DenseQuery, owner_ids: Sequence[str]) -> dict[tuple[str, str], float]:
    """Give the cosine of some owners by (item kind, owner id); one without a vector is absent. `scope` is not read."""
    bound = {"model_id": query.model_id, "vector": vector_text(query.vector), "owner_ids": list(owner_ids)}
    rows = t.all("cosines_of_items", {**_bound_scope(where), **bound})
    return {(row["item_kind"], row["owner_id"]): row["cosine"] for row in rows}


def cosines_of_texts(t: Transaction, query: DenseQuery, text_hashes: Sequence[bytes]) -> dict[bytes, float]:
    """Give the cosine of each text that has a vector, whether anything still holds it."""
    named = {"model_id": query.model_id, "vector": vector_text(query.vector), "text_hashes": list(text_hashes)}
    return {row["text_hash"]: row["cosine"] for row in t.all("cosines_of_texts", named)}


def put_vectors(t: Transaction, model_id: str, vectors: Mapping[bytes, Sequence[float]]) -> int:
    """Write vectors by text hash; one that is there stays, and a text that is gone gets none. Say how many were new."""
    texts = [vector_text(vector) for vector in vectors.values()]
    named = {"model_id": model_id, "text_hashes": list(vectors), "vectors": texts}
    return t.execute("put_vectors", named) + t.execute("put_passage_vectors", named)


def vectors_missing(t: Transaction, model_id: str, *, limit: int) -> list[MissingVector]:
    """Name texts without a vector of a model, live memories first."""
    rows = t.all("vectors_missing", {"model_id": model_id, "limit": limit})
    return [MissingVector(bytes(r["text_hash"]), r["item_kind"], r["owner_id"], r["item_id"]) for r in rows]


def count_vectors_missing(t: Transaction, model_id: str, subjects: Sequence[str] = ()) -> int:
    """Count the texts without a vector of a model: the backlog, of some subjects or, where none is named, of all."""
    named = {"model_id": model_id, "subject_ids": list(subjects)}
    outstanding: int = t.one("count_vectors_missing", named)["outstanding"]
    return outstanding


def vector_models(t: Transaction) -> dict[str, int]:
    """Give the models that the tenant's vectors are of, with their dimensions."""
    return {row["model_id"]: row["dimensions"] for row in t.all("vector_models")}


def delete_vectors_of_model(t: Transaction, model_id: str) -> int:
    """Delete a model's vectors once another has taken over; say how many."""
    return t.execute("delete_vectors_of_model", {"model_id": model_id})


def owners_of_other_form(t: Transaction, form: str, *, after: str, limit: int) -> list[str]:
    """Name episodes, in order after the one named, that have rows of another form than this."""
    rows = t.all("owners_of_other_form", {"form": form, "after": after, "limit": limit})
    return [row["owner_id"] for row in rows]


def count_other_analysers(t: Transaction, analyser: str) -> int:
    """Count the rows that another version of the analyser made."""
    outdated: int = t.one("count_other_analysers", {"analyser": analyser})["outdated"]
    return outdated


def bound(row: LexicalRow) -> dict[str, Any]:
    """Give the parameters that a row is written with."""
    return {
        "item_kind": row.item_kind,
        "item_id": row.item_id,
        "owner_id": row.owner_id,
        "subject_id": row.subject_id,
        "stands": row.stands,
        "text_hash": row.text_hash,
        "analyser": row.analyser,
        "terms": sorted({*row.weights, *row.scope}),
        "weights": sparse_text(row.weights),
        **_bound_turn(row.turn),
    }


def _bound_turn(turn: IndexedTurn | None) -> dict[str, Any]:
    return {
        "unit": turn and turn.unit,
        "session": turn and turn.session,
        "said_at": turn and turn.said_at,
        "place": turn and turn.place,
        "role": turn and turn.role,
        "speaker": turn and _integers(turn.speaker),
        "words": turn and turn.words,
        "asks": turn and turn.asks,
        "length": turn and turn.length,
        "starts": turn and turn.start,
        "ends": turn and turn.end,
    }


def _integers(listed: Sequence[int]) -> str | None:
    """Write whole numbers as an array is read; none is NULL."""
    return "{" + ",".join(map(str, listed)) + "}" if listed else None


def _bound_scope(where: Where) -> dict[str, object]:
    return {
        "scope": list(where.scope),
        "item_kinds": list(where.item_kinds),
        "now": where.now,
        "subject_ids": list(where.subject_ids),
    }


def sparse_text(weights: Mapping[int, float]) -> str:
    """Write weights by hashed term as pgvector reads them."""
    listed = ",".join(f"{term}:{weight:.7g}" for term, weight in sorted(weights.items()))
    return f"{{{listed}}}/{_MOST_DIMENSIONS}"


def vector_text(vector: Sequence[float]) -> str:
    """Write a vector as pgvector reads it."""
    # One pattern for all parts: half the cost of one for each.
    return f"[{','.join(['%.7g'] * len(vector))}]" % tuple(vector)
