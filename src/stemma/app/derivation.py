"""One step of a compile inside one transaction: dirty groups, their points, the units they touch, the difference.

Nothing here extracts or waits for a model; what to derive is `core`'s, what to write `core/plan`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from stemma.app import document_states, index_texts
from stemma.app.runtime import Runtime
from stemma.core import canon, codec
from stemma.core.acts import said_in
from stemma.core.corrections import may_be_aimed, resolve_wrong_last
from stemma.core.derive import derive
from stemma.core.extract import Extractor
from stemma.core.frames import block_of, frame_point
from stemma.core.keys import group_id
from stemma.core.order import point_id
from stemma.core.plan import Counts, Plan, difference
from stemma.core.points import points_of
from stemma.core.rulings import named_together, silenced
from stemma.records import Act, Content, Extraction, HumanAct, LogEpisode, Registry
from stemma.state import MemoryRow, Point, UnitState
from stemma.store import index, log, memories
from stemma.store import points as stored_points
from stemma.store.transaction import Transaction
from stemma.text import episode_id

PARKED_GATE = "parked"
# After so many new rows at once the statistics of the tables are of another time.
MANY_ROWS = 500
Extractions = dict[tuple[str, str], Extraction]
# An episode with a content that has no extraction yet, by its hash.
Missing = tuple[LogEpisode, str, Content]
Extract = Callable[[Transaction, Sequence[Missing]], Extractions]


class MissingError(Exception):
    """Contents have no extraction yet, more than are extracted under the subject's lock; nothing was written."""

    def __init__(self, missing: Sequence[Missing]) -> None:
        """Take what is to be extracted first."""
        super().__init__(f"{len(missing)} contents have no extraction yet")
        self.missing = missing


@dataclass(frozen=True, slots=True)
class News:
    """What a compile starts from: the registry and extractor of the tenant, and whether anything is new."""

    registry: Registry
    extractor: Extractor
    is_there: bool
    whole: bool
    state_hash: bytes


@dataclass(slots=True)
class Extracted:
    """Extractions read so far, by (episode key, content hash), so that a second look does not decode them again."""

    found: Extractions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Done:
    """What one step did."""

    counts: Counts
    episodes: int
    parked: int
    state_hash: bytes


@dataclass(frozen=True, slots=True)
class _Dirty:
    """What the step takes on: the dirty rows it will delete, the groups they name, and the acts among them."""

    ids: list[UUID]
    groups: list[str]
    acts: list[HumanAct]
    named: list[HumanAct]
    whole: bool


@dataclass(frozen=True, slots=True)
class _Read:
    """What the points of dirty groups are made from."""

    episodes: Sequence[LogEpisode]
    extracted: Extractions
    documents: document_states.States


@dataclass(frozen=True, slots=True)
class _Touched:
    """What a change of points may change: units, and blocks of frames."""

    units: set[str]
    blocks: set[str]


def news(t: Transaction, runtime: Runtime, subject: str) -> News | None:
    """Say whether a subject has something new; None where it is unknown. Reads one row of it, and no log."""
    row = log.news(t, subject)
    if row is None:
        return None
    registry, extractor = runtime.registered(t)
    whole = row["extractor"] != extractor.version
    return News(registry, extractor, row["dirty"] or whole, whole, bytes(row["state_hash"]))


def _read_extractions(
    t: Transaction, version: str, episodes: Sequence[LogEpisode], extracted: Extracted
) -> list[Missing]:
    wanted = [each for each in episodes if any((each.key, one) not in extracted.found for one in each.revisions)]
    keys = {each.episode_id: each.key for each in wanted}
    for (episode, content_hash), body in log.extractions(t, list(keys), version).items():
        extracted.found[keys[episode], content_hash] = codec.from_json(body)
    return [
        (each, content_hash, content)
        for each in wanted
        for content_hash, content in each.revisions.items()
        if (each.key, content_hash) not in extracted.found
    ]


