"""Every figure of a golden run by hand (the study's section 6.2)."""

from __future__ import annotations

from math import log

import pytest

from stemma.core.golden import figures, spread
from stemma.core.golden.probe import Evidence, ProbeClass
from tests.golden_probes import came, item, probe

NEGATIVE, POISON = ProbeClass.NEGATIVE, ProbeClass.POISON


def test_recall_ranks_and_what_must_survive() -> None:
    """Ranks 1, 2, 4 and a loss: 3 of 4 came, 2 within 2, (1 + 1/2 + 1/4) / 4."""
    run = [
        came(probe("p", anchors="a"), "a"),
        came(probe("q", anchors="b"), "xb"),
        came(probe("r", anchors="cd"), "xyzd"),
    ]
    found = figures.measure(run)
    assert found["anchor_recall"] == 0.75
    assert found["must_survive_lost"] == 1
    assert found["anchors_within_rank"] == 0.5
    assert found["mean_reciprocal_rank"] == pytest.approx(0.4375)
    assert (found["rank_p50"], found["rank_p95"]) == (2, 4)
    assert found["probes_passed"] == pytest.approx(2 / 3, abs=1e-4)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([], 0.5, None), ([3], 0.95, 3), ([1, 2, 3, 4], 0.5, 2), (list(range(1, 21)), 0.95, 19), ([5, 1], 1.0, 5)],
)
def test_a_percentile_is_a_value_that_occurs(values: list[float], share: float, expected: float | None) -> None:
    """Nearest rank."""
    assert figures.percentile(values, share) == expected


def test_what_is_injected_off_topic_and_by_force() -> None:
    """Core is left out of what is off topic; another rule than relevance and core counts as forced."""
    run = [
        came(probe("p", anchors="a"), [item("c", rule="core"), "a", "x"]),
        came(probe("q", anchors="b"), ["b", item("y", rule="always")]),
        came(probe("n", type=NEGATIVE, items_max=0), [item("c", rule="core")]),
        came(probe("m", type=NEGATIVE, items_max=0), "x"),
    ]
    found = figures.measure(run)
    assert found["off_topic_items"] == pytest.approx(3 / 5)
    assert found["off_topic_prompts"] == 0.5
    assert found["forced_core_per_prompt"] == 0.5
    assert found["forced_other_per_prompt"] == 0.25
    assert found["tokens_per_relevant_item"] == 200


def test_silence_is_measured_both_ways() -> None:
    """Of two that are to abstain one does; of two that can be answered one abstains; coverage parts 3 of 4 pairs."""
    silent = {"type": ProbeClass.ABSTAIN, "verdict": "abstain"}
    run = [
        came(probe("p", **silent), "", verdict="abstain", coverage=0.0),
        came(probe("q", **silent), "x", verdict="partial", coverage=0.5),
        came(probe("r", anchors="a"), "a", coverage=0.9),
        came(probe("s", anchors="b"), "", verdict="abstain", coverage=0.2),
    ]
    found = figures.measure(run)
    assert (found["abstention_recall"], found["false_abstention"], found["abstention_auc"]) == (0.5, 0.5, 0.75)


def test_what_comes_again_without_being_asked_for() -> None:
    """Of three items two came before; one of those is what is asked for now."""
    asked = probe("p", anchors="a", earlier=("about it?",))
    found = figures.measure([came(asked, "abc", earlier=["m-a", "m-b"])])
    assert found["repetition"] == pytest.approx(1 / 3, abs=1e-4)


def test_figures_of_what_nobody_asked_are_none() -> None:
    """A set without negative, abstaining or conflicting probes says nothing of them."""
    found = figures.measure([came(probe("p", anchors="a"), "a")])
    names = (
        "off_topic_prompts",
        "abstention_recall",
        "conflict_exposure",
        "repetition",
        "echo_index",
        "effective_kinds",
    )
    assert {found[name] for name in names} == {None}
    assert figures.meets("repetition", None) is None


