"""What becomes of statements under a claim key: the small histories of the design, with their values."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime

from stemma.core.corrections import resolve_wrong_last
from stemma.core.events import Beat
from stemma.core.history import decision_of
from stemma.records import Act, Polarity, Policy
from tests.unit.core.stories import Story, claim, day, document, sentence


def test_a_then_b_then_a_again_is_a_with_two_spells() -> None:
    """R-34a, R-36 (D-15): one row with two spells, and both decisions."""
    story = Story().say(1, "lisbon").say(5, "porto").say(9, "lisbon")
    rows = story.rows()
    assert story.ends() == {"lisbon": "active", "porto": "superseded: latest"}
    assert rows["lisbon"].spells == ((None, day(5)), (day(9), None))
    assert rows["lisbon"].times_said == 2
    assert (rows["porto"].superseded_by, rows["porto"].superseded_from) == (rows["lisbon"].id, day(9))
    assert rows["lisbon"].superseded_by is None
    assert [(one.rule, one.winner_id, one.loser_id) for one in story.decisions()] == [
        ("latest", rows["porto"].id, rows["lisbon"].id),
        ("latest", rows["lisbon"].id, rows["porto"].id),
    ]
    assert [one.winner_episodes + one.loser_episodes for one in story.decisions()] == [("k01", "k00"), ("k02", "k01")]


def test_every_arrival_order_of_a_b_a_is_one_state() -> None:
    """R-2: a log is a set, so the order of its records shows nowhere."""
    told = [(1, "lisbon"), (5, "porto"), (9, "lisbon"), (3, "rome")]
    seen = []
    for order in itertools.permutations(told):
        story = Story()
        for at, value in order:
            story.say(at, value, key=f"k{at}")
        seen.append(story.states())
    assert all(each == seen[0] for each in seen)


def test_a_late_backfill_never_wins() -> None:
    """R-35a: what is dated earlier does not win, whenever it arrives."""
    story = Story().say(9, "porto").say(1, "lisbon")
    assert story.ends() == {"porto": "active", "lisbon": "superseded: latest"}
    assert story.rows()["lisbon"].superseded_from == day(9)


def test_an_end_brings_nothing_back() -> None:
    """R-34a (D-18): Lisbon, Porto, "not Porto any more": nothing stands."""
    story = Story().say(1, "lisbon").say(5, "porto").say(7, claim("porto", act=Act.END))
    assert story.ends() == {"lisbon": "superseded: latest", "porto": "superseded: ended"}
    assert (story.rows()["porto"].superseded_by, story.rows()["porto"].superseded_from) == (None, day(7))
    assert story.rows()["porto"].times_said == 1


def test_an_end_of_what_does_not_stand_does_nothing() -> None:
    """R-34a: "not Lisbon any more" while Porto stands changes neither."""
    story = Story().say(1, "lisbon").say(5, "porto").say(7, claim("lisbon", act=Act.END))
    assert story.ends() == {"lisbon": "superseded: latest", "porto": "active"}
    assert len(story.decisions()) == 1


def test_a_past_state_alone_makes_no_memory() -> None:
    """R-31: "I used to live in Lisbon" is an end, never a restatement."""
    assert Story().say(1, claim("lisbon", act=Act.END)).rows() == {}


def test_what_was_called_wrong_gives_way_to_what_it_displaced() -> None:
    """R-34a (D-18): Lisbon, Porto, "Porto was wrong": Lisbon, without a break."""
    story = Story().say(1, "lisbon").say(5, "porto").say(7, claim("porto", act=Act.WRONG))
    assert story.ends() == {"lisbon": "active", "porto": "tombstoned: retracted"}
    assert story.rows()["lisbon"].spells == ((None, None),)
    assert story.rows()["porto"].times_said == 0
    (decision,) = story.decisions()
    assert (decision.rule, decision.winner_id, decision.winner_episodes) == ("retracted", None, ("k02",))
    assert decision.loser_episodes == ("k01",)


def test_what_was_called_wrong_can_be_said_anew() -> None:
    """R-34a: a correction takes back what was said before it, not what is said after."""
    story = Story().say(1, "porto").say(2, claim("porto", act=Act.WRONG)).say(3, "porto")
    assert story.ends() == {"porto": "active"}
    assert story.rows()["porto"].times_said == 1


def test_a_plan_for_a_day_to_come_is_taken_back_by_a_correction_before_it() -> None:
    """R-34a, R-35a: a correction goes by the order of saying, not by the day the statement counts at."""
    story = Story().say(1, "lisbon").say(2, claim("porto", valid_from=f"abs:{day(30).isoformat()}"))
    assert story.rows()["lisbon"].superseded_from == day(30)
    story.say(5, claim("porto", act=Act.WRONG))
    assert story.ends() == {"lisbon": "active", "porto": "tombstoned: retracted"}


def test_that_was_wrong_names_the_last_own_statement_of_its_conversation() -> None:
    """R-34a (D-19): a late message in between moves the target, and that is right."""
    wrong = claim("", act=Act.WRONG_LAST, claim_key=None)
    story = Story().say(1, "lisbon").say(5, "porto").say(7, wrong)
    assert story.ends() == {"lisbon": "active", "porto": "tombstoned: retracted"}
    story.say(6, "rome")
    assert story.ends() == {
        "lisbon": "superseded: latest",
        "porto": "active",
        "rome": "tombstoned: retracted",
    }


def test_that_was_wrong_twice_takes_back_the_last_two() -> None:
    """R-34a (D-19): a stack over the conversation; another session's statements are not in it."""
    wrong = claim("", act=Act.WRONG_LAST, claim_key=None)
    story = Story().say(1, "lisbon").say(3, "porto").say(5, "rome", session="other").say(7, wrong).say(8, wrong)
    assert story.ends() == {
        "lisbon": "tombstoned: retracted",
        "porto": "tombstoned: retracted",
        "rome": "active",
    }


