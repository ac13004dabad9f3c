"""Properties of keys, contents and passages: small alphabets, built so that two things could collide."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from stemma.core.content import content_hash
from stemma.core.door import Arrival, Known, decide
from stemma.core.merge import Cover, EpisodeRecord, RevisionRecord, SayingRecord, cut, merge
from stemma.core.passages import MOST_WORDS, passages_of
from stemma.records import Content, KeyPolicy, Outcome
from stemma.text import join_key

parts = st.lists(st.text(st.sampled_from("a:%é3A"), max_size=4), min_size=1, max_size=4)
texts = st.lists(st.sampled_from(["a", "e\u0301", "é", "\r\n", "\r", "\n", " "]), max_size=6).map("".join)
instants = st.integers(1, 4).map(lambda day: datetime(2026, 1, day, tzinfo=UTC))
policies = st.sampled_from(list(KeyPolicy))
# A busy machine makes a slow example, and no wrong one.
CALM = settings(deadline=None)


@CALM
@given(parts, parts)
def test_two_lists_of_parts_share_a_key_only_if_they_are_equal(one: list[str], other: list[str]) -> None:
    """R-20: parts are percent-encoded so that no two part lists share a key."""
    normal = [[unicodedata.normalize("NFC", part) for part in listed] for listed in (one, other)]
    assert (join_key(one) == join_key(other)) == (normal[0] == normal[1])


@CALM
@given(texts, texts)
def test_two_texts_share_a_content_only_if_they_differ_in_form_alone(one: str, other: str) -> None:
    """R-20: NFC and newline folding, and nothing more."""

    def folded(text: str) -> str:
        return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))

    same = content_hash(Content(text=one, source="s")) == content_hash(Content(text=other, source="s"))
    assert same == (folded(one) == folded(other))


@CALM
@given(st.lists(st.tuples(st.sampled_from("ab"), instants), min_size=1, max_size=4))
def test_every_order_of_arrival_leaves_the_same_revisions_and_sayings(said: list[tuple[str, datetime]]) -> None:
    """R-2, R-20: what the log holds of a revision key does not depend on the order, only the answers do."""
    received = datetime(2026, 6, 1, tzinfo=UTC)
    held = set()
    for order in permutations(said):
        known: Known | None = None
        for content, at in order:
            one = Arrival(
                episode_id="k", policy=KeyPolicy.REVISION, content_hash=content, occurred_at=at, received_at=received
            )
            if decide(one, known, is_twin=False).new_saying:
                known = known or Known(one.policy)
                known.take(one)
        assert known is not None
        held.add((frozenset(known.sayings), known.current))
    assert len(held) == 1


@CALM
@given(
    policies,
    st.lists(st.tuples(st.sampled_from("ab"), st.none() | instants), min_size=1, max_size=5),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_whatever_was_accepted_is_a_duplicate_when_it_is_sent_again_a_year_later(
    policy: KeyPolicy, said: list[tuple[str, datetime | None]], is_twin: bool, generator: random.Random
) -> None:
    """R-1: under every key policy, in any order, any number of times, with a time or without: no row is new."""
    received = datetime(2026, 6, 1, tzinfo=UTC)
    known: Known | None = None
    accepted: list[Arrival] = []
    for content, at in said:
        named = "a" if policy is KeyPolicy.CONTENT else content
        # A revision comes with a time; the other two may come without, and do so again.
        at = at or (received if policy is KeyPolicy.REVISION else None)
        one = Arrival(episode_id="k", policy=policy, content_hash=named, occurred_at=at, received_at=received)
        verdict = decide(one, known, is_twin=is_twin)
        if verdict.new_saying:
            known = known or Known(policy)
            known.take(one)
        accepted.append(one)
    for again in generator.sample(accepted * 2, 2 * len(accepted)):
        late = replace(again, received_at=received + timedelta(days=366))
        verdict = decide(late, known, is_twin=is_twin)
        assert verdict.outcome is Outcome.DUPLICATE
        assert not (verdict.new_episode or verdict.new_revision or verdict.new_saying)


def records() -> st.SearchStrategy[EpisodeRecord]:
    """Draw a record of one key from one of several logs."""

    @st.composite
    def one(draw: st.DrawFn) -> EpisodeRecord:
        policy = draw(policies)
        most = 1 if policy is KeyPolicy.IDENTITY else 3
        names = st.sampled_from("ab") if policy is KeyPolicy.REVISION else st.just(draw(st.sampled_from("ab")))
        if policy is KeyPolicy.CONTENT:
            names = st.just("k")
        occasions = [(draw(names), draw(instants)) for _ in range(draw(st.integers(1, most)))]
        sayings = {each: SayingRecord(each[1], draw(st.booleans()), draw(instants)) for each in occasions}
        began = min(said.recorded_at for said in sayings.values())
        revisions = {
            name: RevisionRecord(name, min(said.recorded_at for (own, _), said in sayings.items() if own == name))
            for name, _ in sayings
        }
        return EpisodeRecord(
            subject_id="s",
            key="k",
            policy=policy,
            source=draw(st.sampled_from("xy")),
            recorded_at=began,
            revisions=revisions,
            sayings=sayings,
            metadata=draw(st.sampled_from([None, "{}"])),
        )

    return one()


@CALM
@given(records(), records(), records())
def test_joining_records_is_commutative_associative_and_idempotent(
    a: EpisodeRecord, b: EpisodeRecord, c: EpisodeRecord
) -> None:
    """R-2: the join of three logs does not depend on who took in whom first."""
    assert merge(a, b) == merge(b, a)
    assert merge(a, a) == a
    assert merge(merge(a, b), c) == merge(a, merge(b, c))
    assert merge(merge(a, b), b) == merge(a, b)


@CALM
@given(records(), records(), instants)
def test_a_tombstone_takes_the_same_out_before_and_after_a_join(
    a: EpisodeRecord, b: EpisodeRecord, until: datetime
) -> None:
    """R-92: what was erased is gone from the join, whichever side it stood on."""
    cover = Cover(until=until)
    left = [record for record in (cut(a, cover), cut(b, cover)) if record is not None]
    joined = left[0] if len(left) == 1 else merge(*left) if left else None
    whole = cut(merge(a, b), cover)
    if a.policy is b.policy is KeyPolicy.CONTENT:
        assert (whole and whole.sayings.keys()) == (joined and joined.sayings.keys())
    assert joined is None or cut(joined, cover) == joined
    assert joined is None or all(not cover.covers(joined.policy, at) for _, at in joined.sayings)


@CALM
@given(st.lists(st.sampled_from(["word", " ", ". ", "\n\n", "数", "。", "a_b", "\u0301"]), max_size=200).map("".join))
def test_passages_cover_the_text_in_order_without_overlap(text: str) -> None:
    """R-41: the union of the passages is the text, white space at their edges apart."""
    spans = passages_of(text, MOST_WORDS // 10)
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    gaps = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    assert not "".join(gaps).strip()
