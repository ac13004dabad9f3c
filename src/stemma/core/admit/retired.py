"""Whether a clause of an episode says again what a memory says no longer (SPEC R-45a). Reads no clock, no store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stemma.core.analyse import overlap_words


@dataclass(frozen=True, slots=True)
class Place:
    """A span [start, end) of an episode's text, or of its message at that index."""

    episode_id: str
    message: int | None
    start: int
    end: int

    def meets(self, other: Place) -> bool:
        """Say whether two spans share a character."""
        same = (self.episode_id, self.message) == (other.episode_id, other.message)
        return same and self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Retired:
    """A memory that stands no more: its words, and where it was said."""

    id: str
    words: frozenset[str]
    places: tuple[Place, ...] = ()


def retired(memory_id: str, text: str, places: Iterable[Place] = ()) -> Retired:
    """Describe a retired memory by its text and the places that support it."""
    return Retired(memory_id, overlap_words(text), tuple(places))


def named_retired(text: str, place: Place, known: Iterable[Retired]) -> str | None:
    """Name the first retired memory that a clause carries: it was said there, or all of its words are there again."""
    words: frozenset[str] | None = None
    for one in known:
        if any(place.meets(other) for other in one.places):
            return one.id
        if words is None:
            words = overlap_words(text)
        if one.words and one.words <= words:
            return one.id
    return None
