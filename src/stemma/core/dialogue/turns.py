"""What a passage of an episode is within its dialogue, as it is indexed, and what a search finds out about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from stemma.core.analyse import term_hash, terms
from stemma.core.dialogue.newest import Scope
from stemma.core.dialogue.parameters import Dialogue
from stemma.core.passages import Passage
from stemma.records import Content
from stemma.text import hash_parts

_ASKING = "?？؟"
_CLOSING = "\"'”’»)]*_ "


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One passage of one message, or of an episode without messages (`unit` is then the episode itself).

    `session` names the dialogue that it stands in (None: alone), where turns follow by `said_at` and `place`.
    `speaker` are the hashed terms of the participant's name, `words` and `asks` are of the whole message: its length,
    and whether it ends in a question mark. `length` counts the passage's terms, `start` and `end` are code points.
    """

    unit: str
    session: str | None
    said_at: datetime
    place: int
    role: str | None
    speaker: tuple[int, ...]
    words: int
    asks: bool
    length: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One occasion on which a content was said, as far as its index rows show it; `source` is the episode's own."""

    at: datetime
    source: str
    session_id: str | None = None
    message_times: tuple[datetime | None, ...] = ()

    def time_of(self, message: int | None) -> datetime:
        """Give when a message was said: its own time where it came with one."""
        if message is None or message >= len(self.message_times):
            return self.at
        return self.message_times[message] or self.at


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A turn that a search found: its facts, and what the legs say of it and of what stands beside it.

    `bm25` and `cosine` are its own, `shared` and `mixed` with its neighbours' shares; `preceding` is the BM25 of the
    turn before it. `told` is its session's score and `dated` that of the dates; `free` is its BM25 without the names in
    the query. None: no vector.
    """

    unit: str
    owner: str
    item: str
    session: str
    said_at: datetime | None
    place: int
    role: str | None
    speaker: tuple[int, ...]
    words: int
    asks: bool
    start: int | None
    end: int | None
    bm25: float
    shared: float
    preceding: float
    dated: float
    free: float
    told: float
    cosine: float | None
    mixed: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is known of a query among turns: the idf of its terms by hash, the floor of the vectors, and the recipe.

    `floor` is that of the mixed vectors of `sampled` turns, `plain_floor` that of their own, None without vectors.
    `scope` says how common the words of what was found are, where the question asks about the present.
    """

    text: str = ""
    recipe: Dialogue = field(default_factory=Dialogue)
    worth: Mapping[int, float] = field(default_factory=dict)
    terms: frozenset[int] = frozenset()
    floor: float | None = None
    plain_floor: float | None = None
    sampled: int = 0
    scope: Scope = field(default_factory=Scope)

    @property
    def ideal(self) -> float:
        """Add up what the query's terms are worth."""
        return sum(self.worth.values())


def unit_of(episode_id: str, message: int | None) -> str:
    """Name what a hit stands for: one message, else the whole episode."""
    return episode_id if message is None else f"{episode_id}#{message}"


def turn_of(episode_id: str, content: Content, passage: Passage, said: Said, length: int) -> Turn:
    """Say what a passage is within its dialogue. Messages of one episode are a session even where it names none."""
    message = passage.message
    text, name, role = _spoken(content, passage)
    session = None
    if said.session_id is not None:
        session = hash_parts("session", content.source or said.source, said.session_id)
    elif len(content.messages) > 1:
        session = hash_parts("episode", episode_id)
    return Turn(
        unit=unit_of(episode_id, message),
        session=session,
        said_at=said.time_of(message),
        place=message or 0,
        role=role,
        speaker=tuple(sorted(set(map(term_hash, terms(name))))) if name else (),
        words=len(text.split()),
        asks=text.rstrip(_CLOSING).endswith(tuple(_ASKING)),
        length=length,
        start=passage.start,
        end=passage.end,
    )


def _spoken(content: Content, passage: Passage) -> tuple[str, str | None, str | None]:
    if passage.message is not None:
        message = content.messages[passage.message]
        return message.content, message.name, message.role
    return content.text or passage.shown, content.speaker, None
