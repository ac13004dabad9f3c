"""Reads what an admission rests on: the core list, and of the episodes of excerpts what was learned or is retired."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from stemma.app.past import Past
from stemma.core.admit.clause import best_clause
from stemma.core.admit.core_list import MOST, listed
from stemma.core.admit.retired import Place, Retired, retired
from stemma.core.admit.rules import may_answer
from stemma.core.registry import DEFAULT_AUTHORITY, authority_of
from stemma.core.status import in_force, status_at
from stemma.core.trace import Ask, Excerpt, Item
from stemma.record_json import decode
from stemma.records import HumanAct, Injection, Registry, SaidBy, Status
from stemma.state import Evidence, MemoryRow
from stemma.store.transaction import Row, Transaction


@dataclass(slots=True)
class _Learned:
    """What is known of the places of a query's excerpts."""

    standing: dict[str, list[Place]] = field(default_factory=dict)
    gone: dict[str, Retired] = field(default_factory=dict)

    def take(self, row: MemoryRow, places: Iterable[Place], now: datetime) -> None:
        """Add a memory with the places that it was said at; one whose window is over is as gone as any other."""
        said = list(places)
        if status_at(row, now)[0] is Status.ACTIVE and in_force(row, now):
            self.standing.setdefault(row.id, []).extend(said)
        else:
            before = self.gone.get(row.id)
            self.gone[row.id] = retired(row.id, row.text, [*(before.places if before else ()), *said])


def core_rows(t: Transaction, subject: str, now: datetime) -> list[Row]:
    """Give the rows of a subject's core list that hold at `now`, in the order they came on it, at most five."""
    ids = listed(decode(HumanAct, row["body"]) for row in t.all("injection_acts", {"subject_id": subject}))
    if not ids:
        return []
    rows = {row["id"]: row for row in t.all("memories_by_id", {"ids": ids}) if row["derived"]}
    return [rows[each] for each in ids if each in rows and _is_core(decode(MemoryRow, rows[each]["body"]), now)][:MOST]


def past_core(past: Past, now: datetime) -> list[str]:
    """Give the ids of the core list as it was known then."""
    return [each for each in listed(past.acts) if each in past.rows and _is_core(past.rows[each], now)][:MOST]


def _is_core(row: MemoryRow, now: datetime) -> bool:
    return row.injection == Injection.CORE.value and in_force(row, now)


def as_clauses(items: Iterable[Item], query: frozenset[str]) -> list[Item]:
    """Cut each excerpt down to the clause that holds most of the query; an excerpt in a prompt is no more than that."""
    found = []
    for item in items:
        said = item.excerpt
        if said is not None:
            start, end = best_clause(said.text, query)
            cut = replace(said, text=said.text[start:end], start=said.start + start, end=said.start + end)
            item = replace(item, excerpt=cut)
        found.append(item)
    return found


def with_evidence(t: Transaction, subject: str, ask: Ask, items: Sequence[Item], registry: Registry) -> Ask:
    """Add to a request what is known of the places that its excerpts are from, of those that may come at all."""
    excerpts = {item.id: item.excerpt for item in items if item.excerpt is not None and may_answer(item)}
    if not excerpts:
        return ask
    known = _Learned()
    episodes = sorted({each.episode_id for each in excerpts.values()})
    for row in t.all("learned_from_episodes", {"episode_ids": episodes}):
        said = decode(Evidence, row["evidence"])
        known.take(decode(MemoryRow, row["memory"]), [_place(row["episode_id"], said)], ask.now)
    winners = [item.id for item in items if item.memory is not None]
    rows = t.all("losers_of_memories", {"memory_ids": winners})
    texts = [each.text for each in excerpts.values()]
    rows += t.all("retired_that_texts_carry", {"subject_id": subject, "now": ask.now, "texts": texts})
    for row in rows:
        known.take(decode(MemoryRow, row["body"]), (), ask.now)
    return _with(ask, known, untrusted(excerpts, registry))


def with_past_evidence(ask: Ask, items: Sequence[Item], past: Past) -> Ask:
    """Add the same from a past state."""
    excerpts = {item.id: item.excerpt for item in items if item.excerpt is not None and may_answer(item)}
    if not excerpts:
        return ask
    known = _Learned()
    names = {episode.key: episode.episode_id for episode in past.episodes}
    for row in past.rows.values():
        said = [each for each in past.evidence.get(row.id, ()) if each.key in names]
        known.take(row, [_place(names[each.key], each) for each in said], ask.now)
    return _with(ask, known, untrusted(excerpts, past.registry))


def untrusted(excerpts: Mapping[str, Excerpt], registry: Registry) -> frozenset[str]:
    """Name the excerpts from sources that speak with less than a user's authority (R-39)."""
    return frozenset(
        name for name, said in excerpts.items() if authority_of(registry, said.source, SaidBy.USER) < DEFAULT_AUTHORITY
    )


def _with(ask: Ask, known: _Learned, below: frozenset[str]) -> Ask:
    gone = [known.gone[name] for name in sorted(known.gone)]
    return replace(ask, evidence=known.standing, retired=gone, untrusted=below)


def _place(episode_id: str, said: Evidence) -> Place:
    return Place(episode_id, said.message, said.start, said.end)
