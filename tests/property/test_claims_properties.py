"""Names of units and memories: nothing that says something else shares one, however its parts are cut (D-4, D-6)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from stemma.core.claims import MASK, frame_words, memory_id, named_voice, split_values, unit_of
from stemma.core.keys import act_digest, business_digest, event_id, group_id, key_digest
from stemma.records import Act, Candidate, Frame, Polarity
from stemma.text import episode_id

# Parts that run into one another if they are put together without their lengths.
PARTS = st.text(st.sampled_from("a|:1"), max_size=3)
LISTS = st.lists(PARTS, max_size=3).map(tuple)
FRAMES = st.builds(Frame, LISTS, LISTS, LISTS)
MORE = settings(max_examples=300, deadline=None)


def candidate(**parts: object) -> Candidate:
    """Make a statement of which only its name matters."""
    made = Candidate(place=0, act=Act.SAY, voice="own", kind="fact", value="v", shown="v", text="v", start=0, end=1)
    return replace(made, **parts)  # type: ignore[arg-type]


CLAIMS = st.builds(lambda voice, key, scope: candidate(voice=voice, claim_key=key, scope=scope), PARTS, PARTS, PARTS)
FRAMED = st.builds(lambda voice, kind, frame: candidate(voice=voice, kind=kind, frame=frame), PARTS, PARTS, FRAMES)


def _said(one: Candidate) -> tuple[object, ...]:
    return (one.voice, one.claim_key, one.scope) if one.frame is None else (one.voice, one.kind, one.frame)


@MORE
@given(CLAIMS | FRAMED, CLAIMS | FRAMED)
def test_two_statements_share_a_unit_only_if_they_are_about_one_thing(one: Candidate, other: Candidate) -> None:
    """D-4: voice, claim key and scope; or voice, kind, ordered words, ordered identities, types."""
    assert (unit_of(one) == unit_of(other)) == (_said(one) == _said(other))


@MORE
@given(*([st.tuples(PARTS, PARTS, PARTS, PARTS, st.sampled_from(Polarity), PARTS)] * 2))
def test_two_memories_share_an_id_only_if_they_say_one_thing_of_one_subject(
    one: tuple[str, str, str, str, Polarity, str], other: tuple[str, str, str, str, Polarity, str]
) -> None:
    """D-6, R-12: tenant and subject lead every id, so that not even an id of another tenant can be guessed."""
    assert (memory_id(*one) == memory_id(*other)) == (one == other)


@MORE
@given(*([st.tuples(PARTS, PARTS, PARTS)] * 2))
def test_two_episodes_share_an_id_only_under_one_key_of_one_subject_of_one_tenant(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    """R-1, R-12: derived, never generated."""
    assert (episode_id(*one) == episode_id(*other)) == (one == other)


@MORE
@given(*([st.tuples(PARTS, st.none() | PARTS)] * 2))
def test_two_keys_are_one_event_only_by_one_business_key_or_as_one_key(
    one: tuple[str, str | None], other: tuple[str, str | None]
) -> None:
    """R-21: a key spelt like a business key is no event of it."""
    same = one[1] == other[1] and (one[1] is not None or one[0] == other[0])
    assert (group_id(*one) == group_id(*other)) == same
    if one[1] is not None:
        assert group_id(*one) == event_id(one[1])


@MORE
@given(
    *([st.tuples(st.sampled_from([key_digest, business_digest, act_digest]), st.binary(max_size=2), PARTS, PARTS)] * 2)
)
def test_two_tombstones_are_one_only_for_one_thing_under_one_secret(one: tuple, other: tuple) -> None:  # type: ignore[type-arg]
    """R-92: what was erased is named apart by kind, secret, subject and name."""
    # HMAC fills a short secret up with zero bytes, so secrets that differ in these alone are one.
    left, right = ((each[0], each[1].rstrip(b"\0"), *each[2:]) for each in (one, other))
    assert (one[0](*one[1:]) == other[0](*other[1:])) == (left == right)


@given(LISTS, st.sampled_from(["own", "assistant"]), PARTS)
def test_masks_are_no_words_and_a_third_party_is_neither_the_user_nor_the_assistant(
    words: tuple[str, ...], voice: str, name: str
) -> None:
    """D-4, D-24."""
    assert frame_words(Frame((*words, MASK), (), ())) == set(words)
    assert named_voice(name) not in {voice, name}


@given(st.lists(st.text(st.sampled_from("a1% "), min_size=1, max_size=3), max_size=3))
def test_values_come_apart_as_they_were_put_together(values: list[str]) -> None:
    """D-4: the values of a frame stand in one text, in the order of its types."""
    assert split_values(" | ".join(values)) == tuple(values)
