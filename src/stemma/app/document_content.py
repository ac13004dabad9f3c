"""From what was sent to what is stored of a content: read, cut, named, signed. Slow, so done before a transaction."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from stemma import readers
from stemma.app.models_documents import Reading, ReadingNote, RemovedText
from stemma.core import copies
from stemma.core.analyse import ANALYSER_VERSION, terms
from stemma.core.documents import heading_of, indexed_text, passage_ids, revision_of
from stemma.core.lexical import document_weights
from stemma.core.split import Passage, split
from stemma.document_text import ReadDocument, ReadStatus
from stemma.errors import InvalidInput
from stemma.models.tokens import counter
from stemma.record_json import decode, encode
from stemma.store import documents, passages
from stemma.store.passages import PassageRow
from stemma.store.transaction import Transaction

# About 300 words, so that an abstract is one passage: cut in two, SciFact's lose .010 nDCG@10 by words alone (220
# tokens: .796, 480: .806). Below the 510 tokens that the default embedder sees at once, with room for a title.
PASSAGE_TOKENS: Final = 400
_HEADING = re.compile(r"(?m)^#{1,6} \S")


@dataclass(frozen=True, slots=True)
class Content:
    """A content ready to be stored; `signature` finds near copies, empty where there are no words."""

    reading: ReadDocument
    revision: str
    passages: tuple[Passage, ...]
    signature: bytes
    bands: tuple[int, ...]

    @property
    def text(self) -> str:
        """Return the text that offsets count in."""
        return self.reading.text


def of_text(text: str, *, media_type: str | None, name: str) -> Content:
    """Read a text as it was sent; raises InvalidInput and its kin where it cannot be one."""
    if not text.strip():
        raise InvalidInput("text is blank; a document says something", field="text")
    return of_reading(readers.read_text(text, media_type or _kind_of(text, name)))


def of_bytes(content_base64: str, *, media_type: str | None, name: str) -> Content:
    """Read a file's bytes; raises UnreadableDocument and its kin by name where no text can be told from them."""
    try:
        content = base64.b64decode(content_base64, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("content_base64 is no base64", field="content_base64") from error
    return of_reading(readers.read(content, media_type=media_type, name=name))


def of_file(content: bytes, *, name: str) -> Content:
    """Read a file's bytes, its kind told from its name and content."""
    return of_reading(readers.read(content, name=name))


def of_reading(reading: ReadDocument) -> Content:
    """Cut and name what a reader made; what is doubtful is kept and has no passages, so that it is never served."""
    is_ready = reading.status is ReadStatus.READY
    cut = split(reading, count=counter(), limit=PASSAGE_TOKENS) if is_ready else ()
    signature = copies.signature(reading.text)
    revision = revision_of(reading.text, reading.media_type)
    return Content(reading, revision, cut, signature, copies.bands(signature))


def stored_reading(reading: ReadDocument) -> str:
    """Write a reading without its text, which stands beside it."""
    said = json.loads(encode(replace(reading, text=reading.text)))
    del said["text"]
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def reading_of(text: str, stored: str) -> ReadDocument:
    """Read what `stored_reading` wrote."""
    return decode(ReadDocument, json.dumps({**json.loads(stored), "text": text}))


def rows_of(
    tenant: str, corpus_id: str, document_id: str, title: str | None, found: Sequence[Passage]
) -> list[PassageRow]:
    """Give the rows that make a document's passages searchable, each under its title and headings."""
    rows = []
    for name, one in zip(passage_ids(tenant, document_id, found), found, strict=True):
        heading = heading_of(one)
        shown = indexed_text(title, heading, one.indexed)
        rows.append(
            PassageRow(
                passage_id=name,
                document_id=document_id,
                corpus_id=corpus_id,
                start=one.start,
                end=one.end,
                heading=heading,
                lead=one.lead,
                hidden=one.hidden,
                page=one.page,
                tokens=one.tokens,
                text_hash=hashlib.sha256(shown.encode()).digest(),
                analyser=ANALYSER_VERSION,
                weights=document_weights(terms(shown)),
            )
        )
    return rows


def passage_texts(t: Transaction, passage_ids: Sequence[str]) -> dict[bytes, str]:
    """Return what passages are searched by, by its hash; a passage that has gone meanwhile is absent."""
    rows = passages.by_id(t, passage_ids) if passage_ids else []
    heads = documents.heads(t, {row["document_id"] for row in rows})
    places = [
        (row["document_id"], heads[row["document_id"]].revision or "", row["text_start"], row["text_end"])
        for row in rows
    ]
    found = {}
    for row, text in zip(rows, documents.spans(t, places), strict=True):
        indexed = f"{row['lead']}\n{text}" if row["lead"] else text
        shown = indexed_text(heads[row["document_id"]].title, row["heading"], indexed)
        found[hashlib.sha256(shown.encode()).digest()] = shown
    return found


def told(reading: ReadDocument) -> Reading:
    """Write how a content was read for whoever sent it."""
    return Reading.model_validate(
        {
            "status": reading.status.value,
            "media_type": reading.media_type,
            "charset": reading.charset,
            "decided_by": reading.decided_by,
            "warnings": [ReadingNote(code=one.code, detail=one.detail) for one in reading.warnings],
            "removed": [RemovedText(kind=one.kind, text=one.text, reason=one.reason) for one in reading.removed],
            "pages": reading.pages,
        }
    )


def _kind_of(text: str, name: str) -> str:
    """Tell a text's kind by the ending of its name, else by a heading in it: what agents send is mostly Markdown."""
    ending = name.rpartition("/")[2].lower().rpartition(".")[2] if "." in name.rpartition("/")[2] else ""
    if ending in ("md", "markdown") or (not ending and _HEADING.search(text)):
        return "text/markdown"
    return "text/plain"
