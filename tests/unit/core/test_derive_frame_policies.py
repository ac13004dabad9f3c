"""What a kind's policy does to statements without a claim key, rank by rank and witness by witness (D-13, D-24)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stemma.core.derive import state
from stemma.records import Act, ActKind, Candidate, Policy, Registry
from tests.unit.core.stories import Story, day, sentence


def limit(number: str, **changes: object) -> Candidate:
    """Say what the limit is."""
    return sentence("limit <n>", [("number", number)], **changes)


def test_under_authority_a_weaker_newcomer_loses_at_once() -> None:
    """R-36, D-13: it is superseded by what stands, not held, and no conflict stays open."""
    story = Story(Policy.AUTHORITY).say(1, limit("5"), source="src90").say(2, limit("6"), source="src10")
    rows = story.rows()
    assert story.ends() == {"5": "active", "6": "superseded: authority"}
    assert rows["6"].superseded_by == rows["5"].id
    (decision,) = story.decisions()
    assert (decision.rule, decision.winner_id, decision.loser_id) == ("authority", rows["5"].id, rows["6"].id)
    assert story.conflicts() == []


def test_under_authority_the_strongest_is_named_as_the_winner() -> None:
    """R-36, D-24: of several that are stronger."""
    story = Story(Policy.AUTHORITY).say(1, limit("5"), source="src50")
    story.say(2, sentence("limit <n>", [("money", "3 eur")]), source="src90")
    story.say(3, sentence("limit <n> <n>", [("number", "6"), ("money", "4 eur")]), source="src10")
    rows = story.rows()
    assert rows["6 | 4 eur"].superseded_by == rows["3 eur"].id


def test_under_corroborated_one_origin_is_one_witness_however_often_it_speaks() -> None:
    """R-36: two distinct origins are needed; the second one's episode and the first one's are the reason."""
    story = Story(Policy.CORROBORATED).say(1, limit("5"), key="a")
    for at, key in ((2, "b"), (3, "c")):
        story.say(at, limit("6"), key=key, source="src51", session="one talk")
    assert story.ends() == {"5": "active", "6": "quarantined: uncorroborated"}
    story.say(4, limit("6"), key="d", source="src52")
    assert story.ends() == {"5": "superseded: corroborated", "6": "active"}
    # The first decision is that it was held, the second that it won.
    assert story.decisions()[-1].winner_episodes == ("b", "d")


def test_under_corroborated_what_stands_said_again_clears_its_challengers() -> None:
    """D-15: witnesses count since it was last said."""
    story = Story(Policy.CORROBORATED).say(1, limit("5")).say(2, limit("6"), source="src51").say(3, limit("5"))
    assert story.say(4, limit("6"), source="src52").ends()["5"] == "active"
    assert story.say(5, limit("6"), source="src51").ends() == {"5": "superseded: corroborated", "6": "active"}


def test_under_corroborated_numbers_do_not_rewrite_what_is_trusted() -> None:
    """R-39: origins below the rank of what stands are no witnesses."""
    story = Story(Policy.CORROBORATED).say(1, limit("5"), source="src90")
    story.say(2, limit("6"), source="src50").say(3, limit("6"), source="src51").say(4, limit("6"), source="src52")
    assert story.ends() == {"5": "active", "6": "quarantined: lower_authority"}


def test_the_rank_of_a_spell_is_the_greatest_authority_in_it() -> None:
    """D-14: said again by a trusted source, a value stands against what could have replaced it."""
    story = Story().say(1, limit("5"), source="src10").say(2, limit("5"), source="src90")
    story.say(3, limit("5"), source="src10").say(4, limit("6"), source="src50")
    assert story.ends() == {"5": "active", "6": "quarantined: lower_authority"}


def test_a_spell_that_is_over_lends_its_rank_to_no_later_one() -> None:
    """D-14: what was trusted, was replaced and comes back from a weak source is weak."""
    story = Story().say(1, limit("5"), source="src90").say(2, limit("6"), source="src90")
    story.say(3, limit("6", act=Act.END), source="src90").say(4, limit("5"), source="src10")
    assert story.say(5, limit("7"), source="src50").ends()["7"] == "active"


def ends_under(story: Story, registry: Registry) -> dict[str, tuple[str, str | None]]:
    """Say where each value stands in the end, and why, under another registry than the story's own."""
    states = state(story.log(), registry)
    turns = {row.value: row.transitions[-1] for each in states.values() for row in each.rows}
    return {value: (turn.status.value, turn.reason) for value, turn in turns.items()}