def test_a_denial_ends_its_value_and_stands_as_a_row_of_its_own() -> None:
    """R-34a (D-18): it says nothing of other values, and falls when the value is affirmed again."""
    no = claim("porto", polarity=Polarity.NEGATED)
    story = Story().say(1, "porto").say(3, no)
    assert story.ends() == {"porto": "superseded: denied", "not porto": "active"}
    assert story.rows()["porto"].superseded_by == story.rows()["not porto"].id
    assert story.say(5, "lisbon").ends()["not porto"] == "active"
    assert story.say(7, "porto").ends() == {
        "porto": "active",
        "not porto": "superseded: affirmed",
        "lisbon": "superseded: latest",
    }


def test_a_trusted_value_is_not_displaced_from_below_and_the_conflict_is_open() -> None:
    """R-36, R-39: Handbook (90) says 30 days, chat (10) repeats it and later says 0 days."""
    story = Story().say(1, "30 days", source="src90").say(2, "30 days", source="src10").say(3, "0 days", source="src10")
    assert story.ends() == {"30 days": "active", "0 days": "quarantined: lower_authority"}
    (conflict,) = story.conflicts()
    assert (conflict.reason, conflict.closed_at, conflict.opened_at) == ("lower_authority", None, day(3))
    assert conflict.memory_ids == (story.rows()["30 days"].id, story.rows()["0 days"].id)
    assert story.rows()["30 days"].authority == 90
    assert story.rows()["30 days"].times_said == 2


def test_an_untrusted_echo_opens_a_trusted_value_to_nobody() -> None:
    """R-36 (D-14): the rank of a spell is its best witness's, not its worst's."""
    story = Story().say(1, "lisbon", source="src90").say(2, "lisbon", source="src10").say(3, "evil", source="src20")
    assert story.ends() == {"lisbon": "active", "evil": "quarantined: lower_authority"}


def test_a_trusted_takeover_settles_what_was_held() -> None:
    """R-36: what was held is older and weaker than the new value, so it is superseded and its conflict closed."""
    story = Story().say(1, "a", source="src90").say(2, "b", source="src10").say(3, "c", source="src90")
    assert story.ends() == {"a": "superseded: latest", "b": "superseded: latest", "c": "active"}
    assert [(one.closed_at, one.resolution) for one in story.conflicts()] == [(day(3), None)]


def test_under_authority_a_lower_one_loses_at_once() -> None:
    """R-36: rule `authority`, and no conflict."""
    story = Story(Policy.AUTHORITY).say(1, "a", source="src90").say(2, "b", source="src10")
    assert story.ends() == {"a": "active", "b": "superseded: authority"}
    assert story.conflicts() == []
    assert story.rows()["b"].superseded_by == story.rows()["a"].id