def _dirty(t: Transaction, news: News, subject: str, most: int) -> _Dirty:
    rows = log.dirty(t, subject, most)
    named = {group for _, group in rows}
    acts = log.acts(t, subject)
    new_acts = [each for each in acts if f"{log.ACT_PREFIX}{each.id}" in named]
    whole = news.whole or log.WHOLE_SUBJECT in named
    if whole:
        groups = log.all_groups(t, subject)
    else:
        touched = [
            episode_id(t.tenant, subject, said.key)
            for act in new_acts
            for each in act.memories
            for said in each.sayings
        ]
        groups = sorted(
            {group for group in named if not group.startswith(log.ACT_PREFIX)} | set(log.groups_of_episodes(t, touched))
        )
    return _Dirty([dirty_id for dirty_id, _ in rows], groups, acts, new_acts, whole)


def step(
    t: Transaction, news: News, subject: str, most: int, extracted: Extracted, extract: Extract, at: datetime
) -> Done:
    """Derive what the next dirty rows touch and apply the difference; delete just those rows.

    The caller holds the subject's lock. `extract` makes and stores the extractions of contents that have none, or
    raises MissingError; the transaction may be run again, so `extracted` does not take what it made.
    """
    row = log.news(t, subject)
    if row is None:
        return Done(Counts(), 0, 0, canon.EMPTY)
    dirty = _dirty(t, news, subject, most)
    episodes = log.episodes_of_groups(t, subject, dirty.groups)
    missing = _read_extractions(t, news.extractor.version, episodes, extracted)
    found = extracted.found | extract(t, missing) if missing else extracted.found
    states = document_states.of_episodes(t, episodes)
    touched = _replace_points(t, news.registry, subject, dirty, _Read(episodes, found, states))
    if dirty.whole:
        touched.units.update(memories.units_of_subject(t, subject))
    plan = _plan(t, news.registry, subject, touched, dirty.acts)
    apply(t, subject, plan, at=at, extractor=news.extractor.version)
    state_hash = canon.shifted(bytes(row["state_hash"]), plan.hashes_added, plan.hashes_removed)
    memories.set_state(t, subject, state_hash, news.extractor.version)
    log.clear_dirty(t, subject, dirty.ids)
    parked = sum(_is_parked(found[each.key, one]) for each in episodes for one in each.revisions)
    return Done(plan.counts, len(episodes), parked, state_hash)


def _is_parked(extraction: Extraction) -> bool:
    return any(each.gate == PARKED_GATE for each in extraction.gates)


def _replace_points(
    t: Transaction,
    registry: Registry,
    subject: str,
    dirty: _Dirty,
    read: _Read,
) -> _Touched:
    """Put the new points of the dirty groups in place of the old ones and say what that touches."""
    before = stored_points.of_groups(t, subject, dirty.groups)
    after = {point_name(each): each for each in _points(t.tenant, subject, registry, dirty, read)}
    _aim(t, subject, before, after, set(dirty.groups))
    gone = [name for name in before if name not in after]
    new = {name: point for name, point in after.items() if before.get(name) != point}
    stored_points.delete(t, subject, gone)
    stored_points.put(t, subject, {name: (point, block(point)) for name, point in new.items()})
    changed = [before[name] for name in (*gone, *new) if name in before] + list(new.values())
    units = {point.unit for point in changed}
    for act in dirty.named:
        units |= {each.unit for each in act.memories}
        spoken = {said.key for each in act.memories for said in each.sayings}
        units |= {point.unit for point in after.values() if point.key in spoken}
    # A frame that has gone leaves neighbours behind, and its own unit no longer says which.
    blocks = {name for point in changed if (name := block(point)) is not None}
    return _Touched(units - {""}, blocks)


def _points(
    tenant: str,
    subject: str,
    registry: Registry,
    dirty: _Dirty,
    read: _Read,
) -> Iterable[Point]:
    groups: dict[str, list[LogEpisode]] = {}
    for episode in read.episodes:
        groups.setdefault(group_id(episode.key, episode.business_key), []).append(episode)
    for group in groups.values():
        found = points_of(group, read.extracted, registry, tenant=tenant, subject=subject, documents=read.documents)
        yield from silenced(found, dirty.acts)


def point_name(point: Point) -> str:
    """Name a stored point; the aimed form of a "that was wrong" stands beside what was said."""
    return f"{point_id(point)}/aimed" if is_aimed(point) else point_id(point)


def is_aimed(point: Point) -> bool:
    """Say whether a point is the aimed form of a "that was wrong", which stands beside what was said."""
    return point.act is Act.WRONG_LAST and point.unit != ""


