"""Issue 2's drawn history: 200 episodes, sent in any order, split and repeated, by one process or by eight at once, are
one state; and what stands in it is what the plain rules of `model.py` say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from stemma import Stemma
from tests.simulation.fleet import (
    Crew,
    Report,
    Step,
    compile_subject,
    export_acts,
    fresh_embedded,
    fresh_served,
    import_acts,
    register,
    send,
)
from tests.simulation.histories import (
    CLAIM_KEYS,
    FORGOTTEN_AT,
    RECEIPT,
    SOURCES,
    SUBJECT,
    History,
    batches,
    draw,
    moment,
)
from tests.simulation.model import Forgotten, standing_values
from tests.stores import Server

SEEDS = (20261130, 4471)
YEAR = timedelta(days=366)
ACCEPTED = {"created", "duplicate", "restated", "revised", "stale_revision"}


@dataclass(frozen=True, slots=True)
class Told:
    """A history told once, in time, to a store of its own: the forgets made there, and the state that came of it."""

    history: History
    store: str
    acts: list[str]
    forgotten: list[Forgotten]
    forgotten_texts: set[str]
    state_hash: str

    def __str__(self) -> str:
        return f"seed {self.history.seed}"


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    """Eight processes."""
    one = Crew()
    yield one
    one.close()


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed-{seed}")
def told(request: pytest.FixtureRequest) -> Iterator[Told]:
    """Tell the history in time, forget ten memories in between, and say what came of it."""
    history = draw(request.param)
    with fresh_embedded() as store:
        clock = [FORGOTTEN_AT]
        with Stemma(store, clock=lambda: clock[0], embedder="none") as stemma:
            register(stemma)
            report = Report()
            send(stemma, history.before_forgetting, report)
            compile_subject(stemma, report)
            forgotten, forgotten_texts = forget_ten(stemma, Random(request.param))
            clock[0] = RECEIPT
            send(stemma, history.after_forgetting, report)
            compile_subject(stemma, report)
            # Left open, so that the store's server is not started again by each test.
            assert set(report.outcomes) <= ACCEPTED, report.outcomes
            acts = export_acts(store)
            assert len(acts) == 1 + 10
            yield Told(history, store, acts, forgotten, forgotten_texts, report.state_hash)


def forget_ten(stemma: Stemma, random: Random) -> tuple[list[Forgotten], set[str]]:
    """Forget ten memories, six that stand and four that do not any more; return the claims and the other texts."""
    rows = all_memories(stemma)
    forgotten, texts = [], set()
    for wanted, count in (({"active"}, 6), ({"superseded", "quarantined"}, 4)):
        candidates = sorted((one for one in rows if one.status in wanted), key=lambda one: str(one.id))
        for memory in random.sample(candidates, count):
            stemma.forget_memory(memory.id)
            if memory.claim is not None:
                window = (text_of(memory.valid_from) if memory.valid_to else None, text_of(memory.valid_to))
                forgotten.append(Forgotten(memory.claim.key, memory.claim.value, memory.claim.polarity, window))
            else:
                texts.add(memory.text)
    return forgotten, texts


def text_of(moment: datetime | None) -> str | None:
    """Return a moment as text."""
    return moment.isoformat() if moment else None


def all_memories(stemma: Stemma, **filters: Any) -> list[Any]:
    """Return every memory of the subject, page by page."""
    return pages(lambda **page: stemma.list_memories(SUBJECT, **{"status": "all", **filters, **page}))


def pages(ask: Callable[..., Any]) -> list[Any]:
    """Return the items of every page of a list."""
    page = ask(limit=100)
    items = list(page.items)
    while page.next_cursor is not None:
        page = ask(limit=100, cursor=page.next_cursor)
        items += page.items
    return items


def shares_of(told: Told, seed: int, workers: int) -> list[list[Step]]:
    """Return each worker's steps: all of the log in a random order, compiled now and then and by all at the end.

    The registry, and the forgets, come first, in between or last: the state may not depend on it.
    """
    random = Random(seed)
    shares: list[list[Step]] = [[] for _ in range(workers)]
    for batch in batches(list(told.history.episodes), random):
        share = random.choice(shares)
        share.append(("send", batch))
        if random.random() < 0.2:
            share.append(("compile",))
    shares[0].insert(seed % 3 * len(shares[0]) // 2, ("register",))
    shares[-1].insert(seed // 3 % 3 * len(shares[-1]) // 2, ("import", told.acts))
    return [[("meet",), *share, ("meet",), ("compile",), ("meet",), ("compile",)] for share in shares]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_twenty_orders_six_of_them_by_eight_processes_at_once_are_one_state(
    told: Told, crew: Crew, served_server: Server
) -> None:
    """R-1, R-2: order, splits, repeats, when the registry and the forgets came, and eight compiles at once do not show.

    Breaks when a compile takes anything from arrival: an id from a sequence, a dirty mark lost under concurrency, a
    forget that needs its memory to be there, a claim key read only when an episode comes.
    """
    first = told.history.seed == SEEDS[0]
    for order in range(20 if first else 3):
        workers = crew.size if order < (6 if first else 1) else 1 + order % 2
        with ExitStack() as stack:
            store = stack.enter_context(fresh_embedded() if order % 4 == 0 else fresh_served(served_server))
            reports = crew.do(store, RECEIPT, shares_of(told, order, workers))
            outcomes = sum((one.outcomes for one in reports), Counter[str]())
            assert set(outcomes) <= ACCEPTED, f"{told}, order {order}: {outcomes}"
            if workers == 2:  # they do not meet, so a last word is needed
                reports = crew.do(store, RECEIPT, [[("compile",), ("compile",)]])
            hashes = {one.state_hash for one in reports}
            assert hashes == {told.state_hash}, f"{told}, order {order}, {workers} at once"
            assert not any(any(one.compiles[-1][0].values()) for one in reports), f"{told}, order {order}"
            if workers == crew.size:
                with Stemma(store, clock=lambda: RECEIPT, embedder="none") as stemma:
                    assert_one_row_a_memory(all_memories(stemma))


def assert_one_row_a_memory(rows: list[Any]) -> None:
    """Hold that no id, and no active text with its claim and window, stands twice."""
    ids = Counter(one.id for one in rows)
    assert max(ids.values()) == 1
    active = Counter(
        (one.text, one.kind, str(one.claim), text_of(one.valid_to)) for one in rows if one.status == "active"
    )
    assert [one for one, times in active.items() if times > 1] == []


def test_the_drawn_history_holds_what_could_make_a_difference(told: Told) -> None:
    """R-2: what issue 2 asks to be in the history is in it, and it did supersede, hold, tombstone and forget."""
    kinds = told.history.kinds
    assert kinds["restate"] >= 40
    assert kinds["supersede"] >= 40
    expected = {"tie": 20, "revision": 10, "late": 5, "revert": 2, "window": 10, "overlap": 20, "ahead": 5}
    assert {name: kinds[name] for name in expected} == expected
    with Stemma(told.store, clock=lambda: RECEIPT, embedder="none") as stemma:
        rows = all_memories(stemma)
        superseded = {one.claim.key for one in rows if one.claim and one.status == "superseded"}
        rulings = [one for one in all_decisions(stemma) if one.loser_id is not None and one.winner_id is not None]
    assert len(superseded & CLAIM_KEYS.keys()) >= 5
    assert len(rulings) >= 40
    assert Counter(one.status for one in rows).keys() == {"active", "superseded", "quarantined", "tombstoned"}


def all_decisions(stemma: Stemma) -> list[Any]:
    """Return every decision that stands, page by page."""
    items = pages(lambda **page: stemma.list_decisions(SUBJECT, **page))
    return [one for one in items if one.undone_at is None]


def test_no_memory_has_two_rows(told: Told) -> None:
    """R-2, D-6: an id is what a memory is made of, so saying it again finds the row."""
    with Stemma(told.store, clock=lambda: RECEIPT, embedder="none") as stemma:
        assert_one_row_a_memory(all_memories(stemma))


@pytest.mark.parametrize("days", [0, 366], ids=["at receipt", "a year later"])
def test_the_values_that_stand_are_those_of_the_plain_rules(told: Told, days: int) -> None:
    """R-35a, R-36, R-37, D-9 to D-21: a second writing of the rules names the same active values for each claim key.

    One hash in every order can be one error in every order; this would show it.
    """
    now = RECEIPT + timedelta(days=days)
    with Stemma(told.store, clock=lambda: now, embedder="none") as stemma:
        for key, policy in CLAIM_KEYS.items():
            rows = all_memories(stemma, status="active", claim_key=key)
            stands = {one.claim.value for one in rows if one.claim.polarity == "affirmed" and one.valid_to is None}
            expected = standing_values(
                told.history.episodes,
                key,
                policy,
                SOURCES,
                receipt=RECEIPT,
                now=now,
                forgotten=told.forgotten,
                forgotten_at=FORGOTTEN_AT,
            )
            assert stands == expected, f"{told}, {key} at {now}"


def test_of_each_pair_by_word_overlap_the_later_said_stands(told: Told) -> None:
    """R-35, D-9, D-21, D-24: by the plain rule: the last that is not forgotten is active, the others gave way to it.

    What is dated ahead is held; what was forgotten is tombstoned, and what it had displaced stands again.
    """
    pairs: dict[str, list[tuple[datetime, str]]] = {}
    for episode in told.history.episodes:
        payer, _, rate = episode.get("text", "").partition(" charges ")
        if rate:
            pairs.setdefault(payer, []).append((moment(episode), episode["text"].rstrip(".")))
    expected = {}
    for sayings in pairs.values():
        live = sorted(one for one in sayings if one[1] not in told.forgotten_texts and one[0] <= RECEIPT)
        for when, text in sayings:
            if text in told.forgotten_texts:
                expected[text] = "tombstoned"
            elif when > RECEIPT and live:
                expected[text] = "quarantined"
            else:
                expected[text] = "active" if (when, text) == live[-1] else "superseded"
    with Stemma(told.store, clock=lambda: RECEIPT, embedder="none") as stemma:
        found = {one.text: str(one.status) for one in all_memories(stemma) if " charges " in one.text}
    assert len(found) == 21
    assert found == expected, f"{told}"


def test_a_year_later_the_same_history_changes_nothing(told: Told, crew: Crew) -> None:
    """R-1: nothing that guards a duplicate has expired, and what was ahead of its receipt then stays marked so.

    Breaks when the mark of a future stamp is taken again from the clock, or a guard has a time to live.
    """
    import_acts(told.store, told.acts)
    steps: list[Step] = [("send", batch) for batch in batches(list(told.history.episodes), Random(1))]
    [report] = crew.do(told.store, RECEIPT + YEAR, [[*steps, ("compile",)]])
    assert set(report.outcomes) == {"duplicate"}
    assert report.compiles == [(dict.fromkeys(report.compiles[0][0], 0), told.state_hash)]