def test_corroborated_needs_a_second_independent_origin() -> None:
    """R-36: one origin is held, two copies of one document are held, a second independent origin changes it."""
    story = Story(Policy.CORROBORATED).say(1, "a").say(2, "b", source="src51")
    assert story.ends() == {"a": "active", "b": "quarantined: uncorroborated"}
    assert [one.reason for one in story.conflicts()] == ["uncorroborated"]
    copies = Story(Policy.CORROBORATED).say(1, "a")
    copies.documents |= {("c", name): document(name) for name in ("one", "two")}
    copies.say(2, "b", document="one").say(3, "b", document="two")
    assert copies.ends() == {"a": "active", "b": "quarantined: uncorroborated"}
    assert copies.rows()["b"].independent_origins == 1
    story.say(3, "b", source="src52")
    assert story.ends() == {"a": "superseded: corroborated", "b": "active"}
    decision = next(one for one in story.decisions() if one.rule == "corroborated")
    assert (decision.score, decision.threshold, set(decision.winner_episodes)) == (2.0, 2.0, {"k01", "k02"})
    assert [one.closed_at for one in story.conflicts()] == [day(3)]


def test_a_bad_extractor_that_repeats_itself_does_not_win() -> None:
    """R-36 (D-15): A, B, A, B, with B from one origin each time: what stands, said again, clears its challengers."""
    story = Story(Policy.CORROBORATED)
    for at, value in enumerate("ABAB"):
        story.say(at, value, source="src50" if value == "A" else f"src5{at}")
    assert story.ends() == {"A": "active", "B": "quarantined: uncorroborated"}


def test_flag_lets_both_stand_and_opens_a_star_of_conflicts() -> None:
    """R-36: k standing values open k - 1 conflicts, each with the first."""
    story = Story(Policy.FLAG).say(1, "a").say(2, "b").say(3, "c")
    ids = {name: row.id for name, row in story.rows().items()}
    assert story.ends() == {"a": "active", "b": "active", "c": "active"}
    assert [one.memory_ids for one in story.conflicts()] == [(ids["a"], ids["b"]), (ids["a"], ids["c"])]
    story.say(4, claim("a", act=Act.END))
    assert [one.closed_at for one in story.conflicts()] == [day(4), day(4), None]
    assert story.conflicts()[2].memory_ids == (ids["b"], ids["c"])


def test_keep_all_keeps_all() -> None:
    """R-36: several values stand, and no conflict opens; an end still closes what it names."""
    story = Story(Policy.KEEP_ALL).say(1, "a").say(2, "b").say(3, claim("a", act=Act.END))
    assert story.ends() == {"a": "superseded: ended", "b": "active"}
    assert story.conflicts() == []


def test_that_was_wrong_with_a_value_names_the_last_statement_of_that_value() -> None:
    """R-34a (D-18): Lisbon, Porto, Rome, "Porto was wrong": the last word stays, and what is named goes."""
    wrong = claim("porto", act=Act.WRONG_LAST, claim_key=None)
    story = Story().say(1, "lisbon").say(3, "porto").say(5, "rome").say(7, wrong)
    assert story.ends() == {
        "lisbon": "superseded: latest",
        "porto": "tombstoned: retracted",
        "rome": "active",
    }


def test_aiming_again_with_the_aimed_ones_beside_changes_nothing() -> None:
    """R-2 (D-19): a store keeps what was said and what it was aimed at, and gives both back."""
    wrong = claim("", act=Act.WRONG_LAST, claim_key=None)
    points = Story().say(1, "lisbon").say(3, "porto").say(7, wrong).points()
    aimed = [point for point in points if point.act is Act.WRONG_LAST and point.unit]
    assert list(resolve_wrong_last(points)) == aimed
    assert [point.value for point in aimed] == ["porto"]


def test_a_value_called_wrong_by_name_is_passed_over_by_that_was_wrong() -> None:
    """R-34a (D-19): it names the last statement not yet called wrong."""
    story = Story().say(1, "lisbon").say(3, "porto").say(5, claim("porto", act=Act.WRONG))
    story.say(7, claim("", act=Act.WRONG_LAST, claim_key=None))
    assert story.ends() == {"lisbon": "tombstoned: retracted", "porto": "tombstoned: retracted"}


def test_that_was_wrong_takes_back_an_end() -> None:
    """R-34a (D-19): "not in Lisbon any more", "that was wrong": Lisbon stands, and its sayings count."""
    story = Story().say(1, "lisbon").say(3, claim("lisbon", act=Act.END))
    assert story.ends() == {"lisbon": "superseded: ended"}
    story.say(5, claim("", act=Act.WRONG_LAST, claim_key=None))
    assert story.ends() == {"lisbon": "active"}
    assert story.rows()["lisbon"].spells == ((None, None),)


