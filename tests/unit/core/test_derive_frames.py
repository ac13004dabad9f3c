"""What becomes of statements without a claim key: which meet, and what a later one does to an earlier (D-24)."""

from __future__ import annotations

import pytest

from stemma.core.frames import (
    BLOCK_LIMIT,
    are_neighbours,
    block_of,
    compared_words,
    frame_point,
    index_tokens,
    overlap,
    values_by_type,
)
from stemma.records import Act, ActKind, Candidate, Frame, Polarity, Policy
from stemma.state import FramePoint
from tests.unit.core.stories import Story, day, sentence


def stripe(percent: str, cents: str) -> Candidate:
    """Say what Stripe charges."""
    return sentence("Stripe charge <n> <n>", [("percent", percent), ("cents", cents)])


def frame(words: str, types: tuple[str, ...] = ("number",), identities: tuple[str, ...] = ()) -> FramePoint:
    """Make a frame of the voice `own` and the kind `fact`."""
    return FramePoint(
        unit=words, voice="own", kind="fact", words=tuple(words.split()), identities=identities, types=types
    )


def test_a_later_rate_supersedes_the_earlier_with_score_and_both_episodes() -> None:
    """R-35: "Stripe charges 3.5% + 35c", then "Stripe charges 2.9% + 30c"; the older arriving last does not win."""
    for order in ((0, 1), (1, 0)):
        told = [(1, stripe("3.5%", "35c"), "blog"), (5, stripe("2.9%", "30c"), "news")]
        story = Story()
        for each in order:
            at, what, key = told[each]
            story.say(at, what, key=key)
        assert story.ends() == {"3.5% | 35c": "superseded: latest", "2.9% | 30c": "active"}
        (decision,) = story.decisions()
        assert (decision.rule, decision.score, decision.threshold) == ("latest", 1.0, 0.6)
        assert (decision.winner_episodes, decision.loser_episodes) == (("news",), ("blog",))
        assert decision.at == day(5)


def test_invoices_that_differ_in_what_they_name_both_stay() -> None:
    """R-35: a number that labels its noun is identity, so 1001 and 1002 never meet."""
    story = Story().say(1, sentence("invoice 1001 paid")).say(2, sentence("invoice 1002 paid"))
    assert story.ends() == {"invoice 1001 paid": "active", "invoice 1002 paid": "active"}
    assert story.decisions() == []


def test_who_owes_whom_is_not_one_bag() -> None:
    """R-35 (D-24): names are ordered identity."""
    bob = sentence("Alice owe Bob <n>", [("number", "5")])
    alice = sentence("Bob owe Alice <n>", [("number", "6")])
    assert Story().say(1, bob).say(2, alice).ends() == {"5": "active", "6": "active"}


def test_near_wordings_propose_and_do_not_rule() -> None:
    """R-35: the chain of three reports: each differs from the next in a content word, so all three stand."""
    reports = [
        sentence("billing report run nightly <n>", [("clock", "2")]),
        sentence("billing report run nightly cluster <n>", [("clock", "3")]),
        sentence("report run nightly Kafka cluster <n>", [("clock", "4")]),
    ]
    story = Story()
    for at, each in enumerate(reports):
        story.say(at, each)
    assert set(story.ends().values()) == {"active"}
    assert len(story.ends()) == 3


def test_an_exception_is_not_widened_away_by_a_broader_sentence() -> None:
    """R-35: "refunds up to 500 EUR for orders under 30 days" is another statement than "… for orders"."""
    narrow = sentence("refund up <n> order under <n>", [("money", "500 EUR"), ("span", "30 d")])
    broad = sentence("refund up <n> order", [("money", "900 EUR")])
    assert set(Story().say(1, narrow).say(2, broad).ends().values()) == {"active"}


def test_the_same_words_in_another_order_meet() -> None:
    """R-35 (D-24): words are compared as a set, so a moved adverb hides no change of value."""
    story = Story().say(1, sentence("report run nightly <n>", [("clock", "2")]))
    story.say(2, sentence("nightly report run <n>", [("clock", "3")]))
    assert story.ends() == {"2": "superseded: latest", "3": "active"}


def test_frames_that_share_no_type_of_value_do_not_meet() -> None:
    """R-35 (D-24): two values of other types answer other questions."""
    story = Story().say(1, sentence("limit <n>", [("number", "5")])).say(2, sentence("limit <n>", [("span", "2 h")]))
    assert story.ends() == {"5": "active", "2 h": "active"}
    story.say(3, sentence("limit <n> <n>", [("number", "6"), ("span", "2 h")]))
    assert story.ends() == {"5": "superseded: latest", "2 h": "active", "6 | 2 h": "active"}


def test_other_words_and_names_are_no_values() -> None:
    """R-35 (D-25): "I use Docker" and "I use Podman" stay both."""
    assert Story().say(1, sentence("use Docker")).say(2, sentence("use Podman")).ends() == {
        "use Docker": "active",
        "use Podman": "active",
    }


