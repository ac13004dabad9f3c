"""Time in the derivation: instants, windows, overlays, marked stamps, and what is read at a moment."""

from __future__ import annotations

from dataclasses import replace

from stemma.core.status import in_force, overlaid, status_at
from stemma.records import Act, ActKind, Polarity, Policy, Status
from tests.unit.core.stories import Story, claim, day, sentence


def on(number: float) -> str:
    """Write a day of the story as a symbolic moment."""
    return f"abs:{day(number).isoformat()}"


def forces(story: Story, at: float) -> list[str]:
    """Name what is in force on a day, the narrowest first."""
    return [row.value for row in overlaid(story.rows().values(), day(at))]


def test_a_bounded_stay_overlays_and_supersedes_nothing() -> None:
    """R-36 (D-17): "Berlin this week" on Lisbon: both active, Berlin on top until the window ends."""
    story = Story().say(1, "lisbon").say(10, claim("berlin", valid_from=on(8), valid_to=on(15)))
    assert story.ends() == {"lisbon": "active", "berlin": "active"}
    assert story.decisions() == []
    assert forces(story, 9) == ["berlin", "lisbon"]
    assert forces(story, 14.9) == ["berlin", "lisbon"]
    assert forces(story, 15) == ["lisbon"]
    assert status_at(story.rows()["berlin"], day(7)) == (Status.ACTIVE, "not_yet", None)
    assert status_at(story.rows()["berlin"], day(8)) == (Status.ACTIVE, None, None)


def test_a_move_announced_takes_effect_when_it_comes() -> None:
    """R-35a: "from May I live in Porto", said in March: Lisbon until May."""
    story = Story().say(1, "lisbon").say(10, claim("porto", valid_from=on(60), holds_when_said=False))
    rows = story.rows()
    assert forces(story, 59) == ["lisbon"]
    assert forces(story, 60) == ["porto"]
    assert (rows["lisbon"].superseded_by, rows["lisbon"].superseded_from) == (rows["porto"].id, day(60))
    assert status_at(rows["porto"], day(59)) == (Status.ACTIVE, "not_yet", None)


def test_words_said_meanwhile_do_not_undo_an_announced_move() -> None:
    """R-35a (D-10): "Porto from March" in January, "Lisbon" in February: Porto from March."""
    story = Story().say(1, claim("porto", valid_from=on(60), holds_when_said=False)).say(30, "lisbon")
    assert forces(story, 31) == ["lisbon"]
    assert forces(story, 61) == ["porto"]


def test_table_rows_scanned_in_the_wrong_order_are_ruled_by_their_dates() -> None:
    """R-35a (D-10): "Lisbon from 2024", then "Porto from 2019": Lisbon."""
    lisbon = claim("lisbon", valid_from="year:2024", holds_when_said=False)
    porto = claim("porto", valid_from="year:2019", holds_when_said=False)
    assert Story().say(1, lisbon).say(2, porto).ends() == {"lisbon": "active", "porto": "superseded: latest"}


def test_words_about_the_present_count_when_they_are_said() -> None:
    """R-35a (D-10): "Lisbon" said in 2020, "I have lived in Rome since 2010" said now: Rome."""
    story = Story().say(1, "lisbon").say(500, claim("rome", valid_from="year:2010"))
    assert story.ends() == {"rome": "active", "lisbon": "superseded: latest"}
    assert story.rows()["rome"].spells[-1] == (day(500), None)


def test_two_stays_of_the_same_words_are_two_memories() -> None:
    """F22, R-34: on Payments January to April and again from February next year; as of between, no."""
    first = claim("payments", valid_from=on(0), valid_to=on(90), holds_when_said=False)
    second = claim("payments", valid_from=on(396), holds_when_said=False)
    story = Story().say(1, first, key="a").say(400, second, key="b")
    rows = [row for each in story.states().values() for row in each.rows]
    assert len(rows) == 2
    assert [sum(in_force(row, day(at)) for row in rows) for at in (45, 200, 430)] == [1, 0, 1]
    again = story.say(401, first, key="c")
    assert len([row for each in again.states().values() for row in each.rows]) == 2


