"""More of what people do to memories, as the derivation hears it (R-37, D-20 to D-22)."""

from __future__ import annotations

from dataclasses import replace

from stemma.core.derive import derive, points_of_log
from stemma.core.rulings import acts_of, named_together
from stemma.records import Act, ActKind, NamedMemory, Polarity, Policy
from tests.unit.core.stories import Story, claim, day, sentence
from tests.unit.core.test_derive_acts import contested


def test_merges_in_a_circle_end_where_the_first_of_them_says() -> None:
    """R-37: an act that would close a circle has no effect, also where an earlier link is on the way."""
    names = {each: NamedMemory(unit=each, memory_id=each, kind="fact", text=each, value=each) for each in "abc"}
    story = Story().say(1, "lisbon").act(1, ActKind.MERGE, "lisbon", "lisbon")
    base = story.acts[0]

    def merge(at: int, one: str, other: str):  # type: ignore[no-untyped-def]
        return replace(base, id=f"{at}", at=day(at), memories=(names[one], names[other]))

    acts = [merge(1, "a", "b"), merge(2, "b", "c"), merge(3, "c", "a"), merge(4, "a", "c"), merge(5, "c", "b")]
    for order in (acts, acts[::-1]):
        assert {merged: target.memory_id for merged, target in acts_of(order).merged.items()} == {"a": "c", "b": "c"}


def test_units_named_in_one_act_are_derived_together_however_far_that_reaches() -> None:
    """R-2: a compile that touches one of them needs the others."""
    story = Story().say(1, sentence("a x")).say(2, sentence("b x")).say(3, sentence("c x"))
    units = {row.text: row.unit for row in story.rows().values()}
    story.act(4, ActKind.MERGE, "a x", "b x")
    (merge,) = story.acts
    assert named_together({units["a x"]}, [merge]) == {units["a x"], units["b x"]}
    assert named_together({units["c x"]}, [merge]) == {units["c x"]}


def test_deriving_some_units_gives_what_deriving_all_gives() -> None:
    """R-2: one function for a whole subject and for what a compile touches."""
    story = contested().say(3, sentence("use Docker")).act(5, ActKind.CHOOSE, "porto")
    points = points_of_log(story.log(), story.registry())
    whole = story.states()
    for unit in whole:
        some = derive([point for point in points if point.unit == unit], story.acts, story.registry(), subject="s")
        assert some == {unit: whole[unit]}


def test_a_flagged_value_whose_rival_ends_contests_the_heir() -> None:
    """R-36, R-37: a, b ruled true together and c against the first of them: when a ends, c is against b."""
    end = claim("a", act=Act.END)
    story = Story(Policy.FLAG).say(1, "a").say(2, "b").act(3, ActKind.KEEP_BOTH, "a", "b").say(4, "c").say(5, end)
    rows = story.rows()
    assert [one.memory_ids for one in story.conflicts() if one.closed_at is None] == [(rows["b"].id, rows["c"].id)]
    five, six, seven = (sentence("limit <n>", [("number", each)]) for each in "567")
    frames = Story(Policy.FLAG).say(1, five).say(2, six).act(3, ActKind.KEEP_BOTH, "5", "6").say(4, seven)
    frames.say(5, replace(five, act=Act.END))
    rows = frames.rows()
    assert [one.memory_ids for one in frames.conflicts() if one.closed_at is None] == [(rows["6"].id, rows["7"].id)]


def test_a_value_that_left_and_came_back_stands_beside_nobody_by_an_old_ruling() -> None:
    """R-37 (D-20): what is said after a ruling goes by policy."""
    story = Story(Policy.FLAG).say(1, "x").say(2, "a").say(3, "b").act(4, ActKind.KEEP_BOTH, "a", "b")
    story.say(5, claim("b", act=Act.END)).say(6, "b").say(7, claim("x", act=Act.END))
    rows = story.rows()
    assert [one.memory_ids for one in story.conflicts() if one.closed_at is None] == [(rows["a"].id, rows["b"].id)]


def test_a_denial_does_not_contest_what_it_says_nothing_of() -> None:
    """R-36, D-18: a ends; its denial and b were both in conflict with it, and are not with one another."""
    no = claim("a", polarity=Polarity.NEGATED)
    story = Story(Policy.FLAG).say(1, "a").say(2, no).say(3, "b").say(4, claim("a", act=Act.END))
    assert story.ends() == {"a": "superseded: ended", "not a": "active", "b": "active"}
    assert [one.closed_at for one in story.conflicts()] == [day(4), day(4)]


