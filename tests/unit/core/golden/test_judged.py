"""One probe against one bundle: ranks, labels and every fault of the closed list (R-47)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from stemma.core.golden.judged import Answer, Fault, Judged, judge
from stemma.core.golden.probe import Anchor, Delivered, Evidence, Probe, ProbeClass, Saying
from tests.golden_probes import came, item, probe


@pytest.mark.parametrize(
    ("judged", "faults"),
    [
        (came(probe("p", anchors="a"), "ab"), []),
        (came(probe("p", anchors="a"), "ba"), []),
        (came(probe("p", anchors="a"), "bca"), [Fault.ANCHOR_LOW]),
        (came(probe("p", anchors="a"), "b"), [Fault.ANCHOR_LOST]),
        (came(probe("p", anchors="a", forbid="b"), "ab"), []),
        (came(probe("p", anchors="a", forbid="b"), "ba"), [Fault.FORBIDDEN_FIRST]),
        (came(probe("p", anchors="a", forbid="b"), "b"), [Fault.ANCHOR_LOST, Fault.FORBIDDEN_FIRST]),
        (came(probe("p", anchors="a", never="b"), "ab"), [Fault.FORBIDDEN_SHOWN]),
        (came(probe("p", anchors="a", never="b"), ["a", item("b", section="conflicts")]), [Fault.FORBIDDEN_SHOWN]),
        (came(probe("p", items_max=1), "ab"), [Fault.TOO_MANY_ITEMS]),
        (came(probe("p", items_max=0), [item("a", rule="core")]), []),
        (came(probe("p", items_max=0, type=ProbeClass.CORE), [item("a", rule="core")]), [Fault.TOO_MANY_ITEMS]),
        (came(probe("p", items_max=3, type=ProbeClass.CORE), "a"), [Fault.TOO_MANY_ITEMS]),
        (came(probe("p", items_max=3, type=ProbeClass.CORE, relevant="a"), "a"), []),
        (came(probe("p", verdict="abstain"), "a"), [Fault.WRONG_VERDICT]),
        (came(probe("p", verdict="abstain"), "", verdict="abstain"), []),
        (came(probe("p", items_max=9), [item("a", rule="always")]), [Fault.FORCED_OTHER]),
        (came(probe("p", items_max=9), [item("a", is_foreign=True)]), [Fault.FOREIGN_SCOPE]),
    ],
)
def test_a_fault_is_named_and_only_where_it_is(judged: Judged, faults: Sequence[Fault]) -> None:
    """Each expectation alone; core is counted only where the probe is about it; notes can show what is forbidden."""
    assert list(judged.faults) == faults
    assert judged.passed is (not faults)


def test_core_items_take_no_rank_and_an_anchor_on_the_list_is_the_first() -> None:
    """The reviewed list comes whatever is asked, so it moves nothing down."""
    asked = probe("p", anchors="a")
    assert came(asked, [item("c", rule="core"), "b", "a"]).places[0].rank == 2
    assert came(asked, ["b", "d", item("a", rule="core")]).places[0].rank == 1


def test_one_of_several_sayings_is_enough() -> None:
    """`any_of`: a statement that was said twice."""
    asked = Probe(
        id="p",
        type=ProbeClass.ANCHOR,
        subject_id="ana",
        query="?",
        anchors=(Anchor((Evidence("a"), Evidence("b")), max_rank=1),),
    )
    assert came(asked, "b").passed
    assert not came(asked, "c").passed


@pytest.mark.parametrize(
    ("sides", "is_hidden"),
    [
        (["a", "b"], False),
        (["a"], True),
        (["a", item("b", has_date=False)], True),
        ([Delivered("c", "conflicts", "a / b", (Saying("a"), Saying("b")))], False),
    ],
)
def test_a_conflict_is_exposed_by_both_sides_with_dates(sides: list[Delivered | str], is_hidden: bool) -> None:
    """As two items, or as one line that names both."""
    asked = probe("p", type=ProbeClass.CONFLICT, conflict=(Evidence("a"), Evidence("b")))
    assert (Fault.CONFLICT_HIDDEN in came(asked, sides).faults) is is_hidden


@pytest.mark.parametrize(
    ("evidence", "is_under"),
    [
        (Evidence("chat"), True),
        (Evidence("other"), False),
        (Evidence("chat", words=("PEANUTS",)), True),
        (Evidence("chat", words=("peanuts", "oat milk")), False),
        (Evidence("chat", span=(20, 30), message=2), True),
        (Evidence("chat", span=(20, 30), message=1), False),
        (Evidence("chat", span=(39, 45), message=2), True),
        (Evidence("chat", span=(40, 45), message=2), False),
    ],
)
def test_evidence_may_be_one_place_of_an_episode(evidence: Evidence, is_under: bool) -> None:
    """Of a long chat with many memories only one is meant: by place, which overlaps it, or by its words, folded."""
    memory = Delivered("m", "memories", "I am allergic to peanuts", (Saying("chat", 10, 40, 2),))
    assert evidence.is_under(memory) is is_under


def test_labels_are_complete_unless_the_irrelevant_are_named() -> None:
    """What nobody has judged is neither: it counts as unjudged."""
    complete = came(probe("p", anchors="a", relevant="b"), "abc")
    assert [len(each) for each in (complete.relevant, complete.off_topic, complete.unjudged)] == [2, 1, 0]
    partly = came(probe("p", anchors="a", relevant="b", irrelevant=(Evidence("c"),)), "abcd")
    assert [len(each) for each in (partly.relevant, partly.off_topic, partly.unjudged)] == [2, 1, 1]


def test_a_loss_carries_its_stage_and_reason() -> None:
    """Only where the anchor did not come."""
    asked = probe("p", anchors="ab")
    reasons = (("a", "admission", "below_gate"), ("b", "scope", "superseded"))
    found = judge(asked, Answer("grounded", 1.0, 10, (item("b"),), reasons=reasons))
    assert [(place.rank, place.stage, place.reason) for place in found.places] == [
        (None, "admission", "below_gate"),
        (1, None, None),
    ]
