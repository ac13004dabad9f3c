"""Five hundred requests drawn at random: every trace adds up, no text is over its ceiling (R-42, R-45, F29)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from stemma import Stemma
from stemma.app.models_recall import BundleResult
from stemma.errors import InvalidInput
from stemma.models.tokens import counter
from tests.contract.test_traces import conserved, stage_of

# Kept for the long runs: the whole suite has to end within a quarter of an hour on two cores.

A_SERVER = 250
WORDS = "lamp keeper harbour pump vault tower tide rope signal bell paint ladder".split()
KINDS = ("fact", "preference", "event", "profile", "health")
SEED = 4_242


@pytest.fixture
def town(memory: Stemma) -> Stemma:
    """Sixty statements of five kinds, a third of them replaced, some of the future, and eight documents."""
    draw = random.Random(SEED)
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
    return memory


def drawn(draw: random.Random) -> tuple[str, dict[str, Any]]:
    """Draw one request: a recall, or a bundle of memories, of documents, or of both."""
    query = " ".join(draw.choices([*WORDS, "zebra", "?", "nine"], k=draw.randint(1, 6)))
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


def test_every_trace_of_five_hundred_requests_adds_up(town: Stemma) -> None:
    """R-42, R-45: budgets of -1, 0 to 400 and 2^31 among them."""
    draw, count = random.Random(SEED + (town.runtime.store.server is None)), counter()
    reasons: set[str] = set()
    for _ in range(A_SERVER):
        name, asked = drawn(draw)
        if asked.get("budget_tokens") == -1:
            with pytest.raises(InvalidInput):
                town.bundle(**asked)
            continue
        answer: Any = town.recall(**asked) if name == "recall" else town.bundle(**asked)
        trace = town.get_trace(answer.trace_id)
        conserved(trace)
        reasons |= {reason for stage in trace.stages for reason in stage.dropped_by_reason}
        if isinstance(answer, BundleResult):
            within(answer, asked["budget_tokens"], count(answer.text) if answer.text else 0)
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
    assert town.runtime.traces.violations == 0
    wanted = {"superseded", "kind_filter", "not_in_force", "k_reached", "budget_exhausted", "item_too_large"}
    assert reasons >= wanted


def within(answer: BundleResult, budget: int, tokens: int) -> None:
    """Hold a text to its ceiling, as delivered."""
    assert answer.tokens == tokens <= budget
    assert answer.text or budget < 100
