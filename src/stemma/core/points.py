"""From what a group of episodes says to points: who speaks, at which instants, for what memory, dead or alive.

Rules on nothing; what a correction without an object names is `corrections`', what people did is `rulings`'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma.core import speaking, support, times
from stemma.core.claims import memory_id, unit_of
from stemma.core.keys import group_id
from stemma.core.registry import authority_of
from stemma.errors import InvalidInput
from stemma.records import Act, Candidate, Content, DocumentState, Extraction, LogEpisode, Registry, SaidBy, Saying
from stemma.state import Point
from stemma.text import hash_parts, stamp, utc

REVISION_REPLACED = "revision_replaced"
INVALID_INTERVAL = "invalid_interval"

Documents = Mapping[tuple[str, str], DocumentState]


@dataclass(frozen=True, slots=True)
class _Speech:
    """One content as the group's member said it: everything that all its statements share."""

    episode: LogEpisode
    content: Content
    group: str
    source: str
    speaker: str | None
    said_by: SaidBy
    authority: int
    subject: tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Statement:
    """One candidate with what holds for it at every saying."""

    candidate: Candidate
    unit: str
    dead: str | None


@dataclass(frozen=True, slots=True)
class _Moments:
    """When a statement says that it holds, the instants it counts at, and why its window cannot count, if so."""

    valid_from: datetime | None
    valid_to: datetime | None
    counts_at: tuple[datetime, ...]
    dead: str | None = None


def points_of(
    group: Sequence[LogEpisode],
    extractions: Mapping[tuple[str, str], Extraction],
    registry: Registry,
    *,
    tenant: str,
    subject: str,
    documents: Documents,
) -> tuple[Point, ...]:
    """Turn a group into its points, each keyed by statement, saying and instant; twins of the speaker have none.

    `extractions` are found by (episode key, content hash), `documents` by (corpus, external id).
    """
    episode = speaking.who_speaks(group)
    if episode is None:
        return ()
    current = speaking.current_revision(episode)
    found: dict[tuple[object, ...], Point] = {}
    for content_hash, content in sorted(episode.revisions.items()):
        extraction = extractions.get((episode.key, content_hash))
        sayings = [saying for saying in episode.sayings if saying.content_hash == content_hash]
        if extraction is None or not sayings:
            continue
        speech = _speech(episode, content, registry, (tenant, subject))
        replaced = None if current in (None, content_hash) else REVISION_REPLACED
        for candidate in extraction.candidates:
            dead = replaced or support.source_fault(episode.document, candidate, content, documents)
            statement = _Statement(candidate, unit_of(candidate), dead)
            for saying in sayings:
                for point in _points(speech, statement, saying, documents):
                    _keep(found, point)
    return tuple(found.values())


def _speech(episode: LogEpisode, content: Content, registry: Registry, subject: tuple[str, str]) -> _Speech:
    # A content that names its source names its speaker too, and may name none.
    by_content = content.source is not None
    source = content.source or episode.source
    said_by = content.said_by or episode.said_by
    return _Speech(
        episode=episode,
        content=content,
        group=group_id(episode.key, episode.business_key),
        source=source,
        speaker=content.speaker if by_content else episode.speaker,
        said_by=said_by,
        authority=authority_of(registry, source, said_by),
        subject=subject,
    )


def _keep(found: dict[tuple[object, ...], Point], point: Point) -> None:
    """Keep one point for one instant of one statement: a message with its own time is the same in every saying."""
    name = (point.key, point.content_hash, point.place, point.occurred_at, point.time)
    other = found.get(name)
    if other is None or (not point.sound, point.conversation, point.origin) < (
        not other.sound,
        other.conversation,
        other.origin,
    ):
        found[name] = point