def test_a_correction_from_below_takes_nothing_back() -> None:
    """R-39: untrusted text cannot rewrite trusted memory; one of equal authority can."""
    story = Story().say(1, "lisbon", source="src90").say(3, claim("lisbon", act=Act.WRONG), source="src50")
    assert story.ends() == {"lisbon": "active"}
    story.say(5, claim("lisbon", act=Act.WRONG), source="src90")
    assert story.ends() == {"lisbon": "tombstoned: retracted"}


def test_an_end_from_below_closes_nothing() -> None:
    """R-39: an end needs the authority of what it closes."""
    story = Story().say(1, "lisbon", source="src90").say(3, claim("lisbon", act=Act.END), source="src50")
    assert story.ends() == {"lisbon": "active"}


def test_a_held_value_that_is_ended_is_held_no_more() -> None:
    """R-34a, R-36: its conflict ends with it."""
    story = (
        Story().say(1, "a", source="src90").say(2, "b", source="src10").say(3, claim("b", act=Act.END), source="src10")
    )
    assert story.ends() == {"a": "active", "b": "superseded: ended"}
    assert [one.closed_at for one in story.conflicts()] == [day(3)]


def test_what_was_held_does_not_rise_when_its_rival_ends() -> None:
    """R-34a (D-18): an end brings nothing back; said again, it stands."""
    story = (
        Story().say(1, "a", source="src90").say(2, "b", source="src10").say(3, claim("a", act=Act.END), source="src90")
    )
    assert story.ends() == {"a": "superseded: ended", "b": "quarantined: lower_authority"}
    assert [one.closed_at for one in story.conflicts()] == [day(3)]
    assert story.say(4, "b", source="src10").ends()["b"] == "active"


def test_a_conflict_that_opens_again_is_another_one() -> None:
    """R-37 (D-20): each has its own span, so that what was closed stays closed."""
    story = Story().say(1, "a", source="src90").say(2, "b", source="src10").say(3, "c", source="src90")
    story.say(4, "a", source="src90").say(5, "b", source="src10")
    spans = [(one.opened_at, one.closed_at) for one in story.conflicts()]
    assert spans == [(day(2), day(3)), (day(5), None)]
    assert len({one.id for one in story.conflicts()}) == 2


def test_a_challenger_from_below_counts_for_no_number() -> None:
    """R-36, R-39: under `corroborated` numbers alone cannot rewrite what is trusted; the better reason is shown."""
    story = Story(Policy.CORROBORATED).say(1, "a", source="src90")
    for at, source in ((2, "src10"), (3, "src11"), (4, "src12")):
        story.say(at, "b", source=source)
    assert story.ends() == {"a": "active", "b": "quarantined: lower_authority"}
    story.say(5, "b", source="src90")
    assert story.ends() == {"a": "active", "b": "quarantined: uncorroborated"}
    assert [one.reason for one in story.conflicts() if one.closed_at is None] == ["uncorroborated"]


def test_a_denial_from_below_is_held_against_what_it_denies() -> None:
    """R-36, R-39: and falls when a trusted source affirms another value over both."""
    no = claim("a", polarity=Polarity.NEGATED)
    story = Story().say(1, "a", source="src90").say(2, no, source="src10")
    assert story.ends() == {"a": "active", "not a": "quarantined: lower_authority"}
    assert story.say(3, "b", source="src90").ends() == {
        "a": "superseded: latest",
        "b": "active",
        "not a": "quarantined: lower_authority",
    }
    assert story.say(4, "a", source="src90").ends()["not a"] == "superseded: affirmed"


def test_a_stronger_value_held_for_want_of_witnesses_contests_what_comes_to_stand() -> None:
    """R-36: what it was held against has ended; the conflict with the next value is another one."""
    story = Story(Policy.CORROBORATED).say(1, "a").say(2, "b", source="src90").say(3, claim("a", act=Act.END))
    story.say(4, "c")
    rows = story.rows()
    assert story.ends() == {"a": "superseded: ended", "b": "quarantined: uncorroborated", "c": "active"}
    assert [one.memory_ids for one in story.conflicts() if one.closed_at is None] == [(rows["c"].id, rows["b"].id)]
    five, six, seven = (sentence("limit <n>", [("number", each)]) for each in "567")
    frames = Story(Policy.CORROBORATED).say(1, five).say(2, six, source="src90")
    frames.say(3, replace(five, act=Act.END)).say(4, seven)
    rows = frames.rows()
    assert frames.ends() == {"5": "superseded: ended", "6": "quarantined: uncorroborated", "7": "active"}
    assert [one.memory_ids for one in frames.conflicts() if one.closed_at is None] == [(rows["7"].id, rows["6"].id)]


