"""The outcome of one arrival, from what is stored for its key (R-20, R-21, R-22)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from stemma.core.door import Arrival, Known, decide
from stemma.records import KeyPolicy, Outcome

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def day(number: int) -> datetime:
    """Give a day of May."""
    return datetime(2026, 5, number, tzinfo=UTC)


def arrival(policy: KeyPolicy, content: str, at: datetime | None, *, received_at: datetime = NOON) -> Arrival:
    """Make an arrival of key `k`."""
    return Arrival(episode_id="k", policy=policy, content_hash=content, occurred_at=at, received_at=received_at)


def outcomes(*arrivals: Arrival) -> list[str]:
    """Let arrivals come one after the other, and give the outcome of each."""
    known: Known | None = None
    found = []
    for one in arrivals:
        verdict = decide(one, known, is_twin=False)
        found.append(verdict.outcome.value)
        if verdict.new_saying:
            known = known or Known(one.policy)
            known.take(one)
    return found


def revisions(*said: tuple[str, int]) -> list[str]:
    """Give the outcomes of revisions, each as (content, day)."""
    return outcomes(*(arrival(KeyPolicy.REVISION, content, day(number)) for content, number in said))


def test_under_identity_the_first_content_stays() -> None:
    """R-20 identity: another content is a duplicate that says so, and enters nothing."""
    known = Known(KeyPolicy.IDENTITY, {"a"}, {("a", day(1))})
    verdict = decide(arrival(KeyPolicy.IDENTITY, "b", day(2)), known, is_twin=False)
    assert (verdict.outcome, verdict.content_changed, verdict.new_saying) == (Outcome.DUPLICATE, True, False)
    again = decide(arrival(KeyPolicy.IDENTITY, "a", day(2)), known, is_twin=False)
    assert (again.outcome, again.content_changed, again.new_saying) == (Outcome.DUPLICATE, False, False)


def test_under_content_another_time_is_a_saying_and_none_is_a_duplicate() -> None:
    """R-20 content, R-22: a saying needs a time."""
    said = [arrival(KeyPolicy.CONTENT, "a", at) for at in (day(1), day(1), day(2), None, day(2))]
    assert outcomes(*said) == ["created", "duplicate", "restated", "duplicate", "duplicate"]


def test_a_revert_makes_an_old_content_current_again() -> None:
    """R-20 revision: 180, 90, 180."""
    assert revisions(("180", 1), ("90", 2), ("180", 3)) == ["created", "revised", "revised"]


def test_a_late_revision_displaces_nothing() -> None:
    """R-20 revision: an older content that comes late is recorded as stale."""
    assert revisions(("b", 5), ("a", 2)) == ["created", "stale_revision"]
    assert revisions(("b", 5), ("a", 2), ("a", 3)) == ["created", "stale_revision", "restated"]


def test_the_current_content_said_again_is_restated() -> None:
    """R-20 revision: it is current already, before and after."""
    assert revisions(("a", 1), ("a", 3), ("a", 2), ("a", 3)) == ["created", "restated", "restated", "duplicate"]


def test_two_revisions_of_one_time_are_ordered_by_hash() -> None:
    """R-20 revision: ties by hash, whatever came first."""
    assert revisions(("a", 1), ("b", 1)) == ["created", "revised"]
    assert revisions(("b", 1), ("a", 1)) == ["created", "stale_revision"]


@pytest.mark.parametrize(("ahead", "sound"), [(299, True), (300, True), (301, False), (9 * 86_400, False)])
def test_a_stamp_ahead_of_receipt_by_more_than_five_minutes_is_marked(ahead: int, sound: bool) -> None:
    """R-22: the mark is made at the door."""
    assert arrival(KeyPolicy.CONTENT, "a", NOON + timedelta(seconds=ahead)).sound is sound


def test_a_message_from_the_future_marks_its_episode() -> None:
    """R-22: every stamp of an episode counts."""
    early = Arrival(
        episode_id="k",
        policy=KeyPolicy.CONTENT,
        content_hash="a",
        occurred_at=NOON,
        received_at=NOON,
        message_times=(None, NOON + timedelta(hours=1)),
    )
    assert not early.sound


def test_a_marked_revision_never_displaces_a_sound_one() -> None:
    """R-22: a marked saying ranks before every other."""
    future = NOON + timedelta(days=30)
    said = [("a", future), ("b", day(1)), ("c", future)]
    assert outcomes(*(arrival(KeyPolicy.REVISION, content, at) for content, at in said)) == [
        "created",
        "revised",
        "stale_revision",
    ]


def test_a_twin_is_stored_and_answered_as_a_duplicate() -> None:
    """R-21: the first publication answers for its event; the twin may turn out to be the one that speaks."""
    verdict = decide(arrival(KeyPolicy.IDENTITY, "a", day(1)), None, is_twin=True)
    assert (verdict.outcome, verdict.new_episode, verdict.new_saying) == (Outcome.DUPLICATE, True, True)