@pytest.mark.parametrize(("overlap", "older"), [(0.6, ("superseded", "latest")), (0.7, ("active", None))])
def test_how_alike_two_frames_must_be_is_their_kinds(overlap: float, older: tuple[str, str | None]) -> None:
    """R-35, D-24: two words of three are enough at 0.6 and too few at 0.7, whatever a fact needs."""
    story = Story().say(1, sentence("deploy take <n>", [("span", "5 min")], kind="profile"))
    story.say(2, sentence("deploy take <f>about <n>", [("span", "7 min")], kind="profile"))
    registry = story.registry()
    kinds = registry.kinds | {"profile": replace(registry.kinds["profile"], overlap=overlap)}
    assert ends_under(story, replace(registry, kinds=kinds)) == {"5 min": older, "7 min": ("active", None)}


@pytest.mark.parametrize("by_key", [False, True])
def test_how_many_witnesses_are_needed_is_the_claim_keys_or_the_kinds(by_key: bool) -> None:
    """R-36: the key's own number before its kind's, the kind's before what a fact needs."""
    story = Story(Policy.CORROBORATED).say(1, "lisbon").say(2, "porto", source="src51").say(3, "porto", source="src52")
    registry = story.registry()
    profile = replace(registry.kinds["profile"], corroboration=2 if by_key else 3)
    key = replace(registry.claim_keys["home"], corroboration=3 if by_key else None)
    registry = replace(registry, kinds=registry.kinds | {"profile": profile}, claim_keys={"home": key})
    held = ("quarantined", "uncorroborated")
    assert ends_under(story, registry) == {"lisbon": ("active", None), "porto": held}
    story.say(4, "porto", source="src53")
    sources = story.registry().sources
    taken_over = {"lisbon": ("superseded", "corroborated"), "porto": ("active", None)}
    assert ends_under(story, replace(registry, sources=sources)) == taken_over


def test_what_is_stronger_and_held_contests_whatever_comes_to_stand_for_want_of_witnesses() -> None:
    """D-16, D-18: what it was too weak against has ended; a newcomer that is weaker still stands, and it stays held."""
    story = Story(Policy.CORROBORATED).say(1, limit("5"), source="src90").say(2, limit("6"), source="src50")
    story.say(3, limit("5", act=Act.END), source="src90").say(4, limit("7"), source="src10")
    rows = story.rows()
    assert story.ends() == {"5": "superseded: ended", "6": "quarantined: uncorroborated", "7": "active"}
    (open_now,) = [each for each in story.conflicts() if each.closed_at is None]
    assert (open_now.reason, set(open_now.memory_ids)) == ("uncorroborated", {rows["6"].id, rows["7"].id})


def test_an_end_closes_what_is_held_for_its_stamp_too() -> None:
    """D-9, D-18: a marked stamp is in an open conflict with what is sound, until its statement is said to be over."""
    story = Story().say(1, limit("5")).say(9, limit("6"), sound=False)
    assert [(one.reason, one.closed_at) for one in story.conflicts()] == [("time_ahead", None)]
    story.say(3, limit("6", act=Act.END))
    assert story.ends() == {"5": "active", "6": "superseded: ended"}
    assert [one for one in story.conflicts() if one.closed_at is None] == []