def test_a_span_that_only_touches_a_forgotten_one_is_left_alone() -> None:
    """R-37 (D-21): spans are half open."""
    both = [claim("lisbon", start=0, end=10), claim("dog", claim_key="pet", start=10, end=20)]
    story = Story().say(1, both, key="k").act(5, ActKind.FORGET, "lisbon")
    log = story.log()
    ((name, extraction),) = log.extractions.items()
    (_, dog) = extraction.candidates
    read_anew = replace(extraction, candidates=(replace(dog, value="DOG", place=1),))
    points = points_of_log(replace(log, extractions={name: read_anew}), story.registry())
    assert [point.dead for point in points] == [None]
    read_wider = replace(extraction, candidates=(replace(dog, value="DOG", place=1, start=9),))
    points = points_of_log(replace(log, extractions={name: read_wider}), story.registry())
    assert [point.dead for point in points] == ["forgotten"]


def test_a_ruling_may_put_down_what_its_winner_does_not_oppose() -> None:
    """R-37: the sides of an act are settled by name, whatever unit they are in and whether they stand or are held."""
    pet = claim("dog", claim_key="pet")
    story = contested().say(3, pet).act(5, ActKind.CHOOSE, "dog", "porto", "lisbon")
    assert story.ends() == {"lisbon": "superseded: ruling", "porto": "superseded: ruling", "dog": "active"}
    assert story.rows()["lisbon"].superseded_by == story.rows()["dog"].id
    assert story.conflicts()[0].resolution == story.acts[0].id
    five, six = (sentence("limit <n>", [("number", each)]) for each in "56")
    frames = Story().say(1, five, source="src90").say(2, six, source="src10").say(3, pet)
    frames.act(5, ActKind.CHOOSE, "dog", "5", "6")
    assert frames.ends() == {"5": "superseded: ruling", "6": "superseded: ruling", "dog": "active"}


def test_forgetting_covers_what_was_said_at_its_very_time() -> None:
    """R-37 (D-21): up to its time, that included; unlisted, since it arrived later."""
    story = Story().say(1, "porto").act(5, ActKind.FORGET, "porto").say(5, "porto")
    assert story.ends() == {"porto": "tombstoned: forgotten"}


def test_a_flagged_frame_that_lost_a_ruling_and_is_said_again_is_a_conflict_anew() -> None:
    """R-37 (D-20): what is said after the ruling goes by policy."""
    five, six = (sentence("limit <n>", [("number", each)]) for each in "56")
    story = Story(Policy.FLAG).say(1, five).say(2, six).act(3, ActKind.CHOOSE, "5")
    assert story.ends() == {"5": "active", "6": "superseded: ruling"}
    assert story.say(4, six).ends() == {"5": "active", "6": "active"}
    assert [one.closed_at for one in story.conflicts()] == [day(3), None]


def test_frames_ruled_true_together_stay_so_when_one_is_said_again() -> None:
    """R-37 (D-20): the ruled values stand; a third one later takes over from both."""
    five, six, seven = (sentence("limit <n>", [("number", each)]) for each in "567")
    story = Story().say(1, five, source="src90").say(2, six, source="src10").act(3, ActKind.KEEP_BOTH, "5", "6")
    assert story.say(4, five, source="src90").ends() == {"5": "active", "6": "active: ruling"}
    assert story.say(5, six, source="src90").ends() == {"5": "active", "6": "active: ruling"}
    assert story.say(6, seven, source="src90").ends() == {
        "5": "superseded: latest",
        "6": "superseded: latest",
        "7": "active",
    }


def test_what_was_ruled_together_does_not_contest_once_the_first_value_has_gone() -> None:
    """R-37 (D-18, D-20): under `flag` those left by an end contest one another, save what was ruled together."""
    told = Story(Policy.FLAG).say(1, "a").say(2, "b").say(3, "c")
    apart = Story(Policy.FLAG, sayings=list(told.sayings)).say(5, claim("a", act=Act.END))
    ids = {name: row.id for name, row in apart.rows().items()}
    assert [one.memory_ids for one in apart.conflicts() if one.closed_at is None] == [(ids["b"], ids["c"])]
    together = told.act(4, ActKind.KEEP_BOTH, "b", "c").say(5, claim("a", act=Act.END))
    assert [one for one in together.conflicts() if one.closed_at is None] == []
    assert together.say(6, "d").ends() == {"a": "superseded: ended", "b": "active", "c": "active", "d": "active"}


def test_a_flagged_denial_that_stands_alone_can_end() -> None:
    """R-34a (D-18): there is no value beside it that could contest anything."""
    no = claim("a", polarity=Polarity.NEGATED)
    story = Story(Policy.FLAG).say(1, no).say(2, replace(no, act=Act.END))
    assert story.ends() == {"not a": "superseded: ended"}
    assert story.conflicts() == []