def test_a_correction_that_names_days_takes_back_those_days_alone() -> None:
    """R-34a (D-18): one without a window names the value, whatever its window."""
    first, second = ({"valid_from": moment(at), "valid_to": moment(at + 5)} for at in (10, 20))
    story = Story().say(1, claim("berlin", **first), key="a").say(2, claim("berlin", **second), key="b")
    ends = [row.transitions[-1].status.value for each in story.states().values() for row in each.rows]
    assert ends == ["active", "active"]
    one = Story(sayings=list(story.sayings)).say(3, claim("berlin", act=Act.WRONG, **first))
    gone = {row.valid_from: row.transitions[-1].reason for each in one.states().values() for row in each.rows}
    assert gone == {day(10): "retracted", day(20): None}
    both = Story(sayings=list(story.sayings)).say(3, claim("berlin", act=Act.WRONG))
    gone = {row.valid_from: row.transitions[-1].reason for each in both.states().values() for row in each.rows}
    assert gone == {day(10): "retracted", day(20): "retracted"}


def moment(at: float) -> str:
    """Write a day of the story as a symbolic moment."""
    return f"abs:{day(at).isoformat()}"


def test_a_decision_is_named_by_what_was_decided() -> None:
    """D-28: rule, winner, loser, winning point, score and threshold are in its id; who lost when is not."""
    first, second = Story().say(1, "lisbon").say(2, "porto").points()
    beat = Beat("latest", "winner", "loser")
    base = decision_of(second, beat, None, first)
    assert decision_of(second, beat, None, second).id == base.id
    others = [
        decision_of(second, replace(beat, rule="authority"), None, first),
        decision_of(second, replace(beat, winner=None), None, first),
        decision_of(second, replace(beat, loser="other"), None, first),
        decision_of(second, replace(beat, score=0.5), None, first),
        decision_of(second, replace(beat, threshold=0.5), None, first),
        decision_of(first, beat, None, first),
    ]
    assert len({base.id, *(each.id for each in others)}) == 7


def test_a_held_value_has_the_rank_of_its_best_witness() -> None:
    """R-36 (D-14): said by 10 and by 50 against 90; when 90 ends, a value of 40 does not put it down."""
    story = Story().say(1, "a", source="src90").say(2, "b", source="src50").say(3, "b", source="src10")
    story.say(4, claim("a", act=Act.END), source="src90").say(5, "c", source="src40")
    assert story.ends() == {"a": "superseded: ended", "b": "quarantined: lower_authority", "c": "active"}
    assert story.say(6, "d", source="src50").ends()["b"] == "superseded: latest"


def test_two_sources_that_date_a_beginning_differently_tell_of_one_memory() -> None:
    """R-34 (D-6): an open statement's beginning belongs to its points; the row shows the earliest."""
    story = Story()
    for at, month in ((1, "2024-02"), (2, "2024-01")):
        story.say(at, claim("lisbon", valid_from=f"month:{month}", holds_when_said=False))
    (row,) = story.rows().values()
    assert (row.times_said, row.valid_from) == (2, datetime(2024, 1, 1, tzinfo=UTC))
    assert row.spells == ((datetime(2024, 1, 1, tzinfo=UTC), None),)


def test_values_kept_beside_one_another_each_hold_from_ever() -> None:
    """D §6: where nothing is displaced, each first spell reaches back, under a key and in a frame."""
    story = Story(Policy.KEEP_ALL).say(1, "a").say(2, "b")
    story.say(3, sentence("limit <n>", [("number", "5")])).say(4, sentence("limit <n>", [("number", "6")]))
    assert {row.spells for row in story.rows().values()} == {((None, None),)}


def test_the_policy_of_a_key_goes_before_the_kind_a_statement_claims() -> None:
    """SPEC appendix: a registered key is ruled by its own kind; a slot by the first kind of those that speak."""
    flagged = [claim(value, kind="health") for value in ("a", "b")]
    assert Story().say(1, flagged[0]).say(2, flagged[1]).ends() == {"a": "superseded: latest", "b": "active"}
    slots = [claim(value, kind=kind, claim_key="slot:db") for value, kind in (("a", "health"), ("b", "fact"))]
    assert Story().say(1, slots[0]).say(2, slots[1]).ends() == {"a": "superseded: latest", "b": "active"}
    assert Story().say(1, claim("a", claim_key="tool")).say(2, claim("b", claim_key="tool")).ends() == {
        "a": "active",
        "b": "active",
    }