def test_empty_and_backwards_windows_hold_nowhere_and_rule_nothing() -> None:
    """F23: both are kept with their reason; the live value stays untouched."""
    story = Story().say(1, "lisbon")
    story.say(2, claim("empty", valid_from=on(120), valid_to=on(120)))
    story.say(3, claim("backwards", valid_from=on(150), valid_to=on(120)))
    assert story.ends() == {
        "lisbon": "active",
        "empty": "tombstoned: empty_interval",
        "backwards": "tombstoned: invalid_interval",
    }
    assert story.conflicts() == []
    assert forces(story, 120) == ["lisbon"]


def test_where_bounded_statements_overlap_the_later_holds() -> None:
    """R-36 (D-17): the earlier keeps what the later leaves; covered whole, it is superseded."""
    week = claim("berlin", valid_from=on(10), valid_to=on(17), holds_when_said=False)
    days = claim("paris", valid_from=on(12), valid_to=on(14), holds_when_said=False)
    story = Story().say(1, week).say(2, days)
    assert story.ends() == {"berlin": "active", "paris": "active"}
    assert story.rows()["berlin"].spells == ((day(10), day(12)), (day(14), day(17)))
    story.say(13, claim("rome", valid_from=on(11), valid_to=on(20)))
    assert story.ends() == {"berlin": "active", "paris": "superseded: covered", "rome": "active"}
    assert story.rows()["berlin"].spells == ((day(10), day(11)),)
    assert story.rows()["paris"].spells == ((day(12), day(13)),)
    assert story.rows()["paris"].superseded_by == story.rows()["rome"].id


def test_an_end_cuts_a_stay_short() -> None:
    """R-34a (D-18): "not in Berlin any more" in mid-week closes the overlay as it closes the value."""
    story = Story().say(1, "lisbon").say(10, claim("berlin", valid_from=on(8), valid_to=on(15)))
    story.say(12, claim("berlin", act=Act.END))
    assert story.ends() == {"lisbon": "active", "berlin": "superseded: ended"}
    assert story.rows()["berlin"].spells == ((day(8), day(12)),)


def test_a_stay_told_by_a_weaker_source_never_takes_the_place_of_a_stronger_one() -> None:
    """R-36, R-39: it is held, and the conflict opens."""
    window = {"valid_from": on(10), "valid_to": on(17), "holds_when_said": False}
    story = Story().say(1, claim("berlin", **window), source="src90").say(2, claim("evil", **window), source="src10")
    assert story.ends() == {"berlin": "active", "evil": "quarantined: lower_authority"}
    assert [one.reason for one in story.conflicts()] == ["lower_authority"]


def test_a_marked_stamp_ranks_before_every_other_and_is_held() -> None:
    """R-22 (D-9): it supersedes nothing, whatever it claims to be, and a conflict `time_ahead` opens."""
    story = Story().say(1, "lisbon").say(27_000, "evil", sound=False)
    assert story.ends() == {"lisbon": "active", "evil": "quarantined: time_ahead"}
    (conflict,) = story.conflicts()
    assert (conflict.reason, conflict.closed_at) == ("time_ahead", None)
    assert set(conflict.memory_ids) == {row.id for row in story.rows().values()}
    assert status_at(story.rows()["lisbon"], day(30_000))[0] is Status.ACTIVE


def test_a_marked_stamp_alone_is_active_at_once() -> None:
    """F25, R-22 (D-9): with no sound saying the memory stands, today and on the day of its stamp."""
    story = Story().say(9, "lisbon", sound=False)
    assert story.rows()["lisbon"].spells == ((None, None),)
    assert in_force(story.rows()["lisbon"], day(1))


def test_a_marked_stamp_sets_no_last_said_where_a_sound_saying_exists() -> None:
    """R-5, R-22: the age runs from the sound one; the marked one is evidence all the same."""
    story = Story().say(1, "lisbon").say(900, "lisbon", sound=False)
    row = story.rows()["lisbon"]
    assert (row.last_said_at, row.first_said_at, row.times_said) == (day(1), day(1), 2)


