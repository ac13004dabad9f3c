"""What must hold for a history, one function each; a drawn and a seeded history go through the same ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache

from stemma.core.derive import derive, points_of_log
from stemma.core.plan import Counts
from stemma.core.status import status_at
from stemma.records import Act, ActKind, HumanAct, KeyPolicy, SaidBy, Status
from stemma.state import MemoryRow, Point
from tests.property.compiled import Compiled, Dump, whole
from tests.property.histories import (
    INSTANTS,
    KEYS,
    START,
    SUBJECT,
    VALUES,
    Record,
    Said,
    claim,
    content_hash,
    day,
    log_of,
    registry,
)

REGISTRY = registry()
_SETTLING = (ActKind.CHOOSE, ActKind.THIRD_VALUE, ActKind.KEEP_BOTH)

Check = Callable[[Sequence[Record], random.Random], None]


@lru_cache(maxsize=16)
def _derived(records: tuple[Record, ...]) -> Dump:
    """Derive a history once for all the checks that only read what came of it."""
    return whole(records, REGISTRY)[0]


def batches(records: Sequence[Record], generator: random.Random) -> None:
    """Any order, any batches, repeats: after every batch the state of the whole log; compiled again, nothing."""
    order = [*records, *generator.choices(records, k=2)] if records else []
    generator.shuffle(order)
    compiled = Compiled(REGISTRY)
    seen: set[Record] = set()
    while order:
        size = generator.randint(1, 4)
        batch, order = order[:size], order[size:]
        seen |= set(batch)
        before = len(compiled.dump.rows)
        done = compiled.move_to(seen)
        dump, state_hash = whole(seen, REGISTRY)
        assert compiled.dump == dump
        assert compiled.hash == state_hash
        assert len(dump.rows) - before == done.counts.created - done.counts.vanished
        again = compiled.move_to(seen)
        assert again.is_empty and again.counts == Counts()


def removal(records: Sequence[Record], generator: random.Random) -> None:
    """Records taken away are as if they had never been there, hash and all."""
    compiled = Compiled(REGISTRY)
    compiled.move_to(records)
    left = [record for record in records if generator.random() < 0.6]
    compiled.move_to(left)
    dump, state_hash = whole(left, REGISTRY)
    assert compiled.dump == dump
    assert compiled.hash == state_hash


def erased(records: Sequence[Record], generator: random.Random) -> None:
    """An event erased with its twins, sayings and revisions is named by nothing that is derived."""
    keys = sorted({record.key for record in records if isinstance(record, Said)})
    if not keys:
        return
    chosen = generator.choice(keys)
    event = {
        key for key in KEYS if key == chosen or (KEYS[key].business and KEYS[key].business == KEYS[chosen].business)
    }
    compiled = Compiled(REGISTRY)
    compiled.move_to(records)
    left = [record for record in records if not (isinstance(record, Said) and record.key in event)]
    compiled.move_to(left)
    assert compiled.hash == whole(left, REGISTRY)[1]
    assert not event & {one.key for one in compiled.dump.evidence.values()}
    for decision in compiled.dump.decisions.values():
        assert not event.intersection(decision.winner_episodes + decision.loser_episodes)
    assert not event & {conflict.opened_by for conflict in compiled.dump.conflicts.values()}


def unrelated(records: Sequence[Record], generator: random.Random) -> None:
    """A fact about something else adds its own row and changes no other."""
    other = Said("c1x", (claim("elsewhere", voice="name:ann"),), generator.choice(INSTANTS))
    before, after = _derived(tuple(records)), whole([*records, other], REGISTRY)[0]
    added = set(after.rows) - set(before.rows)
    assert len(added) == 1
    assert {name: row for name, row in after.rows.items() if name not in added} == before.rows
    assert after.decisions == before.decisions
    assert after.conflicts == before.conflicts


def moved_in_time(records: Sequence[Record], generator: random.Random) -> None:
    """Three times as far apart and a year later, everything keeps its shape."""
    plain = [record for record in records if _is_free_of_time(record)]

    def later(record: Record) -> Record:
        if isinstance(record, Said):
            return replace(record, at=3 * record.at + 365)
        assert isinstance(record, HumanAct)
        memories = tuple(
            replace(
                memory, sayings=tuple(replace(each, occurred_at=_later(each.occurred_at)) for each in memory.sayings)
            )
            for memory in record.memories
        )
        return replace(record, at=_later(record.at), memories=memories)

    assert _shape(whole(plain, REGISTRY)[0]) == _shape(whole([later(record) for record in plain], REGISTRY)[0])


def renamed(records: Sequence[Record], generator: random.Random) -> None:
    """With values renamed, so that every id changes, everything keeps its shape."""
    names = dict(zip(VALUES, ("zurich", "athens", "malaga"), strict=True))
    plain = [record for record in records if isinstance(record, Said) and _is_free_of_time(record)]
    other = [
        replace(
            said, candidates=tuple(replace(each, value=names.get(each.value, each.value)) for each in said.candidates)
        )
        for said in plain
    ]
    before = _shape(whole(plain, REGISTRY)[0], names)
    assert before == _shape(whole(other, REGISTRY)[0])


def marked_stamps(records: Sequence[Record], generator: random.Random) -> None:
    """A stamp ahead of its receipt changes nothing for what rests on sound ones."""
    sound = [record for record in records if not isinstance(record, HumanAct) and getattr(record, "sound", True)]
    every = [record for record in records if not isinstance(record, HumanAct)]
    without, within = _derived(tuple(sound)), _derived(tuple(every))
    revised = {
        record.key for record in every if isinstance(record, Said) and KEYS[record.key].policy is KeyPolicy.REVISION
    }
    for memory, row in without.rows.items():
        if row.times_said:
            assert within.rows[memory].transitions == row.transitions, (row.value, revised)
            assert within.rows[memory].last_said_at == row.last_said_at


def restated(records: Sequence[Record], generator: random.Random) -> None:
    """What is said again is more evidence under the same rows."""
    records = [record for record in records if not isinstance(record, HumanAct)]
    said = [record for record in records if isinstance(record, Said) and not KEYS[record.key].business]
    if not said:
        return
    again = replace(generator.choice(said), at=generator.choice(INSTANTS) + 0.25, sound=True)
    before, after = _derived(tuple(records)), whole([*records, again], REGISTRY)[0]
    if any(each.act is Act.WRONG_LAST for each in again.candidates):
        return
    assert set(after.rows) == set(before.rows)
    supports = {name for name, one in before.evidence.items() if one.role == "support"}
    assert supports <= set(after.evidence)


def lower_authority(records: Sequence[Record], generator: random.Random) -> None:
    """What stands on trusted sources alone stands when untrusted ones have spoken, in whatever order."""
    said = [record for record in records if isinstance(record, Said) and not KEYS[record.key].business]
    trusted = [
        record for record in said if KEYS[record.key].source == "high" and KEYS[record.key].said_by is SaidBy.USER
    ]
    alone, together = whole(trusted, REGISTRY)[0], whole(said, REGISTRY)[0]
    if any(each.act is Act.WRONG_LAST for record in said for each in record.candidates):
        return
    for memory, row in alone.rows.items():
        # Numbers rule under `corroborated`: who came first stands, trusted or not, until enough speak against it.
        stands = row.transitions[-1].status is Status.ACTIVE and row.original_kind != "corroborated"
        if stands and _rests_on_sound(alone, memory, trusted):
            assert together.rows[memory].transitions[-1].status is Status.ACTIVE


def reading(records: Sequence[Record], generator: random.Random) -> None:
    """At every moment, what is read from the transitions is where the points up to that moment lead."""
    said = [
        record
        for record in records
        if isinstance(record, Said)
        and record.sound
        and all(each.act in (Act.SAY, Act.END) for each in record.candidates)
    ]
    acts = [record for record in records if isinstance(record, HumanAct) and record.kind in _SETTLING]
    points = points_of_log(log_of(said), REGISTRY)
    rows = _rows(points, acts)
    for moment in (day(number / 2) for number in range(2 * len(INSTANTS))):
        until = [point for point in points if point.time <= moment]
        present = {point.memory_id for point in until if point.act is Act.SAY and point.dead is None}
        known = [
            act
            for act in acts
            if act.at <= moment
            and all(each.memory_id in present for each in act.memories[0 if act.argument is None else 1 :])
        ]
        if len(known) < len([act for act in acts if act.at <= moment]):
            # A side that counts only later: the ruling is for what is to come, and the points so far do not know it.
            continue
        for memory, row in _rows(until, known).items():
            if row.valid_to is None and row.times_said:
                read, by = status_at(rows[memory], moment)[0], row.transitions[-1].status
                assert read is by, (row.value, moment)


def sane(records: Sequence[Record], generator: random.Random) -> None:
    """Every row has its reason: ends have a decision, ids named are there, spells agree with transitions."""
    dump = _derived(tuple(records))
    lost = {decision.loser_id for decision in dump.decisions.values()}
    for row in dump.rows.values():
        moments = [turn.at for turn in row.transitions]
        assert moments and None not in moments[1:]
        assert moments[1:] == sorted(set(moments[1:]), key=_moment)
        assert all(turn.status is Status.ACTIVE or row.id in lost for turn in row.transitions)
        assert all(turn.by is None or turn.by in dump.rows for turn in row.transitions)
        assert bool(row.spells) <= any(turn.status is Status.ACTIVE for turn in row.transitions)
        assert all(start is None or end is None or start < end for start, end in row.spells)
        assert any(one.memory_id == row.id for one in dump.evidence.values())
    for decision in dump.decisions.values():
        assert decision.loser_id in dump.rows and decision.loser_episodes
        assert decision.winner_id is None or decision.winner_id in dump.rows
    for conflict in dump.conflicts.values():
        assert set(conflict.memory_ids) <= set(dump.rows)
    _held_have_conflicts(dump)


def kept(records: Sequence[Record], generator: random.Random) -> None:
    """Every statement that speaks is evidence of a row, whatever became of it, and every row shows what was said."""
    dump = _derived(tuple(records))
    evidence = {(one.key, one.content_hash, one.place, one.occurred_at) for one in dump.evidence.values()}
    said = [point for point in points_of_log(log_of(records), REGISTRY) if point.act is Act.SAY and point.unit]
    assert {(each.key, each.content_hash, each.place, each.occurred_at) for each in said} <= evidence
    texts = {each.text for each in said} | {act.argument for act in records if isinstance(act, HumanAct)}
    assert {row.text for row in dump.rows.values()} <= texts


def ages(records: Sequence[Record], generator: random.Random) -> None:
    """Age runs from the last saying: of sound stamps where there is one, of people where they said it."""
    dump = _derived(tuple(records))
    said = {(each.key, content_hash(each), day(each.at)): each.sound for each in records if isinstance(each, Said)}
    for row in dump.rows.values():
        live = [
            one
            for one in dump.evidence.values()
            if one.memory_id == row.id and one.role == "support" and one.dead is None
        ]
        if not live or any(one.key not in KEYS for one in live):
            continue
        sound = [one for one in live if said[one.key, one.content_hash, one.occurred_at]] or live
        people = [one for one in sound if KEYS[one.key].said_by is SaidBy.USER] or sound
        assert row.first_said_at == min(one.occurred_at for one in sound)
        assert row.last_said_at == max(one.occurred_at for one in people)
        assert row.times_said == len({(one.key, one.occurred_at) for one in live})


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        batches,
        removal,
        erased,
        unrelated,
        moved_in_time,
        renamed,
        marked_stamps,
        restated,
        lower_authority,
        reading,
        sane,
        kept,
        ages,
    )
}


def _held_have_conflicts(dump: Dump) -> None:
    """A memory held for its stamp has an open conflict; one held for rank or number has had one."""
    named = {memory for conflict in dump.conflicts.values() for memory in conflict.memory_ids}
    open_now = {m for conflict in dump.conflicts.values() if conflict.closed_at is None for m in conflict.memory_ids}
    for row in dump.rows.values():
        last = row.transitions[-1]
        if last.status is Status.QUARANTINED and last.reason in ("lower_authority", "uncorroborated"):
            assert row.id in named
        if last.status is Status.QUARANTINED and last.reason == "time_ahead":
            assert row.id in open_now


def _is_free_of_time(record: Record) -> bool:
    """Say whether a record survives a change of times or names: windows and revisions are named by their content."""
    if isinstance(record, HumanAct):
        return record.kind not in _SETTLING or len(record.memories) < 2
    if not isinstance(record, Said):
        return False
    fixed = all(each.valid_from is None and each.valid_to is None for each in record.candidates)
    return fixed and KEYS[record.key].policy is not KeyPolicy.REVISION


def _later(moment: datetime) -> datetime:
    return START + 3 * (moment - START) + timedelta(days=365)


def _shape(dump: Dump, names: dict[str, str] | None = None) -> list[tuple[object, ...]]:
    known = names or {}

    def named(memory: str | None) -> tuple[object, ...] | None:
        row = dump.rows.get(memory) if memory else None
        return (known.get(row.value, row.value), row.polarity, row.unit) if row else None

    return sorted(
        (
            (
                *(named(row.id) or ()),
                tuple((turn.at is None, turn.status, turn.reason, named(turn.by)) for turn in row.transitions),
                row.times_said,
                row.independent_origins,
                sum(row.id in conflict.memory_ids for conflict in dump.conflicts.values()),
                sum(row.id == decision.loser_id for decision in dump.decisions.values()),
            )
            for row in dump.rows.values()
        ),
        key=repr,
    )


def _rests_on_sound(dump: Dump, memory: str, records: Iterable[Said]) -> bool:
    """Say whether a memory has a sound saying; one with marked stamps alone is held once anything sound is said."""
    sound = {(record.key, content_hash(record), day(record.at)) for record in records if record.sound}
    said = [one for one in dump.evidence.values() if one.memory_id == memory and one.dead is None]
    return any((one.key, one.content_hash, one.occurred_at) in sound for one in said)


def _rows(points: Iterable[Point], acts: Iterable[HumanAct]) -> dict[str, MemoryRow]:
    states = derive(points, acts, REGISTRY, subject=SUBJECT)
    return {row.id: row for state in states.values() for row in state.rows}


def _moment(moment: datetime | None) -> datetime:
    assert moment is not None
    return moment
