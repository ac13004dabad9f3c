"""Every kind of human act, made once and replayed as log records before, between and after the episodes: one state."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest

from stemma import Stemma
from tests.simulation.fleet import Report, compile_subject, fresh_served, register, send
from tests.simulation.histories import FORGOTTEN_AT, RECEIPT, SUBJECT, History, batches, draw
from tests.stores import Server

ORDERS = 6


@dataclass(frozen=True, slots=True)
class Acted:
    """A history told once in time with acts in between, the acts' log records, and the state that came of it."""

    history: History
    acts: list[str]
    state_hash: str
    statuses: dict[str, str]


@pytest.fixture(scope="module", params=range(1, 6), ids=lambda seed: f"seed-{seed}")
def acted(request: pytest.FixtureRequest, served_server: Server) -> Iterator[Acted]:
    """Tell a history, act on what stands in the middle of it, tell the rest."""
    history = draw(request.param)
    clock = [FORGOTTEN_AT]
    with fresh_served(served_server) as store, Stemma(store, clock=lambda: clock[0], embedder="none") as stemma:
        register(stemma)
        report = Report()
        send(stemma, history.before_forgetting, report)
        compile_subject(stemma, report)
        act(stemma, Random(request.param))
        clock[0] = RECEIPT
        send(stemma, history.after_forgetting, report)
        compile_subject(stemma, report)
        yield Acted(history, acts_of(stemma), report.state_hash, statuses(stemma))


def act(stemma: Stemma, random: Random) -> None:
    """Resolve what is open in each of three ways, and quarantine, retype, weigh, forget and merge some memories."""
    ways = [{"keep_both": True}, {"value": "elsewhere", "text": "It is elsewhere"}, {}]
    for way in random.sample(ways, 3):
        for conflict in stemma.list_conflicts(SUBJECT, status="open").items[:1]:  # a ruling may close others beside it
            stemma.resolve_conflict(conflict.id, **(way or {"choose": random.choice(conflict.memory_ids)}), by="Ada")
    plain = [one for one in stemma.list_memories(SUBJECT, limit=500).items if one.claim is None]
    claims = [one for one in stemma.list_memories(SUBJECT, limit=500).items if one.claim is not None]
    chosen = random.sample(sorted(plain, key=lambda one: one.id), 6)
    stemma.patch_memory(chosen[0].id, quarantine=True, by="Ada")
    stemma.patch_memory(chosen[1].id, importance=0.9, by="Ada")
    stemma.patch_memory(chosen[2].id, kind="habit", by="Ada")
    stemma.patch_memory(chosen[3].id, merge_into=chosen[4].id, by="Ada")
    stemma.patch_memory(chosen[5].id, injection="never", by="Ada")
    stemma.patch_memory(chosen[0].id, quarantine=False, by="Ada")
    for memory in random.sample(sorted(claims, key=lambda one: one.id), 3):
        stemma.forget_memory(memory.id, by="Ada")


def acts_of(stemma: Stemma) -> list[str]:
    """Return the acts as an export of their own."""
    lines: list[str] = []
    stemma.export_log(lines.append)
    head, *rest = [line for line in lines if line.strip()]
    return [head, *(line for line in rest if json.loads(line).get("type") == "act")]


def statuses(stemma: Stemma) -> dict[str, str]:
    """Return each memory's status by its id."""
    return {one.id: str(one.status) for one in stemma.list_memories(SUBJECT, status="all", limit=500).items}


@pytest.mark.parametrize("order", range(ORDERS))
def test_acts_replayed_in_any_order_with_the_episodes_are_one_state(
    acted: Acted, served_server: Server, order: int
) -> None:
    """R-37, R-2: an act names evidence, so it holds whether its memory is there yet or not.

    Breaks when an act names a row, when an import of acts marks nothing for the compile, or when two acts on one memory
    are applied as they arrive.
    """
    random = Random(order)
    head, *acts = acted.acts
    shuffled = random.sample(acts, len(acts))
    halves = [acts, []] if order == 0 else [[], acts] if order == 1 else [shuffled[::2], shuffled[1::2]]
    with fresh_served(served_server) as store, Stemma(store, clock=lambda: RECEIPT, embedder="none") as stemma:
        report = Report()
        register(stemma)
        sent = list(batches(list(acted.history.episodes), random))
        for part, half in enumerate(halves):
            if order < 4 and half:
                stemma.import_log([head, *half])
            for batch in sent[part::2] if order < 2 else sent[len(sent) // 2 * part :][: len(sent) // 2 + part]:
                send(stemma, batch, report)
                if random.random() < 0.3:
                    compile_subject(stemma, report)
            if order >= 4 and half:
                stemma.import_log([head, *half])
        compile_subject(stemma, report)
        stemma.import_log(acted.acts)
        compile_subject(stemma, report)
        found = statuses(stemma)
        assert found == acted.statuses, f"seed {acted.history.seed}, order {order}"
        assert report.state_hash == acted.state_hash, f"seed {acted.history.seed}, order {order}"
        assert not any(report.compiles[-1][0].values())


def test_the_acts_are_of_every_kind_and_are_seen(acted: Acted) -> None:
    """R-37: what was done is in the export, each act once."""
    kinds = Counter(json.loads(line)["act"]["kind"] for line in acted.acts[1:])
    assert kinds["forget"] == 3
    assert sum(kinds.values()) >= 9
    assert len({json.loads(line)["act"]["id"] for line in acted.acts[1:]}) == len(acted.acts) - 1