def _aim(t: Transaction, subject: str, before: dict[str, Point], after: dict[str, Point], groups: set[str]) -> None:
    """Aim every "that was wrong" anew in the conversations that the groups touch, those of other groups too."""
    touched = {each.conversation for each in (*before.values(), *after.values())}
    taking_back = {each.conversation for each in after.values() if may_be_aimed(each)}
    taking_back |= stored_points.conversations_with_wrong(t, subject, touched)
    if not taking_back:
        return
    stored = stored_points.of_conversations(t, subject, taking_back)
    others = {name: point for name, point in stored.items() if point.group not in groups}
    before |= {name: point for name, point in others.items() if is_aimed(point)}
    talks: dict[str, list[Point]] = {name: [] for name in taking_back}
    for point in (*others.values(), *after.values()):
        if point.conversation in talks:
            talks[point.conversation].append(point)
    for talk in talks.values():
        after |= {point_name(aimed): aimed for aimed in resolve_wrong_last(talk)}


def block(point: Point) -> str | None:
    """Name the block of a point's frame, None where it has a claim key."""
    frame = frame_point(point)
    return None if frame is None else block_of(frame)


def _plan(t: Transaction, registry: Registry, subject: str, touched: _Touched, acts: Sequence[HumanAct]) -> Plan:
    """Derive what was touched with all that may rule on it, and compare with what is stored."""
    points = _closed(t, subject, touched, acts)
    wanted = derive((each for listed in points.values() for each in listed), acts, registry, subject=subject)
    compared = sorted({*touched.units, *points})
    stored = memories.of_units(t, subject, compared)
    return difference({unit: wanted[unit] for unit in compared if unit in wanted}, stored)


def _closed(t: Transaction, subject: str, touched: _Touched, acts: Sequence[HumanAct]) -> dict[str, list[Point]]:
    """Read the points of units, of blocks, and of what an act names together with them, however far."""
    found = stored_points.of_blocks(t, subject, touched.blocks) if touched.blocks else {}
    blocks = set(touched.blocks)
    wanted = named_together({*touched.units, *found}, acts)
    while new := wanted - found.keys():
        read = stored_points.of_units(t, subject, new)
        found |= {unit: read.get(unit, []) for unit in new}
        near = {name for listed in read.values() for each in listed if (name := block(each)) is not None} - blocks
        if near:
            blocks |= near
            found |= stored_points.of_blocks(t, subject, near)
        wanted = named_together(found, acts)
    return found


def apply(t: Transaction, subject: str, plan: Plan, *, at: datetime, extractor: str) -> None:
    """Write a plan; undo before putting, so that the journal keeps both."""
    if plan.is_empty:
        return
    if plan.rows_gone:
        memories.undo(t, subject, plan.rows_gone, at)
    if plan.decisions_gone:
        memories.undo_decisions(t, subject, plan.decisions_gone, at)
    if plan.conflicts_gone:
        memories.undo_conflicts(t, subject, plan.conflicts_gone, at)
    memories.delete_evidence(t, plan.evidence_gone)
    memories.put(t, subject, plan.rows_put, at=at, extractor=extractor)
    said = [said_in(t.tenant, subject, each.key, each.content_hash) for each in plan.evidence_put]
    memories.put_evidence(t, plan.evidence_put, said)
    memories.put_decisions(t, subject, plan.decisions_put, at=at, extractor=extractor)
    memories.put_conflicts(t, subject, plan.conflicts_put)
    if plan.notes_put:
        memories.put_notes(t, subject, plan.notes_put)
    _index(t, [row for row, _ in plan.rows_put], plan.rows_gone)
    if len(plan.rows_put) >= MANY_ROWS:
        t.execute("analyze_state")


def _index(t: Transaction, put: Sequence[MemoryRow], gone: Sequence[str]) -> None:
    index.delete(t, gone)
    index.replace(t, [row for each in put for row in index_texts.lexical_rows(t.tenant, each)])


def stored_state(t: Transaction, subject: str) -> dict[str, UnitState]:
    """Read all that is stored for a subject, by unit."""
    return memories.of_units(t, subject, memories.units_of_subject(t, subject))
