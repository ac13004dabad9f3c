"""Human acts in the derivation: rulings, forgetting, quarantine, what people set, merges (D-20, D-21, R-37)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stemma.core.claims import memory_id
from stemma.core.derive import points_of_log
from stemma.records import ActKind, Candidate, NamedMemory, Polarity, Policy
from tests.unit.core.stories import Story, claim, day, sentence


def contested() -> Story:
    """Lisbon (90) stands, Porto (10) is held."""
    return Story().say(1, "lisbon", source="src90").say(2, "porto", source="src10")


def test_a_choice_settles_what_was_said_up_to_it_whenever_that_arrives() -> None:
    """R-37 (D-20): Lisbon chosen at 5; Porto said at 4 arrives late: nothing; said at 6 with no lower rank: Porto."""
    story = contested().act(5, ActKind.CHOOSE, "lisbon")
    assert story.ends() == {"lisbon": "active", "porto": "superseded: ruling"}
    assert story.conflicts()[0].resolution == story.acts[0].id
    assert story.say(4, "porto", source="src90").ends() == {"lisbon": "active: ruling", "porto": "superseded: ruling"}
    assert story.say(6, "porto", source="src90").ends() == {"lisbon": "superseded: latest", "porto": "active"}


def test_a_chosen_value_stands_at_the_greatest_rank_of_the_sides() -> None:
    """R-37 (D-20): what is said later from below that rank is held, in a conflict that is not the one resolved."""
    story = contested().act(5, ActKind.CHOOSE, "porto")
    assert story.ends() == {"lisbon": "superseded: ruling", "porto": "active: ruling"}
    story.say(6, "lisbon", source="src50")
    assert story.ends() == {"lisbon": "quarantined: lower_authority", "porto": "active: ruling"}
    resolved, fresh = story.conflicts()
    assert (resolved.resolution is None, fresh.resolution, fresh.closed_at) == (False, None, None)
    assert resolved.id != fresh.id


def test_both_stand_together_until_policy_has_its_say_again() -> None:
    """R-37 (D-20): neither conflict nor supersession between the sides; a third value later takes over from both."""
    story = contested().act(5, ActKind.KEEP_BOTH, "lisbon", "porto")
    assert story.ends() == {"lisbon": "active", "porto": "active: ruling"}
    assert story.say(6, "lisbon", source="src90").ends() == {"lisbon": "active", "porto": "active: ruling"}
    assert story.say(7, "rome", source="src90").ends() == {
        "lisbon": "superseded: latest",
        "porto": "superseded: latest",
        "rome": "active",
    }


@pytest.mark.parametrize("policy", [Policy.LATEST, Policy.AUTHORITY, Policy.CORROBORATED])
@pytest.mark.parametrize("framed", [False, True], ids=["claim", "frame"])
def test_both_settle_a_third_that_was_said_before_and_comes_late(policy: Policy, framed: bool) -> None:
    """R-37 (D-20): two homes by a ruling are two, though a third was said before it by a source of any rank."""

    def place(name: str) -> Candidate:
        return sentence("limit <n>", [("place", name)]) if framed else claim(name)

    story = (
        Story(policy, corroboration=1).say(1, place("lisbon"), source="src90").say(2, place("porto"), source="src10")
    )
    story.act(5, ActKind.KEEP_BOTH, "lisbon", "porto")
    assert set(story.ends()) == {"lisbon", "porto"}
    story.say(4, place("rome"), source="src90")
    stands = {name for name, end in story.ends().items() if end.startswith("active")}
    assert stands == {"lisbon", "porto"}
    assert story.ends()["rome"] == "superseded: ruling"


def test_flag_with_both_true_asks_no_more_about_them() -> None:
    """R-37: a value that comes later conflicts with the first of them alone, and the star moves when that ends."""
    story = Story(Policy.FLAG).say(1, "a").say(2, "b").act(3, ActKind.KEEP_BOTH, "a", "b").say(4, "c")
    ids = {name: row.id for name, row in story.rows().items()}
    assert [(one.memory_ids, one.closed_at) for one in story.conflicts()] == [
        ((ids["a"], ids["b"]), day(3)),
        ((ids["a"], ids["c"]), None),
    ]


def test_a_choice_leaves_alone_what_it_does_not_oppose() -> None:
    """R-37 (D-20): a denial of another value says nothing of the chosen one; another scope is another unit."""
    no = claim("rome", polarity=Polarity.NEGATED)
    story = contested().say(3, no).say(4, claim("berlin", scope="work")).act(5, ActKind.CHOOSE, "porto")
    assert story.ends() == {
        "lisbon": "superseded: ruling",
        "porto": "active: ruling",
        "not rome": "active",
        "berlin": "active",
    }


def test_both_leave_a_flagged_third_as_it_is() -> None:
    """R-37 (D-20): only the sides are settled; the third stays in its conflict with the first of them."""
    story = Story(Policy.FLAG).say(1, "a").say(2, "b").say(3, "c").act(4, ActKind.KEEP_BOTH, "a", "b")
    assert story.ends() == {"a": "active", "b": "active", "c": "active"}
    assert [(one.closed_at, one.resolution is None) for one in story.conflicts()] == [(day(4), False), (None, True)]


def test_choosing_a_denial_puts_down_what_it_denies_and_nothing_else() -> None:
    """R-37 (D-20): a side may be a denial."""
    no = claim("lisbon", polarity=Polarity.NEGATED)
    story = Story(Policy.FLAG).say(1, "porto").say(2, "lisbon").say(3, no).act(4, ActKind.CHOOSE, "not lisbon")
    assert story.ends() == {"porto": "active", "lisbon": "superseded: ruling", "not lisbon": "active"}


def test_a_choice_between_stays_raises_the_chosen_one_up_to_its_time() -> None:
    """R-37, D-17: bounded statements are settled among themselves, and never against what has no end."""
    window = {"valid_from": f"abs:{day(10).isoformat()}", "valid_to": f"abs:{day(17).isoformat()}"}
    story = Story(Policy.FLAG).say(1, "lisbon").say(11, claim("berlin", **window)).say(12, claim("paris", **window))
    assert [(one.reason, one.closed_at) for one in story.conflicts()] == [("flag", None)]
    story.act(13, ActKind.CHOOSE, "berlin", "paris")
    assert story.ends() == {"lisbon": "active", "berlin": "active", "paris": "superseded: ruling"}
    assert [(one.closed_at, one.resolution) for one in story.conflicts()] == [(day(13), story.acts[0].id)]
    story.say(14, claim("paris", **window))
    assert story.ends()["paris"] == "active"
    assert {one.closed_at for one in story.conflicts()} == {day(13), None}
    latest = Story().say(1, "lisbon").say(11, claim("berlin", **window)).say(12, claim("paris", **window))
    assert latest.ends() == {"lisbon": "active", "berlin": "superseded: covered", "paris": "active"}
    latest.act(13, ActKind.CHOOSE, "berlin")
    assert latest.ends() == {"lisbon": "active", "berlin": "active", "paris": "superseded: ruling"}
    assert latest.say(14, claim("paris", **window)).ends() == {
        "lisbon": "active",
        "berlin": "superseded: covered",
        "paris": "active",
    }
    both = Story().say(11, claim("berlin", **window)).say(12, claim("paris", **window))
    assert both.act(13, ActKind.KEEP_BOTH, "berlin", "paris").ends() == {"berlin": "active", "paris": "active"}


def test_a_stay_held_for_its_source_or_its_stamp_is_settled_by_a_ruling() -> None:
    """R-37, R-22: the conflict is resolved, whichever side is chosen."""
    window = {"valid_from": f"abs:{day(10).isoformat()}", "valid_to": f"abs:{day(17).isoformat()}"}

    def told(sound: bool) -> Story:
        story = Story().say(11, claim("berlin", **window), source="src90")
        return story.say(12, claim("paris", **window), source="src10", sound=sound)

    for sound, reason in ((True, "lower_authority"), (False, "time_ahead")):
        assert told(sound).ends() == {"berlin": "active", "paris": f"quarantined: {reason}"}
        for winner, loser in (("paris", "berlin"), ("berlin", "paris")):
            story = told(sound).act(13, ActKind.CHOOSE, winner, loser)
            assert story.ends()[winner].startswith("active")
            assert not story.ends()[loser].startswith("active")
            assert [one.resolution for one in story.conflicts()] == [story.acts[0].id], (reason, winner)


def third(story: Story, at: float, value: str, *sides: str) -> Story:
    """Rule for a third value, in words that stand in the act alone."""
    rows = story.rows()
    story.act(at, ActKind.THIRD_VALUE, *sides, argument=f"it is {value}")
    (*_, act) = story.acts
    side = rows[sides[0]]
    named = NamedMemory(
        unit=side.unit,
        memory_id=memory_id("t", "s", side.unit, value, Polarity.AFFIRMED, ""),
        kind=side.kind,
        text=f"it is {value}",
        value=value,
        claim_key=side.claim_key,
    )
    story.acts[-1] = replace(act, memories=(named, *act.memories))
    return story


def test_a_third_value_stands_alone_on_the_word_of_the_act() -> None:
    """R-37 (D-20): like a choice, at the greatest rank of the sides; a later saying of it is of the same memory."""
    story = third(contested(), 5, "rome", "lisbon", "porto")
    assert story.ends() == {"lisbon": "superseded: ruling", "porto": "superseded: ruling", "rome": "active: ruling"}
    row = story.rows()["rome"]
    assert (row.text, row.authority, row.times_said, row.first_said_at) == ("it is rome", 50, 1, day(5))
    assert [one.key for one in story.evidence(row)] == [f"act:{story.acts[0].id}"]
    assert story.conflicts()[0].resolution == story.acts[0].id
    assert story.say(6, "rome").rows()["rome"].times_said == 2
    assert story.say(7, "porto", source="src50").ends()["porto"] == "quarantined: lower_authority"


def test_a_third_value_between_frames_takes_the_frame_of_the_sides() -> None:
    """R-37: a ruling on a rate without a claim key."""
    rates = [sentence("rate <n>", [("percent", each)]) for each in ("2%", "3%")]
    story = Story(Policy.FLAG).say(1, rates[0]).say(2, rates[1])
    assert third(story, 5, "4%", "2%", "3%").ends() == {
        "2%": "superseded: ruling",
        "3%": "superseded: ruling",
        "4%": "active: ruling",
    }


def test_a_third_value_may_be_one_that_was_said() -> None:
    """R-37: named without words of its own, its saying is its evidence."""
    story = contested().say(5, "rome", source="src50")
    assert story.ends()["rome"] == "quarantined: lower_authority"
    story.act(5, ActKind.THIRD_VALUE, "rome", "lisbon", "porto")
    assert story.ends() == {
        "lisbon": "superseded: ruling",
        "porto": "superseded: ruling",
        "rome": "active: ruling",
    }
    assert story.rows()["rome"].times_said == 1


def test_a_ruling_with_an_erased_side_has_no_effect() -> None:
    """R-37 (D-20): what was never said settles nothing."""
    story = contested().act(5, ActKind.THIRD_VALUE, "porto", "lisbon")
    story.sayings = [saying for saying in story.sayings if "porto" not in repr(saying)]
    assert story.ends() == {"lisbon": "active"}
    story = third(contested(), 5, "rome", "lisbon", "porto")
    story.sayings = [saying for saying in story.sayings if "porto" not in repr(saying)]
    assert story.ends() == {"lisbon": "active"}
    story = contested().act(5, ActKind.KEEP_BOTH, "porto", "lisbon")
    story.sayings = [saying for saying in story.sayings if "lisbon" not in repr(saying)]
    assert story.ends() == {"porto": "active"}


def test_a_choice_may_be_of_a_marked_stamp() -> None:
    """R-22, R-37: it was held for its stamp; a person may know better."""
    story = Story().say(1, "lisbon").say(900, "porto", sound=False).act(5, ActKind.CHOOSE, "porto")
    assert story.ends() == {"lisbon": "superseded: ruling", "porto": "active: ruling"}
    assert [(one.reason, one.resolution is None) for one in story.conflicts()] == [("time_ahead", False)]


def test_forgetting_covers_the_memory_up_to_its_time() -> None:
    """R-37 (D-21): older words that arrive late stay forgotten; later ones are new."""
    story = Story().say(1, "lisbon").say(3, "porto").act(5, ActKind.FORGET, "porto")
    assert story.ends() == {"lisbon": "active", "porto": "tombstoned: forgotten"}
    assert story.say(4, "porto").ends()["porto"] == "tombstoned: forgotten"
    assert story.say(6, "porto").ends() == {"lisbon": "superseded: latest", "porto": "active"}
    assert story.rows()["porto"].times_said == 1


def test_forgetting_covers_what_it_saw_from_a_fast_clock() -> None:
    """R-37 (D-21): a saying two minutes ahead lies after the forgetting and is listed; a marked one is covered too."""
    story = Story().say(5.001, "porto").act(5, ActKind.FORGET, "porto")
    assert story.ends() == {"porto": "tombstoned: forgotten"}
    assert story.say(900, "porto", sound=False).ends() == {"porto": "tombstoned: forgotten"}


def test_forgotten_words_stay_forgotten_under_a_new_reading() -> None:
    """R-37 (D-21): another extractor yields another id on the same span; a neighbour on the clause is left alone."""
    both = [claim("lisbon"), claim("dog", claim_key="pet", start=0, end=12)]
    story = Story().say(1, both, key="k").act(5, ActKind.FORGET, "lisbon")
    assert story.ends() == {"lisbon": "tombstoned: forgotten", "dog": "active"}
    log = story.log()
    (name, extraction), *_ = log.extractions.items()
    read_anew = tuple(replace(each, value=each.value.upper()) for each in extraction.candidates)
    points = points_of_log(
        replace(log, extractions={name: replace(extraction, candidates=read_anew)}), story.registry()
    )
    assert {point.value: point.dead for point in points} == {"LISBON": "forgotten", "DOG": None}


def test_quarantine_holds_for_all_sayings_until_released() -> None:
    """R-37, R-50: it survives more of the same, and what it had displaced stands again."""
    story = Story().say(1, "lisbon").say(3, "junk").act(4, ActKind.QUARANTINE, "junk").say(5, "junk")
    assert story.ends() == {"lisbon": "active", "junk": "quarantined: quarantined"}
    story.act(6, ActKind.RELEASE, "junk")
    assert story.ends() == {"lisbon": "superseded: latest", "junk": "active"}


def test_forgetting_goes_before_quarantine() -> None:
    """R-37 (D-12): what is forgotten is not shown as quarantined."""
    story = Story().say(1, "junk").act(2, ActKind.QUARANTINE, "junk").act(3, ActKind.FORGET, "junk")
    assert story.ends() == {"junk": "tombstoned: forgotten"}


@pytest.mark.parametrize(
    ("source", "said_by", "end"),
    [
        ("src49", "user", "quarantined: instruction"),
        ("src50", "user", "active"),
        ("src90", "agent", "quarantined: instruction"),
    ],
)
def test_instruction_like_text_from_below_the_users_authority_is_quarantined(
    source: str, said_by: str, end: str
) -> None:
    """R-39: with its reason; it displaces nothing, and a person may release it."""
    story = Story().say(1, claim("evil", suspect="instruction"), source=source, said_by=said_by)
    assert story.ends() == {"evil": end}
    assert story.act(2, ActKind.RELEASE, "evil").ends() == {"evil": "active"}


def test_a_retype_changes_the_kind_shown_and_never_widens_the_class() -> None:
    """R-43, R-50: the original kind stays; the class is the narrower of the old and the new kind's."""
    story = Story().say(1, "lisbon").act(2, ActKind.RETYPE, "lisbon", argument="health")
    row = story.rows()["lisbon"]
    assert (row.kind, row.original_kind, row.injection) == ("health", "profile", "on_request")
    row = story.act(3, ActKind.RETYPE, "lisbon", argument="profile").rows()["lisbon"]
    assert (row.kind, row.injection) == ("profile", "on_request")
    row = story.act(4, ActKind.INJECTION, "lisbon", argument="core").rows()["lisbon"]
    assert row.injection == "core"


