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
from stemma.core.documents import HEADING_JOINT, heading_of, heads_of, indexed_text, passage_ids, revision_of, under
from stemma.core.lexical import PASSAGES, document_weights
from stemma.core.split import SPLIT_VERSION, Passage, split
from stemma.document_text import ReadDocument, ReadStatus
from stemma.errors import InvalidInput
from stemma.models.ruler import Ruler
from stemma.record_json import decode, encode
from stemma.store import documents, passages
from stemma.store.passages import PassageRow
from stemma.store.transaction import Row, Transaction

# What is kept free for title and headings goes by steps, so that another title seldom moves where passages end.
_HEAD_STEP: Final = 32
_HEADING = re.compile(r"(?m)^#{1,6} \S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What its sender says of a file: its name, what it is, and whether what a reader does not see is let in."""

    name: str
    media_type: str | None = None
    charset: str | None = None
    admit_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A content ready to be stored; `signature` finds near copies, empty where there are no words.

    `heads` stand before the passages where they are embedded: `title` and headings, as far as they fit. `cut` names
    what the passages were cut by.
    """

    reading: ReadDocument
    revision: str
    title: str | None
    passages: tuple[Passage, ...]
    heads: tuple[str, ...]
    cut: str
    signature: bytes
    bands: tuple[int, ...]

    @property
    def text(self) -> str:
        """Return the text that offsets count in."""
        return self.reading.text


def of_text(text: str, *, media_type: str | None, name: str, ruler: Ruler, title: str | None = None) -> Content:
    """Read a text as it was sent; raises InvalidInput and its kin where it cannot be one."""
    if not text.strip():
        raise InvalidInput("text is blank; a document says something", field="text")
    read = readers.read_text(text, media_type or _kind_of(text, name))
    return of_reading(read, ruler, read.title if title is None else title)


def of_bytes(content_base64: str, sent: Sent, *, ruler: Ruler, title: str | None = None) -> Content:
    """Read a file's bytes; raises UnreadableDocument and its kin by name where no text can be told from them."""
    try:
        content = base64.b64decode(content_base64, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("content_base64 is no base64", field="content_base64") from error
    read = readers.read(
        content, media_type=sent.media_type, name=sent.name, charset=sent.charset, admit_hidden=sent.admit_hidden
    )
    return of_reading(read, ruler, read.title if title is None else title)


def of_file(content: bytes, *, name: str, ruler: Ruler) -> Content:
    """Read a file's bytes, its kind told from its name and content."""
    read = readers.read(content, name=name)
    return of_reading(read, ruler, read.title)


def of_reading(reading: ReadDocument, ruler: Ruler, title: str | None) -> Content:
    """Cut and name what a reader made; what is doubtful is kept and has no passages, so that it is never served."""
    found: tuple[Passage, ...] = ()
    heads = _Heads(title, ruler)
    if reading.status is ReadStatus.READY:
        found = split(reading, count=ruler.count, limit=ruler.window, taken=heads.taken)
    signature = copies.signature(reading.text)
    return Content(
        reading=reading,
        revision=revision_of(reading.text, reading.media_type),
        title=title,
        passages=found,
        heads=tuple(heads.fitting(heading_of(one)) for one in found),
        cut=cut_name(ruler),
        signature=signature,
        bands=copies.bands(signature),
    )


def cut_name(ruler: Ruler) -> str:
    """Name what passages are cut by: the version of the splitter and the ruler."""
    return f"{SPLIT_VERSION}+{ruler.name}"


class _Heads:
    """What stands before the passages of one document where they are embedded, and how much of the window it takes."""

    def __init__(self, title: str | None, ruler: Ruler) -> None:
        self._title, self._ruler = title, ruler
        self._known: dict[str, tuple[str, int]] = {}

    def fitting(self, heading: str) -> str:
        """Give as much of title and headings as fits into half of the window: the outermost are left off first."""
        return self._fitted(heading)[0]

    def taken(self, path: tuple[str, ...]) -> int:
        """Give the tokens that are kept free under a path of headings."""
        needed = self._fitted(HEADING_JOINT.join(path))[1]
        return max(1, -(-needed // _HEAD_STEP)) * _HEAD_STEP

    def _fitted(self, heading: str) -> tuple[str, int]:
        if heading not in self._known:
            base = self._ruler.count("")
            sizes = ((head, self._ruler.count(head) - base) for head in heads_of(self._title, heading))
            self._known[heading] = next(one for one in sizes if one[1] <= self._ruler.window // 2)
        return self._known[heading]


def stored_reading(reading: ReadDocument) -> str:
    """Write a reading without its text, which stands beside it."""
    said = json.loads(encode(replace(reading, text=reading.text)))
    del said["text"]
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def reading_of(text: str, stored: str) -> ReadDocument:
    """Read what `stored_reading` wrote."""
    return decode(ReadDocument, json.dumps({**json.loads(stored), "text": text}))


def rows_of(tenant: str, corpus_id: str, document_id: str, content: Content | None) -> list[PassageRow]:
    """Give the rows that make a document's passages searchable, each under its title and headings."""
    if content is None:
        return []
    rows = []
    found = content.passages
    for name, one, head in zip(passage_ids(tenant, document_id, found), found, content.heads, strict=True):
        heading = heading_of(one)
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
                text_hash=_hash(under(head, one.indexed)),
                analyser=f"{ANALYSER_VERSION}+{PASSAGES.name} {content.cut}",
                weights=document_weights(terms(indexed_text(content.title, heading, one.indexed)), PASSAGES),
            )
        )
    return rows


def cut_of(row: Row) -> str:
    """Read what a stored passage was cut by."""
    cut: str = row["analyser"].partition(" ")[2]
    return cut


def passage_texts(t: Transaction, passage_ids: Sequence[str]) -> dict[bytes, str]:
    """Return what passages may be embedded by, by its hash; a passage that has gone meanwhile is absent.

    How much of its title and headings stands before a passage was decided when it was cut, so every choice is given.
    """
    rows = passages.by_id(t, passage_ids) if passage_ids else []
    heads = documents.heads(t, {row["document_id"] for row in rows})
    places = [
        (row["document_id"], heads[row["document_id"]].revision or "", row["text_start"], row["text_end"])
        for row in rows
    ]
    found = {}
    for row, text in zip(rows, documents.spans(t, places), strict=True):
        indexed = f"{row['lead']}\n{text}" if row["lead"] else text
        for head in heads_of(heads[row["document_id"]].title, row["heading"]):
            shown = under(head, indexed)
            found[_hash(shown)] = shown
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


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _kind_of(text: str, name: str) -> str:
    """Tell a text's kind by the ending of its name, else by a heading in it: what agents send is mostly Markdown."""
    ending = name.rpartition("/")[2].lower().rpartition(".")[2] if "." in name.rpartition("/")[2] else ""
    if ending in ("md", "markdown") or (not ending and _HEADING.search(text)):
        return "text/markdown"
    return "text/plain"
