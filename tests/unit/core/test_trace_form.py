"""The stored form of a trace: all comes back as it was, also from the form that wrote each candidate by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stemma.core.budget import Cost, Costs
from stemma.core.score import Score, ScoreKind
from stemma.core.trace import STAGES, Fate, Miss, Reason, StageRecord, recorded
from stemma.core.trace_form import Packed, pack, unpack
from stemma.core.traced import (
    EPISODE,
    MEMORY,
    PASSAGE,
    Note,
    Trace,
    TracedItem,
    TracedItems,
    TracedRequest,
    TracedResult,
    passages_of,
    violations,
)
from stemma.record_json import encode
from stemma.store.traces import _raw, named

AT = datetime(2026, 5, 1, tzinfo=UTC)
ASKED = TracedRequest(operation="bundle", query_sha256="0" * 64, query_chars=5, now=AT, subject_id="ana")
# A memory by relevance, a turn of an episode, and a memory that a list forced; then a passage of a document.
FOUND = TracedItems(
    ("a", "b", "c"),
    (MEMORY, EPISODE, MEMORY),
    {1: "episode"},
    frozenset({2}),
    {"fused": (1234, None, 0), "turn": (None, 25_000, None), "similarity": (10_000, 9_999, None)},
)
CITED = passages_of([("p", "document")], {ScoreKind.FUSED: [Score(ScoreKind.FUSED, 0.33336)]})
FATES = (
    Fate("c", Reason.K_REACHED, detail=Miss("rank", 11, 10)),
    Fate("b", Reason.K_REACHED, detail=Miss("rank", 12, 10)),
    Fate("p", Reason.BELOW_GATE, detail=Miss("similarity", 0.1234567890123, 0.4)),
)


def _trace() -> Trace:
    everything = ("a", "b", "c", "p")
    stages = [recorded(name, 4, everything) for name in STAGES]
    stages[0], stages[1] = StageRecord("request", 5, 5), StageRecord("scope", 5, 4, (), (), {"superseded": 1}, 1.5)
    stages[4] = recorded("collapse", 4, ("a", "c", "p"), [Fate("b", Reason.SAME_TEXT, into="a")])
    stages[5:] = [replace(each, entered=3, left=3, items=("p", "c", "a")) for each in stages[5:]]
    return Trace(
        id="1",
        at=AT,
        request=ASKED,
        stages=tuple(stages),
        items=FOUND.followed_by(CITED),
        index_state={"complete": True, "outstanding": 0, "embedder": None},
        notes=(Note("x", "conflicts"), Note("y", "disagreements", FATES[0])),
        costs=Costs(9, 8, (Cost("a", "memories", 7, 3),)),
        result=TracedResult(20, "partial", 0.5),
    )


def test_a_trace_comes_back_from_its_stored_form_as_it_was() -> None:
    """R-42: runs of fates and columns of scores lose nothing: reasons, merges, misses, owners, who was forced."""
    trace = _trace()
    dropped = recorded("admission", 3, (), FATES)
    for told in (trace, replace(trace, stages=(*trace.stages[:7], dropped, *trace.stages[8:]))):
        assert unpack(pack(told)) == told
    assert violations(trace) == []


def test_candidates_kept_by_column_read_as_items() -> None:
    """R-42: each with the scores that it has, in the order of the kinds, to four decimals."""
    items = FOUND.followed_by(CITED)
    assert [*items] == [
        TracedItem("a", MEMORY, (("fused", 0.1234), ("similarity", 1.0))),
        TracedItem("b", EPISODE, (("turn", 2.5), ("similarity", 0.9999)), "episode"),
        TracedItem("c", MEMORY, (("fused", 0.0),), forced=True),
        TracedItem("p", PASSAGE, (("fused", 0.3334),), "document"),
    ]
    assert (items[-1], items[1:3]) == (items[3], [items[1], items[2]])
    assert FOUND.followed_by(TracedItems()) == TracedItems().followed_by(FOUND) == FOUND
    with pytest.raises(IndexError):
        items[4]


def test_a_trace_of_the_first_form_is_still_read() -> None:
    """R-42: traces are kept for a while, so an update does not lose those that were written before it."""
    trace = _trace()
    stages = [
        [each.name, each.entered, each.left, [*map("abcp".index, each.items)], [], dict(each.counts), each.ms]
        for each in trace.stages
    ]
    stages[4][4] = [[1, "same_text", 0, None]]
    stages[7][2:5] = [0, [], [[2, "k_reached", None, ["rank", 11, 10]], [1, "below_gate", None, None]]]
    body = {
        "form": 1,
        "id": "1",
        "at": AT.isoformat(),
        "request": encode(ASKED),
        "stages": stages,
        "items": [
            [0, "memory", [["fused", 0.1234], ["similarity", 1.0]], None],
            [1, "episode", [["turn", 2.5], ["similarity", 0.9999]], 4],
            [2, "memory", [["fused", 0.0]], None, True],
            [3, "passage", [["fused", 0.3334]], 5],
        ],
        "index_state": {"complete": True},
        "notes": [],
        "costs": None,
        "result": [None, None, None],
    }
    found = unpack(Packed(("a", "b", "c", "p", "episode", "document"), json.dumps(body)))
    assert [*found.items] == [*trace.items]
    assert found.stages[4] == trace.stages[4]
    assert found.stages[7].fates == (FATES[0], Fate("b", Reason.BELOW_GATE))
    with pytest.raises(ValueError, match="a trace of form 3"):
        unpack(Packed((), json.dumps({"form": 3})))


@pytest.mark.parametrize(
    "names", [[], ["a" * 64, "0" * 64], ["a" * 64, "A" * 64], ["ab", "a" * 31, "x" * 64, "é" * 32]]
)
def test_names_come_back_whether_they_are_digests_or_not(names: list[str]) -> None:
    """R-42: what a trace names is found again by the same id, so that an erasure takes it (R-12)."""
    assert named(_raw(names)) == names