def test_the_latest_act_counts_whatever_order_they_came_in() -> None:
    """R-2, R-37: acts are a set; importance set by a person goes before what was stated."""
    story = Story().say(1, claim("lisbon", importance=0.9))
    assert story.rows()["lisbon"].importance == 0.9
    story.act(3, ActKind.IMPORTANCE, "lisbon", argument="0.2").act(2, ActKind.IMPORTANCE, "lisbon", argument="0.7")
    assert story.rows()["lisbon"].importance == 0.2
    story.acts.reverse()
    assert story.rows()["lisbon"].importance == 0.2


def test_merged_evidence_counts_under_its_target() -> None:
    """R-37: the merged row keeps its text and names where it went; times said add up; a circle has no effect."""
    story = Story().say(1, sentence("like dark mode")).say(2, sentence("prefer dark mode"))
    story.act(3, ActKind.MERGE, "like dark mode", "prefer dark mode")
    by_id = {row.id: row for each in story.states().values() for row in each.rows}
    target = by_id[story.acts[0].memories[1].memory_id]
    merged = by_id[story.acts[0].memories[0].memory_id]
    assert (target.times_said, merged.times_said) == (2, 0)
    assert (merged.transitions[0].reason, merged.transitions[0].by) == ("merged", target.id)
    assert merged.text == "like dark mode"
    assert (target.first_said_at, target.last_said_at) == (day(1), day(2))


def test_a_merge_into_what_is_gone_has_no_effect() -> None:
    """R-37: the target must have a live statement of its own."""
    story = Story().say(1, sentence("like dark mode")).say(2, sentence("prefer dark mode"))
    story.act(4, ActKind.FORGET, "prefer dark mode").act(3, ActKind.MERGE, "like dark mode", "prefer dark mode")
    assert story.ends() == {"like dark mode": "active", "prefer dark mode": "tombstoned: forgotten"}
