"""The use case that makes a corpus what a folder holds: files to documents, deletions, a stop before a landslide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from stemma.app import document_content, documents
from stemma.app.document_writes import Description
from stemma.app.models_base import AnswerModel, Count, RequestModel
from stemma.app.models_documents import CorpusName, DeleteDocument, PutResult
from stemma.app.runtime import Runtime
from stemma.core import documents as names
from stemma.document_records import Head
from stemma.errors import InvalidInput, SourceUnreadable, StemmaError, SyncStopped
from stemma.store import documents as stored
from stemma.text import check_name

# Whose documents are this folder's: what somebody else put into the corpus is left alone.
_URI: Final = "file:"
_PAGE: Final = 500
NAME_LIMIT: Final = 1_024
MOST_GONE: Final = 0.5


class SyncRequest(RequestModel):
    """Make a corpus what a folder holds; more than `most_gone` of its documents vanishing at once is not believed."""

    folder: Path
    corpus: CorpusName
    most_gone: Annotated[float, Field(ge=0, le=1, description="Largest share that may vanish at once")] = MOST_GONE


class FileFault(AnswerModel):
    """Why one file is no document; the one that stood under its name stays."""

    external_id: str
    code: str
    detail: str


class SyncResult(AnswerModel):
    """What a sync did; `repaired` files had not changed, but what they are searched by was not all there."""

    created: Count = 0
    updated: Count = 0
    unchanged: Count = 0
    repaired: Count = 0
    deleted: Count = 0
    failed: tuple[FileFault, ...] = ()


@dataclass(slots=True)
class _Tally:
    counts: dict[str, int] = field(default_factory=dict)
    failed: list[FileFault] = field(default_factory=list)

    def add(self, outcome: str) -> None:
        self.counts[outcome] = self.counts.get(outcome, 0) + 1


def sync(
    runtime: Runtime, tenant: str, request: SyncRequest, *, advance: Callable[[int], None] | None = None
) -> SyncResult:
    """Put every file of a folder under its path, and delete the documents of files that are gone.

    Hidden files and folders, and links, are passed over. `advance` is told after each file how many are done. Raises
    SourceUnreadable where the folder cannot be read, SyncStopped before anything is written where too much vanished.
    """
    if not request.folder.is_dir():
        raise SourceUnreadable(f"{request.folder} is no folder that can be read", field="folder")
    files = dict(_files(request.folder))
    before = {head.external_id for head in _own(runtime, tenant, request.corpus)}
    gone = before - files.keys()
    if before and len(gone) / len(before) > request.most_gone:
        raise SyncStopped(
            f"{len(gone)} of {len(before)} documents of {request.corpus!r} are not in the folder, which is more than "
            f"{request.most_gone:.0%}; nothing was changed. Is it the right folder? If so, raise --most-gone"
        )
    tally = _Tally()
    for number, (name, path) in enumerate(sorted(files.items()), start=1):
        _put(runtime, tenant, request.corpus, (name, path), tally)
        if advance is not None:
            advance(number)
    for name in sorted(gone):
        documents.delete_document(runtime, tenant, DeleteDocument(corpus=request.corpus, external_id=name))
        tally.add("deleted")
    return SyncResult(failed=tuple(tally.failed), **tally.counts)


def _put(runtime: Runtime, tenant: str, corpus: str, file: tuple[str, Path], tally: _Tally) -> None:
    name, path = file
    try:
        put = _read(runtime, tenant, corpus, name, path)
    except InvalidInput as error:
        tally.failed.append(FileFault(external_id=name, code=error.code, detail=error.detail))
    except OSError as error:
        detail = f"the file cannot be read: {error.strerror}"
        tally.failed.append(FileFault(external_id=name, code=SourceUnreadable.code, detail=detail))
    except StemmaError as error:
        if error.status >= 500:
            raise
        tally.failed.append(FileFault(external_id=name, code=error.code, detail=error.detail))
    else:
        tally.add("repaired" if put.repaired else put.outcome)


def _read(runtime: Runtime, tenant: str, corpus: str, name: str, path: Path) -> PutResult:
    check_name(name, field="the file's name", limit=NAME_LIMIT)
    content = document_content.of_file(path.read_bytes(), name=name, ruler=runtime.ruler)
    said = Description(title=content.title, uri=_URI + name)
    return documents.put_content(runtime, tenant, (corpus, name), content, said)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir():
            yield from ((f"{path.name}/{name}", inner) for name, inner in _files(path))
        elif path.is_file():
            yield path.name, path


def _own(runtime: Runtime, tenant: str, corpus: str) -> list[Head]:
    corpus_id = names.corpus_id(tenant, corpus)
    found: list[Head] = []
    after = ""
    while True:
        with runtime.store.transaction(tenant, read_only=True) as t:
            page = stored.of_corpus(t, corpus_id, after=after, limit=_PAGE)
        if not page:
            return [head for head in found if head.uri == _URI + head.external_id]
        found += page
        after = page[-1].external_id
