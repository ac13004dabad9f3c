"""From a group of episodes to points: who speaks, when it counts, on whose word, dead or alive."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from stemma.core.keys import group_id
from stemma.core.points import points_of
from stemma.records import (
    Act,
    Candidate,
    Content,
    Extraction,
    KeyPolicy,
    LogEpisode,
    Message,
    Registry,
    SaidBy,
    Saying,
    Source,
)
from stemma.state import Point
from stemma.text import hash_parts
from tests.unit.core.stories import Story, claim, day, document, sentence

REGISTRY = Registry(kinds={}, claim_keys={}, sources={"wiki": Source(name="wiki", authority=20)})


def episode(key: str = "k", **changes: object) -> LogEpisode:
    """Make an episode of one content `h`, said on day 1."""
    made = LogEpisode(
        subject_id="s",
        key=key,
        episode_id=f"id:{key}",
        policy=KeyPolicy.IDENTITY,
        source="api",
        revisions={"h": Content(text="home: lisbon")},
        sayings=(said(1),),
        recorded_at=day(0),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def said(at: float, content: str = "h", **changes: object) -> Saying:
    """Make a sound saying."""
    made = Saying(content_hash=content, occurred_at=day(at), sound=True, recorded_at=day(0))
    return replace(made, **changes)  # type: ignore[arg-type]


def points(*group: LogEpisode, found: Candidate | None = None, registry: Registry = REGISTRY) -> tuple[Point, ...]:
    """Make the points of a group in which every content says the same."""
    extraction = Extraction("x", (found or claim("lisbon"),), ())
    extractions = {(each.key, content): extraction for each in group for content in each.revisions}
    return points_of(group, extractions, registry, tenant="t", subject="s", documents={})


def test_a_point_carries_who_said_it_and_what_for() -> None:
    """R-35a, R-36: origin, group and conversation follow from the saying; the id from what is said."""
    (point,) = points(episode(speaker="ann"))
    assert point.group == group_id("k", None)
    assert point.conversation == hash_parts("stream", "api", "ann")
    assert point.origin == hash_parts("api", "ann", "2026-01-02")
    assert point.memory_id == hash_parts("t", "s", point.unit, "lisbon", "affirmed", "")
    assert (point.authority, point.time, point.occurred_at, point.dead) == (50, day(1), day(1), None)


def test_a_session_is_the_conversation_and_the_occasion() -> None:
    """R-36: origin of a saying: source, speaker and session, else the UTC day."""
    (point,) = points(episode(sayings=(said(1, session_id="s1"),)))
    assert point.conversation == hash_parts("session", "api", "s1")
    assert point.origin == hash_parts("api", "", "s1")


@pytest.mark.parametrize(
    ("source", "said_by", "authority"),
    [("wiki", SaidBy.USER, 20), ("api", SaidBy.USER, 50), ("api", SaidBy.AGENT, 30), ("wiki", SaidBy.AGENT, 20)],
)
def test_authority_is_the_sources_and_an_agents_at_most_thirty(source: str, said_by: SaidBy, authority: int) -> None:
    """R-33a: an agent's saying has at most authority 30."""
    (point,) = points(episode(source=source, said_by=said_by))
    assert point.authority == authority


def test_a_revision_speaks_with_its_own_source() -> None:
    """R-20: two revisions of one key may come from two sources, and each names its speaker, or none."""
    content = Content(text="x", source="wiki", said_by=SaidBy.USER)
    (point,) = points(episode(source="api", speaker="ann", revisions={"h": content}))
    assert (point.source, point.speaker, point.authority) == ("wiki", None, 20)


def test_of_a_business_group_the_smallest_time_then_key_speaks() -> None:
    """R-21 (D-11): the others are silent twins; both arrival orders give one state."""
    first, second = episode("b", sayings=(said(2),)), episode("a", sayings=(said(2), said(3)))
    late = episode("c", sayings=(said(1, sound=False),))
    for group in ((first, second, late), (late, second, first)):
        assert {point.key for point in points(*group)} == {"a"}
    assert {point.key for point in points(late, episode("z", sayings=()))} == {"c"}


def test_nobody_speaks_where_nothing_was_said() -> None:
    """D-22: an episode without sayings is as if it were not there."""
    assert points(episode(sayings=())) == ()