def test_a_sound_saying_that_was_taken_back_leaves_the_unit_to_the_marked_one() -> None:
    """R-22 (D §10, 6): a sound saying means a live one."""
    story = Story().say(900, "rome", sound=False).say(1, "lisbon").say(2, claim("lisbon", act=Act.WRONG))
    assert story.ends() == {"rome": "active", "lisbon": "tombstoned: retracted"}


def test_a_change_within_one_breath_leaves_the_last_word() -> None:
    """R-35a (D-9): "I live in Lisbon, no, Porto" is one key and one time; the place decides."""
    story = Story().say(1, [claim("lisbon"), claim("porto")])
    assert story.ends() == {"lisbon": "superseded: latest", "porto": "active"}


def test_a_scope_is_another_unit_and_stands_before_the_wider_one() -> None:
    """R-36 (D-17): narrower never supersedes wider."""
    story = Story().say(1, "lisbon").say(2, claim("berlin", scope="work"))
    assert story.ends() == {"lisbon": "active", "berlin": "active"}
    assert forces(story, 3) == ["berlin", "lisbon"]


def test_flagged_stays_that_overlap_are_a_conflict_and_both_stand() -> None:
    """R-36: under `flag` the bounded tier abstains as well."""
    one = claim("berlin", valid_from=on(10), valid_to=on(17))
    other = claim("paris", valid_from=on(12), valid_to=on(20))
    apart = claim("rome", valid_from=on(30), valid_to=on(40))
    story = Story(Policy.FLAG).say(1, one).say(2, other).say(3, apart)
    rows = story.rows()
    assert story.ends() == {"berlin": "active", "paris": "active", "rome": "active"}
    assert [conflict.memory_ids for conflict in story.conflicts()] == [(rows["berlin"].id, rows["paris"].id)]
    assert rows["berlin"].spells == ((day(10), day(17)),)


def test_a_stay_that_is_ended_as_it_begins_is_never_in_force() -> None:
    """R-34a (D-18): it is superseded from its own beginning."""
    story = Story().say(1, claim("berlin", valid_from=on(8), valid_to=on(15)))
    story.say(9, claim("berlin", act=Act.END, valid_from=on(8)))
    row = story.rows()["berlin"]
    assert (story.ends()["berlin"], row.spells, row.superseded_from) == ("superseded: ended", (), day(8))


def test_an_end_after_a_stay_changes_nothing_of_it() -> None:
    """R-34a: its window had closed it."""
    story = Story().say(1, claim("berlin", valid_from=on(2), valid_to=on(5))).say(9, claim("berlin", act=Act.END))
    assert story.ends() == {"berlin": "active"}
    assert story.rows()["berlin"].spells == ((day(2), day(5)),)
    sharp = Story().say(1, claim("berlin", valid_from=on(2), valid_to=on(5))).say(5, claim("berlin", act=Act.END))
    assert sharp.ends() == {"berlin": "active"}


def test_a_stay_denied_in_general_is_over_from_then_on() -> None:
    """R-34a (D-18): a denial is an end of its value, of no other, and not before it was said."""
    no = claim("berlin", polarity=Polarity.NEGATED)
    story = Story().say(1, claim("berlin", valid_from=on(2), valid_to=on(9))).say(5, no)
    story.say(1, claim("paris", valid_from=on(20), valid_to=on(29)))
    assert story.ends() == {"berlin": "superseded: denied", "not berlin": "active", "paris": "active"}
    assert story.rows()["berlin"].spells == ((day(2), day(5)),)
    assert story.rows()["berlin"].superseded_by == story.rows()["not berlin"].id
    assert story.say(6, claim("berlin", valid_from=on(2), valid_to=on(9)), key="again").ends()["berlin"] == "active"


def test_a_stay_and_its_denial_for_the_same_days_compete() -> None:
    """D-17, D-18: the later holds where they overlap, whichever says no."""
    week = {"valid_from": on(10), "valid_to": on(17), "holds_when_said": False}
    days = {"valid_from": on(12), "valid_to": on(14), "holds_when_said": False}
    story = Story().say(1, claim("berlin", **week)).say(2, claim("berlin", polarity=Polarity.NEGATED, **days))
    assert story.rows()["berlin"].spells == ((day(10), day(12)), (day(14), day(17)))
    whole = Story().say(1, claim("berlin", polarity=Polarity.NEGATED, **days)).say(2, claim("berlin", **days))
    assert whole.ends() == {"not berlin": "superseded: affirmed", "berlin": "active"}