@pytest.mark.parametrize(
    ("name", "value", "is_met"),
    [
        ("anchor_recall", 0.95, True),
        ("anchor_recall", 0.94, False),
        ("off_topic_items", 0.08, True),
        ("off_topic_items", 0.09, False),
        ("hubs", 1, False),
        ("mean_reciprocal_rank", 0.1, None),
    ],
)
def test_a_target_is_the_worst_that_is_good(name: str, value: float, is_met: bool | None) -> None:
    """Higher or lower, as the figure goes."""
    assert figures.meets(name, value) is is_met


def test_a_bundle_of_another_kind_than_the_probe_is_about_is_a_monoculture() -> None:
    """More than half of at least two items, of one kind that nothing relevant has."""
    about = probe("p", anchors="a")
    junk = [item(each, kind="milestone") for each in "xyz"]
    assert spread.is_monoculture(came(about, ["a", *junk]))
    assert not spread.is_monoculture(came(about, ["a", "b", junk[0], junk[1]]))
    assert not spread.is_monoculture(came(about, [item("a", kind="milestone"), *junk]))
    assert not spread.is_monoculture(came(about, junk[:1]))


def test_effective_kinds_are_the_exponential_of_the_entropy() -> None:
    """Two kinds half and half are two; three to one are fewer; bundles under four items say nothing."""
    assert spread.effective_kinds("aabb") == pytest.approx(2)
    assert spread.effective_kinds("aaab") == pytest.approx(4 / 27**0.25)
    assert log(spread.effective_kinds("aaaa")) == pytest.approx(0)
    few = came(probe("p"), [item("a", kind="x"), item("b", kind="y"), item("c", kind="z")])
    four = came(probe("q"), [item(str(place), kind=kind) for place, kind in enumerate("xxyy")])
    assert spread.mean_effective_kinds([few, four]) == pytest.approx(2)


def test_the_echo_is_the_overlap_of_what_has_nothing_in_common() -> None:
    """p and q share 1 of 3; r is about what p is about; the empty one and the other subject are no pair."""
    run = [
        came(probe("p", anchors="a"), "ax"),
        came(probe("q", anchors="b"), "bx"),
        came(probe("e"), ""),
        came(probe("s", subject_id="ben"), "x"),
    ]
    assert spread.echo_index(run) == pytest.approx(1 / 3)
    related = came(probe("r", relevant="a"), "ax")
    assert spread.echo_index([run[0], related]) is None


def test_a_hub_comes_for_much_that_has_nothing_in_common() -> None:
    """Three of four distinct topics; probes of one topic count once; core never counts."""
    lines = [["x", item("c", rule="core")], ["x", item("c", rule="core")], ["x", item("c", rule="core")], ["y"]]
    run = [came(probe(name, relevant=name), each) for name, each in zip("pqrs", lines, strict=True)]
    assert spread.hubs(run) == {"m-x": 3}
    same = [came(probe(name, relevant="t"), "x") for name in "pqr"]
    assert spread.hubs(same) == {}


def test_true_and_relevant_are_two_axes() -> None:
    """What holds and bears on nothing is a cell of its own; what may not come, or no longer holds, is wrong."""
    asked = probe("p", anchors="a", relevant="bc", never="b")
    run = [came(asked, ["a", "b", item("c", stands=False), "x", item("y", stands=False)])]
    assert figures.cells(run) == {
        "accurate_relevant": 1,
        "accurate_irrelevant": 1,
        "wrong_relevant": 2,
        "wrong_irrelevant": 1,
    }


def test_conflicts_and_forbidden_are_counted() -> None:
    """Half of the conflicts are exposed; one key came that may not, one came first."""
    sides = {"type": ProbeClass.CONFLICT, "conflict": (Evidence("a"), Evidence("b"))}
    run = [
        came(probe("p", **sides), "ab"),
        came(probe("q", **sides), "a"),
        came(probe("r", anchors="c", forbid="d", never="e"), "dce"),
    ]
    found = figures.measure(run)
    assert (found["conflict_exposure"], found["forbidden_shown"], found["forbidden_first"]) == (0.5, 1, 1)
    assert figures.faults(run) == {"forbidden_first": 1, "forbidden_shown": 1, "conflict_hidden": 1}