def test_content_that_was_not_extracted_says_nothing_yet() -> None:
    """R-31: a failed extraction leaves the episode uncompiled, and the rest of its group counts."""
    made = points_of([episode()], {}, REGISTRY, tenant="t", subject="s", documents={})
    assert made == ()


def test_the_current_revision_is_the_latest_said_and_a_revert_is_current_again() -> None:
    """R-20 (D-11): 180, 90, 180: the old content said again is the current revision."""
    story = Story()
    for at, value in ((1, "180"), (5, "90"), (9, "180")):
        story.say(at, value, key="doc", policy="revision")
    assert story.ends() == {"180": "active", "90": "tombstoned: revision_replaced"}
    assert story.rows()["180"].times_said == 2
    assert Story().say(5, "90", key="doc", policy="revision").say(1, "180", key="doc", policy="revision").ends() == {
        "90": "active",
        "180": "tombstoned: revision_replaced",
    }


def test_a_marked_revision_never_replaces_a_sound_one() -> None:
    """R-22 (D-11): current is the greatest (sound, time, hash)."""
    story = Story().say(1, "90", key="doc", policy="revision")
    story.say(900, "180", key="doc", policy="revision", sound=False)
    assert story.ends()["90"] == "active"


def test_what_an_old_revision_shares_with_the_current_one_stays() -> None:
    """R-20 (D §11): two revisions never share a point, so withdrawing one leaves the other's."""
    story = Story().say(1, [claim("180"), claim("blue", claim_key="colour")], key="doc", policy="revision")
    story.say(5, [claim("180"), claim("red", claim_key="colour")], key="doc", policy="revision")
    assert story.ends() == {"180": "active", "blue": "tombstoned: revision_replaced", "red": "active"}
    assert story.rows()["180"].times_said == 1


def test_a_message_with_its_own_time_counts_at_that() -> None:
    """R-35a: the same turn exported twice was said once."""
    own = day(0.5)
    content = Content(messages=(Message("user", "hello"), Message("user", "home: lisbon")))
    sayings = tuple(said(at, message_times=(None, own)) for at in (1, 2))
    made = points(episode(revisions={"h": content}, sayings=sayings), found=claim("lisbon", message=1))
    assert [(point.time, point.occurred_at, point.message) for point in made] == [(own, own, 1)]


def test_moments_are_read_in_the_zone_of_the_saying() -> None:
    """Issue 3: "this week" against the episode's own time and zone, never the day of processing."""
    kolkata = timezone(timedelta(hours=5, minutes=30))
    saying = replace(said(0), occurred_at=datetime(2026, 3, 2, 1, 0, tzinfo=kolkata))
    week = claim("berlin", valid_from="week", valid_to="week+1")
    made = points(episode(sayings=(saying,)), found=week)
    monday = datetime(2026, 3, 2, tzinfo=kolkata)
    assert {(point.valid_from, point.valid_to) for point in made} == {(monday, monday + timedelta(days=7))}
    assert sorted(point.time for point in made) == [monday, saying.occurred_at]


@pytest.mark.parametrize(
    ("changes", "counts_at", "dead"),
    [
        ({}, [5.0], None),
        ({"valid_from": 2}, [2.0, 5.0], None),
        ({"valid_from": 2, "holds_when_said": False}, [2.0], None),
        ({"valid_from": 9}, [9.0], None),
        ({"valid_from": 5}, [5.0], None),
        ({"valid_from": 1, "valid_to": 3}, [1.0], None),
        ({"valid_from": 1, "valid_to": 9}, [1.0, 5.0], None),
        ({"valid_to": 9}, [5.0], None),
        ({"valid_from": 2, "valid_to": 2}, [2.0], "empty_interval"),
        ({"valid_from": 9, "valid_to": 2}, [9.0], "invalid_interval"),
        ({"act": Act.END}, [5.0], None),
        ({"act": Act.END, "valid_to": 3}, [3.0, 5.0], None),
        ({"act": Act.END, "valid_from": 9}, [9.0], None),
        ({"act": Act.WRONG, "valid_from": 2}, [5.0], None),
    ],
)
def test_a_statement_counts_where_it_says(changes: dict[str, object], counts_at: list[float], dead: str | None) -> None:
    """R-35a (D-10, D-17): at its beginning, else when said; both for words about a present in which they hold."""
    moments = {
        name: f"abs:{day(float(str(value))).isoformat()}" if name.startswith("valid") else value
        for name, value in changes.items()
    }
    made = points(episode(sayings=(said(5),)), found=claim("lisbon", **moments))
    assert [point.time for point in made] == [day(at) for at in counts_at]
    assert {point.dead for point in made} == {dead}