@pytest.mark.parametrize(
    ("policy", "yes", "no"),
    [
        (Policy.LATEST, "superseded: denied", "active"),
        (Policy.AUTHORITY, "superseded: denied", "active"),
        (Policy.CORROBORATED, "active", "quarantined: uncorroborated"),
        (Policy.FLAG, "active", "active"),
        (Policy.KEEP_ALL, "active", "active"),
    ],
)
def test_a_denial_is_a_conflict_for_the_kinds_policy(policy: Policy, yes: str, no: str) -> None:
    """R-35: "I use Docker", then "I do not use Docker"."""
    denial = sentence("use Docker", polarity=Polarity.NEGATED)
    story = Story(policy).say(1, sentence("use Docker")).say(2, denial)
    assert story.ends() == {"use Docker": yes, "not use Docker": no}
    opened = {Policy.FLAG: ["flag"], Policy.CORROBORATED: ["uncorroborated"]}.get(policy, [])
    assert [one.reason for one in story.conflicts()] == opened


def test_not_any_more_retires_a_flagged_memory() -> None:
    """Issue 3: "I am not allergic to peanuts any more" closes the allergy, whatever contests it."""
    story = Story().say(1, sentence("allergic peanut", kind="health"))
    story.say(5, sentence("allergic peanut", kind="health", act=Act.END))
    assert story.ends() == {"allergic peanut": "superseded: ended"}


def test_a_weaker_newcomer_is_held_and_a_stronger_one_lifts_nothing_of_it() -> None:
    """R-36 (D-24): `lower_authority`; a later trusted value supersedes both."""
    five, six, seven = (sentence("limit <n>", [("number", each)]) for each in "567")
    story = Story().say(1, five, source="src90").say(2, six, source="src10")
    assert story.ends() == {"5": "active", "6": "quarantined: lower_authority"}
    assert [one.closed_at for one in story.conflicts()] == [None]
    story.say(3, seven, source="src90")
    assert story.ends() == {"5": "superseded: latest", "6": "superseded: latest", "7": "active"}
    assert [one.closed_at for one in story.conflicts()] == [day(3)]


def test_a_replaced_value_does_not_come_back_when_its_winner_loses() -> None:
    """R-35 (D-24): A < B < C: whether B is itself superseded is not asked, so A stays out."""
    five, six, seven = (sentence("limit <n>", [("number", each)]) for each in "567")
    story = Story().say(1, five).say(2, six).say(3, seven)
    rows = story.rows()
    assert rows["5"].superseded_by == rows["6"].id
    assert rows["6"].superseded_by == rows["7"].id
    assert story.ends()["5"] == "superseded: latest"


def test_a_value_of_a_frame_said_again_stands_again() -> None:
    """R-34a: one row with two spells."""
    five, six = (sentence("limit <n>", [("number", each)]) for each in "56")
    story = Story().say(1, five).say(3, six).say(5, five)
    assert story.rows()["5"].spells == ((None, day(3)), (day(5), None))
    assert story.ends() == {"5": "active", "6": "superseded: latest"}


def test_corroborated_frames_need_their_origins_since_the_standing_value_was_last_said() -> None:
    """R-36: a restatement of what stands clears the count."""
    five, six = (sentence("limit <n>", [("number", each)]) for each in "56")
    story = Story(Policy.CORROBORATED).say(1, five).say(2, six).say(3, five).say(4, six)
    assert story.ends() == {"5": "active", "6": "quarantined: uncorroborated"}
    assert story.say(5, six).ends() == {"5": "superseded: corroborated", "6": "active"}


def test_a_marked_stamp_is_held_against_a_sound_value_it_contradicts() -> None:
    """R-22 (D-9): between frames it takes a conflict; what contradicts nothing stands."""
    five, six = (sentence("limit <n>", [("number", each)]) for each in "56")
    story = Story().say(1, five).say(9, six, sound=False).say(9, sentence("use Docker"), sound=False)
    assert story.ends() == {"5": "active", "6": "quarantined: time_ahead", "use Docker": "active"}
    assert [one.reason for one in story.conflicts()] == ["time_ahead"]


def test_a_crowded_block_is_not_ruled_between_frames_and_says_so() -> None:
    """R-35 (D §9): over 200 frames in a block none rules on another, and a note says so; never the first so many."""
    story = Story()
    for at in range(BLOCK_LIMIT + 1):
        words = "limit request " + " ".join(["<n>"] * (at + 1))
        story.say(at, sentence(words, [("number", str(at))] * (at + 1)))
    states = story.states()
    assert {note.split(":")[0] for each in states.values() for note in each.notes} == {"too_many_neighbours"}
    assert {row.transitions[-1].status.value for each in states.values() for row in each.rows} == {"active"}
    assert story.decisions() == []


def test_a_ruling_between_frames_settles_what_was_said_up_to_it() -> None:
    """R-37 (D-20): the chosen side stands at the greatest rank; what is said later goes by policy."""
    five, six = (sentence("limit <n>", [("number", each)]) for each in "56")
    story = Story().say(1, five, source="src90").say(2, six, source="src10").act(3, ActKind.CHOOSE, "6")
    assert story.ends() == {"5": "superseded: ruling", "6": "active: ruling"}
    assert [one.resolution for one in story.conflicts()] == [story.acts[0].id]
    story.say(4, sentence("limit <n>", [("number", "7")]), source="src10")
    assert story.ends()["7"] == "quarantined: lower_authority"
    assert story.say(5, five, source="src90").ends()["5"] == "active"