def test_an_end_is_a_decision_that_names_its_episode_and_no_winner() -> None:
    """D-18: whoever asks why a memory is over sees which words ended it, and when."""
    story = Story().say(1, limit("5"), key="said").say(3, limit("5", act=Act.END), key="over")
    row = story.rows()["5"]
    (decision,) = story.decisions()
    assert (decision.rule, decision.winner_id, decision.loser_id) == ("ended", None, row.id)
    assert (decision.winner_episodes, decision.loser_episodes, decision.at) == (("over",), ("said",), day(3))
    assert (row.transitions[-1].at, row.superseded_by) == (day(3), None)


def test_what_was_too_weak_and_then_lacks_witnesses_is_held_for_the_better_reason() -> None:
    """R-36, D-16: the former conflict closes with its reason, and one with the new reason opens."""
    story = Story(Policy.CORROBORATED).say(1, limit("5"), source="src50").say(2, limit("6"), source="src10")
    assert story.ends()["6"] == "quarantined: lower_authority"
    story.say(3, limit("6"), source="src50")
    assert story.ends()["6"] == "quarantined: uncorroborated"
    told = [(one.reason, one.opened_at, one.closed_at) for one in story.conflicts()]
    assert told == [("lower_authority", day(2), day(3)), ("uncorroborated", day(3), None)]


def test_flagged_statements_said_again_are_in_the_one_conflict_they_had() -> None:
    """R-34a, R-36: a repeat contests nothing anew."""
    one, two = (limit(number, kind="health") for number in "56")
    story = Story().say(1, one).say(2, two).say(3, one).say(4, two)
    assert [(each.reason, each.opened_at, each.closed_at) for each in story.conflicts()] == [("flag", day(2), None)]


def test_an_end_of_lower_rank_closes_nothing() -> None:
    """D-18: what stands at 90 does not end because a source of 10 says so."""
    story = Story().say(1, limit("5"), source="src90").say(2, limit("5", act=Act.END), source="src10")
    assert story.ends() == {"5": "active"}


def test_flagged_statements_left_by_an_end_contest_one_another_still() -> None:
    """D-18, D-20: with the first gone the rest are in conflict; two that a ruling let stand together are not."""
    one, two, three = (limit(number, kind="health") for number in "567")
    story = Story().say(1, one).say(2, two).say(3, three)
    rows = story.rows()
    story.say(4, limit("5", kind="health", act=Act.END))
    pairs = [set(each.memory_ids) for each in story.conflicts() if each.closed_at is None]
    assert pairs == [{rows["6"].id, rows["7"].id}]
    ruled = Story().say(1, one).say(2, two).say(3, three).act(3.5, ActKind.KEEP_BOTH, "6", "7")
    ruled.say(4, limit("5", kind="health", act=Act.END))
    assert [each for each in ruled.conflicts() if each.closed_at is None] == []
    assert day(4) in {each.closed_at for each in ruled.conflicts()}


def test_episodes_of_one_business_key_are_one_event() -> None:
    """R-21: a twin is another wording of the event, and no second witness to it."""
    story = Story(Policy.CORROBORATED).say(1, limit("5"))
    story.say(2, limit("6"), key="x", source="src51", business="e1")
    story.say(3, limit("6"), key="y", source="src52", business="e1")
    assert story.ends()["6"] == "quarantined: uncorroborated"


def test_what_is_held_is_held_once_however_often_it_is_said() -> None:
    """R-36, D-24: a repetition is no change of state and opens no further conflict."""
    story = Story().say(1, limit("5"), source="src90").say(2, limit("6"), source="src10", key="first")
    story.say(3, limit("6"), source="src10", key="again")
    rows = story.rows()
    assert [turn.reason for turn in rows["6"].transitions] == ["lower_authority"]
    assert [each.memory_ids for each in story.conflicts()] == [(rows["5"].id, rows["6"].id)]
    assert len(story.decisions()) == 1
