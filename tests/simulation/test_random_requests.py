"""Requests drawn at random: every trace adds up, no text is over its ceiling (R-42, R-45, F29).

Five hundred in CI; 10,000 in `scripts/prove 5`, in parts, each of which prints what it asked.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from stemma import Stemma
from stemma.app.models_recall import BundleResult
from stemma.errors import InvalidInput
from stemma.models.embedding import DEFAULT_EMBEDDER, NO_EMBEDDER, open_embedder
from stemma.models.tokens import counter
from tests.contract.test_traces import conserved, stage_of
from tests.corpora import Ticking

_numbers = itertools.count(1)
A_SERVER, QUERIES = 250, 50
A_PART, PARTS = 500, 10
WORDS = "lamp keeper harbour pump vault tower tide rope signal bell paint ladder".split()
KINDS = ("fact", "preference", "event", "profile", "health")
SEED = 4_242
WANTED = {"superseded", "kind_filter", "not_in_force", "k_reached", "budget_exhausted", "item_too_large"}


class Cached:
    """The default embedder, which makes each vector once."""

    def __init__(self) -> None:
        """Open the model without loading it."""
        opened = open_embedder(DEFAULT_EMBEDDER)
        assert opened is not None
        self._embedder = opened
        self._stored: dict[str, list[float]] = {}
        self._asked: dict[str, list[float]] = {}

    @property
    def id(self) -> str:
        """Name the vector space."""
        return self._embedder.id

    @property
    def dimensions(self) -> int:
        """Give the length of every vector."""
        return self._embedder.dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed what is stored, in order."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._stored]
        self._stored |= zip(missing, self._embedder.passages(missing), strict=True)
        return [self._stored[text] for text in texts]

    def query(self, text: str) -> list[float]:
        """Embed what is searched for."""
        if text not in self._asked:
            self._asked[text] = self._embedder.query(text)
        return self._asked[text]


@cache
def cached() -> Cached:
    """The one that all tests of this process share."""
    return Cached()


@contextlib.contextmanager
def town(target: str | Path, clock: Ticking, *, embedder: str, seed: int) -> Iterator[Stemma]:
    """Sixty statements of five kinds, a third of them replaced, some of the future, and eight documents."""
    with Stemma(target, clock=clock, tenant=f"random {next(_numbers)}", embedder=embedder) as memory:
        if embedder != NO_EMBEDDER:
            memory.runtime.embedder = cached()
        settle(memory, random.Random(seed))
        while memory.make_vectors():
            pass
        yield memory


def settle(memory: Stemma, draw: random.Random) -> None:
    """Draw what the town holds, and compile it."""
    episodes = []
    for number in range(60):
        one, other, third = draw.sample(WORDS, 3)
        text = f"The {one} of the {other} has number {draw.randint(1, 9)} and a {third}."
        claim: dict[str, Any] = {"key": f"k{number % 40}", "value": text, "text": text, "kind": draw.choice(KINDS)}
        if draw.random() < 0.2:
            claim |= {
                "valid_from": "2026-02-01T00:00:00Z",
                "valid_to": draw.choice(["2026-02-10T00:00:00Z", "2027-01-01T00:00:00Z"]),
            }
        at = f"2026-01-{draw.randint(1, 28):02d}T{draw.randint(0, 23):02d}:00:00Z"
        episodes.append({"subject_id": "ana", "claims": [claim], "occurred_at": at})
    for key in range(40):
        memory.put_claim_key(f"k{key}", cardinality="single", policy=draw.choice(["latest", "flag", "keep_all"]))
    memory.add_episodes(episodes)
    memory.compile_memories("ana")
    for number in range(8):
        lines = [" ".join(draw.choices(WORDS, k=9)) + f" {draw.randint(1, 9)}." for _ in range(draw.randint(1, 12))]
        memory.put_document("ops", f"d{number}", text="\n\n".join(lines))


def queries(draw: random.Random, count: int) -> list[str]:
    """Draw what is asked about; one that was asked before costs no embedding."""
    return [" ".join(draw.choices([*WORDS, "zebra", "?", "nine"], k=draw.randint(1, 6))) for _ in range(count)]


def drawn(draw: random.Random, asked_about: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Draw one request: a recall, or a bundle of memories, of documents, or of both."""
    query = draw.choice(asked_about)
    clocks: dict[str, Any] = draw.choice([{}, {}, {}, {"now": "2026-01-15T00:00:00Z"}, {"now": "2026-02-05T00:00:00Z"}])
    if draw.random() < 0.4:
        asked: dict[str, Any] = {"subject_id": "ana", "query": query, "k": draw.choice([1, 2, 5, 10, 500]), **clocks}
        if draw.random() < 0.3:
            asked["kinds"] = draw.sample(KINDS, draw.randint(1, 3))
        if draw.random() < 0.3:
            asked["include"] = draw.choice([["episodes"], ["memories", "episodes"]])
        return "recall", asked
    budget = draw.choice([-1, 2**31, 2_000, *(draw.randint(0, 400) for _ in range(8))])
    scope = draw.choice([{"subject_id": "ana"}, {"corpora": ["ops"]}, {"subject_id": "ana", "corpora": ["ops"]}])
    return "bundle", {"query": query, "budget_tokens": budget, **scope, **clocks}


