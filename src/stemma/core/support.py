"""Whether a statement may count: its source still says it (R-38), and its text is no instruction from below (R-39)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from stemma.core.folding import fold
from stemma.core.registry import DEFAULT_AUTHORITY
from stemma.core.scripts import script_of
from stemma.records import Candidate, Content, DocumentPin, DocumentState, SaidBy

SOURCE_GONE = "source_gone"
SOURCE_CHANGED = "source_changed"
QUARANTINED = "quarantined"

Documents = Mapping[tuple[str, str], DocumentState]


def source_fault(pin: DocumentPin | None, candidate: Candidate, content: Content, documents: Documents) -> str | None:
    """Say why a statement lost its source: the document is gone, or its current text no longer holds the statement.

    A pin to the current revision vouches for words that the document never had: they are the learner's own. Where an
    earlier text had them, they came from that, whenever they arrived: so a statement fares alike whether it came before
    the change or after it.
    """
    if pin is None:
        return None
    document = documents.get((pin.corpus, pin.external_id))
    if document is None or document.revision is None:
        return SOURCE_GONE
    quotes = _quotes(candidate, content)
    if _says(document.folded_text, quotes):
        return None
    is_vouched = document.revision == pin.revision and not any(_says(text, quotes) for text in document.earlier)
    return None if is_vouched else SOURCE_CHANGED


def is_instruction_from_below(candidate: Candidate, authority: int, said_by: SaidBy) -> bool:
    """Say whether suspect text came from below the user's authority, or from an agent."""
    return candidate.suspect is not None and (authority < DEFAULT_AUTHORITY or said_by is SaidBy.AGENT)


def _quotes(candidate: Candidate, content: Content) -> tuple[str, ...]:
    """Give the texts of which one must stand: the claim's text and the quoted span.

    A structured claim without a text of its own has `key: value` for one, which no document says; its value stands in.
    """
    if content.claims:
        stated = candidate.text == f"{candidate.claim_key}: {candidate.shown}"
        return (candidate.shown,) if stated else (candidate.text,)
    spoken = content.text if candidate.message is None else content.messages[candidate.message].content
    return candidate.text, (spoken or "")[candidate.start : candidate.end]


def _says(folded_text: str, quotes: tuple[str, ...]) -> bool:
    present = _spaced(folded_text)
    return any(_holds(present, quote) for quote in quotes)


def _holds(present: str, quote: str) -> bool:
    """Find a quote at word boundaries: "30 days" does not stand in "130 days"."""
    wanted = _spaced(fold(quote))
    at = present.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        cut_before = at > 0 and _joined(present[at - 1], wanted[0])
        cut_after = end < len(present) and _joined(wanted[-1], present[end])
        if not cut_before and not cut_after:
            return True
        at = present.find(wanted, at + 1)
    return False


def _joined(left: str, right: str) -> bool:
    """Say whether two neighbouring characters stand in one word; scripts without spaces have no such inside."""
    return all(char.isalnum() and not script_of(char).is_unspaced for char in (left, right))


@lru_cache(maxsize=16)
def _spaced(text: str) -> str:
    return " ".join(text.split())
