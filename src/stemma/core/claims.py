"""What a statement is about: units, memory ids, frames and the mask of a value. Finds no statements itself."""

from __future__ import annotations

from stemma.records import Candidate, Frame, Polarity
from stemma.text import hash_parts

# Stands in a frame's words for each value, whatever its type; the types are listed in order beside.
MASK = "<n>"
# Between the canonical values of one statement; no canonical value holds it.
VALUE_SEPARATOR = " | "
OWN = "own"
ASSISTANT = "assistant"


def named_voice(folded_name: str) -> str:
    """Give the voice of a named third party."""
    return f"name:{folded_name}"


def frame_words(frame: Frame) -> frozenset[str]:
    """Give the set of stems that two frames are compared on: without masks."""
    return frozenset(frame.words) - {MASK}


def split_values(value: str) -> tuple[str, ...]:
    """Give the canonical values of a frame's statement, in the order of the frame's types."""
    return tuple(value.split(VALUE_SEPARATOR)) if value else ()


def unit_of(candidate: Candidate) -> str:
    """Give the unit of a candidate: claim key and scope, or the frame (design: D-4).

    A `wrong_last` names no unit of its own and gives "".
    """
    if candidate.claim_key is not None:
        return hash_parts("claim", candidate.voice, candidate.claim_key, candidate.scope)
    if candidate.frame is None:
        return ""
    frame = candidate.frame
    # Each list is preceded by its length, so that no word of one can pass for a word of the next.
    return hash_parts(
        "frame",
        candidate.voice,
        candidate.kind,
        str(len(frame.words)),
        *frame.words,
        "|",
        str(len(frame.identities)),
        *frame.identities,
        "|",
        str(len(frame.types)),
        *frame.types,
    )


def memory_id(tenant: str, subject: str, unit: str, value: str, polarity: Polarity, ending_window: str) -> str:
    """Give the id of a memory from what it says alone (design: D-6).

    `ending_window` is "" for an open statement, else `stamp(valid_from) + "/" + stamp(valid_to)`, an open beginning as
    "" before the slash.
    """
    return hash_parts(tenant, subject, unit, value, polarity.value, ending_window)