def ask(memory: Stemma, count: int, seed: int) -> Counter[str]:
    """Ask so many times, hold each answer and its trace to the rules, and count why something was dropped."""
    draw, count_tokens = random.Random(seed), counter()
    asked_about = queries(draw, QUERIES)
    reasons: Counter[str] = Counter()
    for _ in range(count):
        name, asked = drawn(draw, asked_about)
        if asked.get("budget_tokens") == -1:
            with pytest.raises(InvalidInput):
                memory.bundle(**asked)
            reasons["refused"] += 1
            continue
        answer: Any = memory.recall(**asked) if name == "recall" else memory.bundle(**asked)
        trace = memory.get_trace(answer.trace_id)
        conserved(trace)
        for stage in trace.stages:
            reasons.update(stage.dropped_by_reason)
        if isinstance(answer, BundleResult):
            within(answer, asked["budget_tokens"], count_tokens(answer.text) if answer.text else 0)
            if asked["budget_tokens"] == 2**31:
                assert stage_of(trace, "budget").dropped_count == 0
            delivered = [
                item.id
                for part in answer.sections[:]
                if part.name in ("memories", "documents", "episodes")
                for item in part.items
            ]
            assert sorted(trace.stages[-1].items) == sorted(delivered)
        else:
            assert len(trace.stages[-1].items) == len(answer.items) <= asked["k"]
    assert memory.runtime.traces.violations == 0
    return reasons


def test_every_trace_of_five_hundred_requests_adds_up(target: str | Path, clock: Ticking) -> None:
    """R-42, R-45: budgets of -1, 0 to 400 and 2^31 among them; by words and by vectors."""
    with town(target, clock, embedder=DEFAULT_EMBEDDER, seed=SEED) as memory:
        reasons = ask(memory, A_SERVER, SEED + (memory.runtime.store.server is None))
    assert reasons.keys() >= WANTED


@pytest.mark.prove
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("part", range(PARTS + 1), ids=lambda part: f"part{part:02d}")
def test_every_trace_of_ten_thousand_requests_adds_up(target: str | Path, clock: Ticking, part: int) -> None:
    """The same at length, each part about another town; the last part, beyond the 10,000, by words alone."""
    seed = SEED + 10 * (part + 1)
    with town(target, clock, embedder=DEFAULT_EMBEDDER if part < PARTS else NO_EMBEDDER, seed=seed) as memory:
        reasons = ask(memory, A_PART, seed + (memory.runtime.store.server is None))
    print(json.dumps({"requests": A_PART, "dropped": dict(sorted(reasons.items()))}), flush=True)
    assert reasons.keys() >= WANTED


def within(answer: BundleResult, budget: int, tokens: int) -> None:
    """Hold a text to its ceiling, as delivered."""
    assert answer.tokens == tokens <= budget
    assert answer.text or budget < 100