def _points(speech: _Speech, statement: _Statement, saying: Saying, documents: Documents) -> list[Point]:
    candidate = statement.candidate
    said_at = _said_at(candidate, saying)
    moments = _moments(candidate, said_at)
    window = f"{_stamped(moments.valid_from)}/{_stamped(moments.valid_to)}" if moments.valid_to is not None else ""
    dead = statement.dead or moments.dead
    if dead is None and support.is_instruction_from_below(candidate, speech.authority, speech.said_by):
        # Last, since a release lifts this one alone.
        dead = support.QUARANTINED
    named = statement.unit and memory_id(*speech.subject, statement.unit, candidate.value, candidate.polarity, window)
    return [
        Point(
            unit=statement.unit,
            memory_id=named,
            act=candidate.act,
            time=time,
            occurred_at=utc(said_at),
            sound=saying.sound,
            key=speech.episode.key,
            content_hash=saying.content_hash,
            place=candidate.place,
            group=speech.group,
            conversation=_conversation(speech, saying),
            origin=_origin(speech, saying, said_at, documents),
            source=speech.source,
            speaker=speech.speaker,
            said_by=speech.said_by,
            authority=speech.authority,
            voice=candidate.voice,
            kind=candidate.kind,
            claim_key=candidate.claim_key,
            value=candidate.value,
            shown=candidate.shown,
            polarity=candidate.polarity,
            text=candidate.text,
            start=candidate.start,
            end=candidate.end,
            message=candidate.message,
            valid_from=moments.valid_from,
            valid_to=moments.valid_to,
            confidence=candidate.confidence,
            importance=candidate.importance,
            dead=dead,
            suspect=candidate.suspect,
            scope=candidate.scope,
            frame=candidate.frame,
        )
        for time in moments.counts_at
    ]


def _said_at(candidate: Candidate, saying: Saying) -> datetime:
    """Give the time of the message a statement stands in, else of the saying, with its offset."""
    own = None
    if candidate.message is not None and candidate.message < len(saying.message_times):
        own = saying.message_times[candidate.message]
    return saying.occurred_at if own is None else own


def _moments(candidate: Candidate, said_at: datetime) -> _Moments:
    """Resolve the symbolic moments of a statement and give the instants it counts at (D-10), without repeats."""
    said = utc(said_at)
    try:
        start = times.resolve(candidate.valid_from, said_at) if candidate.valid_from else None
        end = times.resolve_end(candidate.valid_to, start, said_at) if candidate.valid_to else None
    except InvalidInput:
        # An extractor's slip must not stop the subject: the statement is shown, and counts for nothing.
        return _Moments(None, None, (said,), INVALID_INTERVAL)
    match candidate.act:
        case Act.END:
            # It closes the open statement of its value, so its window is no part of the memory's name.
            return _Moments(None, None, _instants(candidate, said, end or start, None))
        case Act.WRONG | Act.WRONG_LAST:
            return _Moments(start, end, (said,))
        case Act.SAY:
            dead = None
            if end is not None and start is not None and end <= start:
                dead = times.EMPTY_INTERVAL if end == start else INVALID_INTERVAL
            return _Moments(start, end, _instants(candidate, said, start, end), dead)


def _instants(
    candidate: Candidate, said: datetime, start: datetime | None, end: datetime | None
) -> tuple[datetime, ...]:
    """Give the named instant, else the saying; both for words about the present, on a day when they hold."""
    if start is None:
        return (said,)
    holds = candidate.holds_when_said and start < said and (end is None or said < end)
    return (start, said) if holds else (start,)


def _conversation(speech: _Speech, saying: Saying) -> str:
    if saying.session_id is not None:
        return hash_parts("session", speech.source, saying.session_id)
    return hash_parts("stream", speech.source, speech.speaker or "")


def _origin(speech: _Speech, saying: Saying, said_at: datetime, documents: Documents) -> str:
    """Name the witness behind a saying: its document's origin, else source, speaker and session or UTC day."""
    if (pin := speech.episode.document) is not None:
        document = documents.get((pin.corpus, pin.external_id))
        return (document.origin if document else "") or hash_parts("document", pin.corpus, pin.external_id)
    occasion = saying.session_id if saying.session_id is not None else utc(said_at).date().isoformat()
    return hash_parts(speech.source, speech.speaker or "", occasion)


def _stamped(moment: datetime | None) -> str:
    return "" if moment is None else stamp(moment)
