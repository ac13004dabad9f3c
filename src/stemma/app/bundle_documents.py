"""The documents' part of a bundle: cited passages, and where they and the memories say different things (R-46)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from stemma.app import models_recall as wire
from stemma.app.document_search import Cited, Wanted, find, title_of
from stemma.app.models_memories import Memory
from stemma.app.runtime import Runtime
from stemma.core import cite, extractive
from stemma.core.analyse import terms
from stemma.core.cite import Citation, Found
from stemma.core.extractive import Compared
from stemma.core.render import Line
from stemma.core.score import Score, ScoreKind
from stemma.core.trace import StageRecord
from stemma.core.traced import TracedItems, passages_of

DOCUMENTS, DISAGREEMENTS = "documents", "disagreements"
MOST_PASSAGES = 40


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """What documents have to say: their lines, best first, each with its wire form and its similarity by line id."""

    lines: list[Line] = field(default_factory=list)
    provenance: dict[str, wire.DocumentProvenance] = field(default_factory=dict)
    similarities: dict[str, float] = field(default_factory=dict)
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    query: frozenset[str] = frozenset()
    index_state: wire.IndexState | None = None
    stages: list[StageRecord] = field(default_factory=list)
    items: TracedItems = field(default_factory=TracedItems)


def document_part(runtime: Runtime, tenant: str, corpora: Sequence[str], query: str) -> DocumentPart:
    """Find the passages of corpora that are near to a query. Raises UnknownCorpus."""
    found = find(runtime, tenant, Wanted(query=query, k=MOST_PASSAGES, corpora=corpora, for_answer=True))
    scored = {
        ScoreKind.FUSED: [Score(ScoreKind.FUSED, one.score) for one in found.ranked],
        ScoreKind.SIMILARITY: [Score(ScoreKind.SIMILARITY, one.similarity) for one in found.ranked],
    }
    part = DocumentPart(
        query=found.terms,
        index_state=found.index_state,
        stages=cite.records(found.ranked, found.citations, found.fates),
        items=passages_of([(one.id, one.document_id) for one in found.ranked], scored),
    )
    ranked = [(passage, citation) for citation in found.citations for passage in citation.passages]
    for passage, citation in sorted(ranked, key=lambda pair: (pair[1].number, pair[0].start)):
        _add(part, found, passage, citation)
    return part


def _add(part: DocumentPart, found: Cited, passage: Found, citation: Citation) -> None:
    head, text = found.heads[citation.document_id], found.text_of(passage)
    heading = f" › {passage.heading}" if passage.heading and passage.heading != title_of(head) else ""
    part.lines.append(
        Line(
            passage.id,
            DOCUMENTS,
            f"{title_of(head)}{heading}: {text}",
            head.revised_at,
            number=citation.number,
            origin=citation.origin_id,
        )
    )
    part.provenance[passage.id] = wire.DocumentProvenance(
        number=citation.number,
        document_id=citation.document_id,
        corpus=head.corpus,
        external_id=head.external_id,
        revision=head.revision or "",
        origin_id=citation.origin_id,
        copy_of=citation.copy_of,
        start=passage.start,
        end=passage.end,
    )
    part.similarities[passage.id] = passage.similarity
    part.words[passage.id] = frozenset(terms(text))


def disagreements(part: DocumentPart, memories: Iterable[Memory]) -> list[Line]:
    """Name what a memory says otherwise than a retrieved document, and what two independent documents do."""
    listed = [(memory, Compared.of(memory.text)) for memory in memories]
    found = []
    sentences = [(line, sentence) for line in part.lines for sentence in extractive.split(line.text)]
    # What gives no number disagrees with none; of the others each is read once.
    said = [(line, text, read) for line, text in sentences if (read := Compared.of(text)).numbers]
    for line, sentence, read in said:
        for memory, remembered in listed:
            if remembered.differs_in_numbers(read):
                told = f"memory: {memory.text} [{memory.last_said_at:%Y-%m-%d}] / [{line.number}]: {sentence}"
                found.append(Line(f"{memory.id}/{line.id}", DISAGREEMENTS, told, None))
    for place, (line, sentence, read) in enumerate(said):
        for other, against, also in said[place + 1 :]:
            if line.origin != other.origin and read.differs_in_numbers(also):
                told = f"[{line.number}]: {sentence} / [{other.number}]: {against}"
                found.append(Line(f"{line.id}/{other.id}", DISAGREEMENTS, told, None))
    return found