def test_neighbours_share_words_identity_and_a_type() -> None:
    """R-35: voice, kind, ordered identity and content words decide the block; in it a shared type makes neighbours."""
    one = frame("limit request <n>")
    assert are_neighbours(one, frame("request limit <n>"), 0.6)
    assert not are_neighbours(one, frame("request limit <n>", types=("money",)), 0.6)
    assert not are_neighbours(one, frame("request limit retry <n>"), 0.6)
    assert not are_neighbours(one, frame("limit request <n>", identities=("Bob",)), 0.6)
    assert index_tokens(one) == (block_of(one),)


@pytest.mark.parametrize(
    ("words", "threshold", "near"),
    [
        ("deploy take <f>about <n>", 0.6, True),  # 2 of 3
        ("deploy take <f>about <n>", 0.667, False),
        ("deploy take <f>about <f>at <f>each <n>", 0.6, False),  # 2 of 5
        ("deploy take <f>about <f>at <f>each <n>", 0.4, True),
        ("deploy take <f>about <f>at <f>each <n>", 0.401, False),
        ("deploy take run <f>about <n>", 0.1, False),
        ("deploy <n>", 0.1, False),
    ],
)
def test_function_words_may_differ_as_far_as_the_overlap_allows(words: str, threshold: float, near: bool) -> None:
    """R-35: Jaccard with the kind's dial, in integers; a content word that differs keeps a pair apart at any dial."""
    assert are_neighbours(frame("deploy take <n>"), frame(words), threshold) is near


def test_an_overlap_at_the_threshold_reaches_it() -> None:
    """R-35 (D §11): 3 of 5 is 0.6, however that is written in binary; no words at all are equal."""
    one, other = frame("a b c <f>x <n>"), frame("a b c <f>y <n>")
    assert overlap(compared_words(one.words), compared_words(other.words)) == (3, 5)
    assert are_neighbours(one, other, 0.6)
    assert not are_neighbours(one, other, 0.601)
    assert overlap(frozenset(), frozenset()) == (1, 1)


def test_the_overlap_of_a_ruled_pair_stands_in_its_decision() -> None:
    """R-35: "deploys take 5 minutes", "deploys take about 7 minutes": score 2 of 3, threshold 0.6."""
    story = Story().say(1, sentence("deploy take <n>", [("span", "5 min")]))
    story.say(2, sentence("deploy take <f>about <n>", [("span", "7 min")]))
    assert story.ends() == {"5 min": "superseded: latest", "7 min": "active"}
    assert [(one.score, one.threshold) for one in story.decisions()] == [(0.667, 0.6)]


def test_frames_of_function_words_alone_meet_only_where_these_agree() -> None:
    """R-35: "it is 5" and "this is 6" share no word; neither do they rule."""
    story = Story().say(1, sentence("<f>it <n>", [("number", "5")])).say(2, sentence("<f>this <n>", [("number", "6")]))
    assert story.ends() == {"5": "active", "6": "active"}


def test_no_two_lists_of_identities_and_words_share_a_block() -> None:
    """R-35: each list is preceded by its length, so that no word passes for a name."""
    blocks = {
        block_of(frame("a b")),
        block_of(frame("b", identities=("a",))),
        block_of(frame("", identities=("a", "b"))),
        block_of(frame("", identities=("b", "a"))),
        block_of(frame("a b", types=())),
    }
    assert len(blocks) == 4


def test_values_are_told_apart_by_type() -> None:
    """R-35: values in the order of their types; one that does not fit its types is one value of no type."""
    pair = Frame(words=(), identities=(), types=("percent", "cents"))
    assert values_by_type(pair, "2.9% | 30c") == {"percent": ("2.9%",), "cents": ("30c",)}
    assert values_by_type(pair, "odd") == {"": ("odd",)}
    assert values_by_type(Frame(words=(), identities=(), types=()), "") == {}


def test_a_claim_has_no_frame() -> None:
    """D-4: a statement has a claim key or a frame."""
    (point,) = Story().say(1, "lisbon").points()
    assert frame_point(point) is None


def test_a_newcomer_is_held_against_the_strongest_it_contradicts() -> None:
    """R-36 (D-24): of several, the conflict is with the one of the greatest rank."""
    story = Story().say(1, sentence("limit <n>", [("number", "5")]), source="src50")
    story.say(2, sentence("limit <n>", [("money", "3 eur")]), source="src90")
    story.say(3, sentence("limit <n> <n>", [("number", "6"), ("money", "4 eur")]), source="src10")
    rows = story.rows()
    assert story.ends()["6 | 4 eur"] == "quarantined: lower_authority"
    assert [one.memory_ids for one in story.conflicts()] == [(rows["3 eur"].id, rows["6 | 4 eur"].id)]