def test_a_stay_needs_its_witnesses_under_corroborated() -> None:
    """R-36: the earlier holds until enough independent origins say the later."""
    window = {"valid_from": on(10), "valid_to": on(17), "holds_when_said": False}
    story = Story(Policy.CORROBORATED).say(1, claim("berlin", **window)).say(2, claim("paris", **window))
    assert story.ends() == {"berlin": "active", "paris": "quarantined: uncorroborated"}
    story.say(3, claim("paris", **window))
    assert story.ends() == {"berlin": "superseded: covered", "paris": "active"}


def test_under_authority_a_weaker_stay_loses_at_once() -> None:
    """R-36: no conflict."""
    window = {"valid_from": on(10), "valid_to": on(17), "holds_when_said": False}
    story = Story(Policy.AUTHORITY).say(1, claim("berlin", **window), source="src90")
    story.say(2, claim("evil", **window), source="src10")
    assert story.ends() == {"berlin": "active", "evil": "superseded: authority"}
    assert story.conflicts() == []


def test_an_open_beginning_holds_from_ever_until_its_end() -> None:
    """D-17: "until Friday" without a beginning."""
    story = Story().say(3, claim("berlin", valid_to=on(5)))
    assert story.rows()["berlin"].spells == ((None, day(5)),)
    assert forces(story, 1) == ["berlin"]
    assert forces(story, 5) == []


def test_marked_stamps_of_what_is_kept_beside_stand() -> None:
    """R-22, R-36: a kind that keeps all rules on nothing between frames, so nothing is held."""
    five, six = (sentence("limit <n>", [("number", each)]) for each in "56")
    assert Story(Policy.KEEP_ALL).say(1, five).say(900, six, sound=False).ends() == {"5": "active", "6": "active"}


def test_a_marked_stay_is_held_against_a_sound_one_and_alone_it_stands() -> None:
    """R-22 (D-9): also where statements end."""
    window = {"valid_from": on(10), "valid_to": on(17), "holds_when_said": False}
    story = Story().say(1, claim("berlin", **window)).say(900, claim("paris", **window), sound=False)
    assert story.ends() == {"berlin": "active", "paris": "quarantined: time_ahead"}
    assert Story().say(900, claim("paris", **window), sound=False).rows()["paris"].spells == ((day(10), day(17)),)


def test_a_stay_has_the_rank_of_its_best_witness() -> None:
    """R-36 (D-14): an untrusted echo opens it to nobody."""
    window = {"valid_from": on(10), "valid_to": on(17), "holds_when_said": False}
    story = Story().say(1, claim("berlin", **window), source="src90").say(2, claim("berlin", **window), source="src10")
    story.say(3, claim("evil", **window), source="src50")
    assert story.ends() == {"berlin": "active", "evil": "quarantined: lower_authority"}


def test_a_marked_statement_is_not_held_for_one_that_ends() -> None:
    """R-22, D-17: between frames it is held only for what it would rule on."""
    five, six = (sentence("limit <n>", [("number", each)]) for each in "56")
    brief = replace(six, valid_from=on(2), valid_to=on(5))
    assert Story().say(3, brief).say(900, five, sound=False).ends() == {"6": "active", "5": "active"}


def test_stays_ruled_true_together_compete_again_once_one_is_said_anew() -> None:
    """R-37 (D-20): what is said after the ruling goes by policy."""
    window = {"valid_from": on(10), "valid_to": on(17)}
    story = Story().say(11, claim("berlin", **window)).say(12, claim("paris", **window))
    assert story.rows()["berlin"].superseded_from == day(12)
    story.act(13, ActKind.KEEP_BOTH, "berlin", "paris")
    assert story.ends() == {"berlin": "active", "paris": "active"}
    assert story.say(14, claim("paris", **window)).ends() == {"berlin": "superseded: covered", "paris": "active"}