def test_a_moment_that_cannot_be_read_kills_its_statement_and_nothing_else() -> None:
    """R-11: an extractor's slip never stops the subject."""
    (point,) = points(episode(), found=claim("lisbon", valid_from="someday"))
    assert (point.dead, point.valid_from) == ("invalid_interval", None)


def test_an_end_names_the_open_statement_of_its_value() -> None:
    """R-34a (D-18): whatever window its words have, the id is that of what was said without one."""
    (stated,) = points(episode())
    (ended, *_) = points(episode(), found=claim("lisbon", act=Act.END, valid_to=f"abs:{day(0).isoformat()}"))
    assert ended.memory_id == stated.memory_id


def test_that_was_wrong_names_nothing_yet() -> None:
    """R-34a (D-19): its unit is found over the conversation."""
    (point,) = points(episode(), found=claim("", act=Act.WRONG_LAST, claim_key=None))
    assert (point.unit, point.memory_id) == ("", "")


@pytest.mark.parametrize(
    ("present", "end"),
    [
        (document("d", "whatever", revision="v1"), "active"),
        (document("d", "the rate is 2.9% today", revision="v2"), "active"),
        (document("d", "The  RATE is\n2.9%", revision="v2"), "active"),
        (document("d", "the rate is 3.1% today", revision="v2"), "tombstoned: source_changed"),
        (document("d", "the rate is 12.9% today", revision="v2"), "tombstoned: source_changed"),
        (document("d", "the rate is 2.9% today", revision=None), "tombstoned: source_gone"),
        (None, "tombstoned: source_gone"),
    ],
)
def test_a_support_stands_while_the_current_revision_holds_its_words(present: object, end: str) -> None:
    """R-38 (D-23): folded, at word boundaries; silently pinned anew, else withdrawn."""
    story = Story().say(1, sentence("the rate is 2.9%"), document="d")
    if present is not None:
        folded = replace(present, folded_text=" ".join(present.folded_text.casefold().split()))  # type: ignore[type-var,attr-defined]
        story.documents["c", "d"] = folded
    assert story.ends() == {"the rate is 2.9%": end}


def test_words_without_spaces_stand_inside_a_sentence() -> None:
    """R-38: scripts that write no spaces have no word boundary to keep."""
    story = Story().say(1, sentence("备用钥匙在三号柜"), document="d")
    story.documents["c", "d"] = document("d", "请注意备用钥匙在三号柜里。", revision="v2")
    assert set(story.ends().values()) == {"active"}


def test_a_documents_copies_are_one_origin() -> None:
    """R-36, R-65: the origin of an episode learned from a document is the document's."""
    story = Story(documents={("c", "one"): document("one"), ("c", "two"): document("two")})
    story.say(1, "lisbon", document="one").say(2, "lisbon", document="two")
    assert (story.rows()["lisbon"].times_said, story.rows()["lisbon"].independent_origins) == (2, 1)
    story.documents["c", "two"] = document("two", origin="")
    assert story.rows()["lisbon"].independent_origins == 2


def test_an_agents_saying_moves_the_last_said_only_where_agents_alone_have_said_it() -> None:
    """R-33a, R-5: a user's memory does not grow young because an agent repeats it."""
    story = Story().say(1, "lisbon").say(5, "lisbon", said_by="agent")
    assert (story.rows()["lisbon"].last_said_at, story.rows()["lisbon"].times_said) == (day(1), 2)
    agents = Story().say(1, "lisbon", said_by="agent").say(5, "lisbon", said_by="agent")
    assert agents.rows()["lisbon"].last_said_at == day(5)


def test_the_wording_shown_is_the_strongest_then_the_shortest() -> None:
    """R-2 (D-7): a choice without time, which an untrusted echo cannot make."""
    story = Story().say(1, claim("lisbon", text="I live in Lisbon, by the river"), source="src90")
    story.say(2, claim("lisbon", text="Lisbon it is, in the evening"), source="src90")
    story.say(3, claim("lisbon", text="X"), source="src10")
    assert story.rows()["lisbon"].text == "Lisbon it is, in the evening"
    assert story.rows()["lisbon"].authority == 90
