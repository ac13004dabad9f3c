"""Joining two records of one key, and what a tombstone takes out of a record (R-2, R-92)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from stemma.core.acts import identified
from stemma.core.merge import Cover, EpisodeRecord, RevisionRecord, SayingRecord, cover_of, cut, cut_act, merge
from stemma.records import ActKind, HumanAct, KeyPolicy, NamedMemory, NamedSaying


def day(number: int) -> datetime:
    """Give a day of May."""
    return datetime(2026, 5, number, tzinfo=UTC)


def record(policy: KeyPolicy, *said: tuple[str, int, int], metadata: str | None = None) -> EpisodeRecord:
    """Make a record of sayings, each as (content, day said, day recorded)."""
    sayings = {(name, day(at)): SayingRecord(day(at), True, day(received)) for name, at, received in said}
    return EpisodeRecord(
        subject_id="s",
        key="k",
        policy=policy,
        source="api",
        recorded_at=min(day(received) for _, _, received in said),
        revisions={name: RevisionRecord(name, day(received)) for name, _, received in reversed(said)},
        sayings=sayings,
        metadata=metadata,
    )


def test_under_identity_the_content_that_was_recorded_first_stands_alone() -> None:
    """R-20, R-2: as at one door."""
    first, second = record(KeyPolicy.IDENTITY, ("a", 9, 10)), record(KeyPolicy.IDENTITY, ("b", 1, 11))
    assert merge(first, second) == merge(second, first) == first


def test_revisions_and_sayings_of_both_logs_are_kept() -> None:
    """R-3: nothing that either log holds is lost."""
    first = record(KeyPolicy.REVISION, ("a", 1, 10), ("b", 2, 11))
    second = record(KeyPolicy.REVISION, ("b", 2, 9), ("c", 3, 12))
    joined = merge(first, second)
    assert {name for name, _ in joined.sayings} == {"a", "b", "c"}
    assert joined.sayings[("b", day(2))].recorded_at == day(9)
    assert joined.recorded_at == day(9)


def test_a_key_under_two_policies_keeps_the_richer_history() -> None:
    """R-2: which one stands does not depend on the order in which three logs meet."""
    one, rich = record(KeyPolicy.IDENTITY, ("a", 1, 1)), record(KeyPolicy.REVISION, ("a", 2, 5), ("b", 3, 6))
    assert merge(one, rich) == merge(rich, one) == rich


def test_a_tombstone_of_a_content_key_takes_the_sayings_up_to_the_erasure() -> None:
    """R-92: a later saying is a new one; what came with an erased one goes with it."""
    said = record(KeyPolicy.CONTENT, ("a", 1, 10), ("a", 7, 11), metadata='{"file":"secret.txt"}')
    left = cut(said, Cover(until=day(5)))
    assert left is not None
    assert set(left.sayings) == {("a", day(7))}
    assert (left.metadata, left.recorded_at, left.revisions["a"].recorded_at) == (None, day(11), day(11))
    assert cut(said, Cover(until=day(7))) is None
    assert cut(said, Cover()) == said


def test_a_tombstone_of_any_other_key_takes_the_record_whole() -> None:
    """R-92: an identity or revision key is refused for ever."""
    said = record(KeyPolicy.REVISION, ("a", 1, 10), ("b", 7, 11))
    assert cut(said, Cover(everything=True)) is None
    assert cut(said, Cover(until=day(1))) is None


def test_an_erased_saying_takes_its_business_event_along() -> None:
    """D-22: else a twin brings the text back."""
    said = replace(record(KeyPolicy.CONTENT, ("a", 1, 10), ("a", 7, 11)), business_key="order:7")
    assert cut(said, Cover(until=day(5))) is None


def test_the_widest_of_several_tombstones_counts() -> None:
    """R-92: two stores may have erased one key."""
    assert cover_of([day(1), day(3)]) == Cover(until=day(3))
    assert cover_of([day(1), None]) == Cover(everything=True)
    assert cover_of([]) == Cover()


def act(*memories: tuple[str, ...]) -> HumanAct:
    """Make an act that names memories, each by the keys of its sayings."""
    named = tuple(
        NamedMemory(
            unit="u",
            memory_id="".join(keys),
            kind="fact",
            text="t",
            value="v",
            sayings=tuple(NamedSaying(key, "h", day(1), 0, 0, 1) for key in keys),
        )
        for keys in memories
    )
    made = HumanAct(id="", kind=ActKind.CHOOSE, subject_id="s", at=day(2), memories=named, recorded_at=day(2))
    return identified(made)


def test_an_act_loses_its_erased_sayings_and_keeps_its_name() -> None:
    """R-92: an erasure reaches the human acts that name what was erased."""
    whole = act(("a", "b"), ("c",))
    left = cut_act(whole, lambda said: said.key == "a")
    assert left is not None
    assert [[said.key for said in memory.sayings] for memory in left.memories] == [["b"], ["c"]]
    assert left.id == whole.id


def test_a_ruling_one_of_whose_sides_is_erased_goes() -> None:
    """D-20: it has no effect."""
    assert cut_act(act(("a",), ("b",)), lambda said: said.key == "a") is None


def test_an_act_is_named_by_all_it_says_but_when_it_was_recorded() -> None:
    """R-37: the same act replayed later is the same act."""
    one = act(("a",))
    assert identified(replace(one, recorded_at=day(9))).id == one.id
    assert identified(replace(one, at=day(9))).id != one.id
