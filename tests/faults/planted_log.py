"""What the test of `verify` alters in the log itself: each is to be named, and left."""

from __future__ import annotations

from tests.faults.planted import HELD, Plant, content, episode

IN_LOG = (
    Plant(
        "words of an episode altered",
        content("allergy"),
        (f"UPDATE revisions SET content = replace(content, 'peanuts', 'Mallory') WHERE {HELD}",),
        ("content_altered",),
        "was altered",
        subject="bo",
    ),
    Plant(
        "content unreadable",
        content("rate:2"),
        (f"UPDATE revisions SET content = '{{' WHERE {HELD}",),
        ("content_unreadable",),
        "cannot be read",
        subject="bo",
    ),
    Plant(
        "only saying deleted",
        content("home:1"),
        (f"DELETE FROM sayings WHERE {HELD}",),
        ("saying_missing",),
        "does not hold",
        subject="bo",
    ),
    Plant(
        "one of two sayings deleted",
        (
            "SELECT episode_id || '/' || content_hash FROM sayings JOIN episodes e USING (tenant_id, episode_id) "
            "WHERE e.subject_id = %(subject)s AND e.policy = 'content' GROUP BY 1 HAVING count(*) = 2"
        ),
        (
            (
                f"DELETE FROM sayings WHERE {HELD} AND occurred_at = (SELECT min(s.occurred_at) FROM sayings s "
                "WHERE s.episode_id || '/' || s.content_hash = %(id)s)"
            ),
        ),
        ("saying_missing",),
        "rests on its saying of 2026-01-13",
        subject="bo",
    ),
    Plant(
        "content deleted",
        content("home:2"),
        (f"DELETE FROM revisions WHERE {HELD}",),
        ("revision_missing", "extraction_orphan"),
        "does not hold this content",
        subject="bo",
    ),
    Plant(
        "episode deleted",
        episode("rate:1"),
        tuple(f"DELETE FROM {table} WHERE episode_id = %(id)s" for table in ("sayings", "revisions", "episodes")),
        ("episode_missing", "extraction_orphan"),
        "does not hold the episode 'rate:1'",
        subject="bo",
    ),
    Plant(
        "event of another",
        episode("channel:4"),
        ("UPDATE episodes SET business_key = 'b' WHERE episode_id = %(id)s",),
        ("episode_group_differs",),
        "altered",
        subject="bo",
    ),
    Plant(
        "source of another",
        episode("job:6"),
        ("UPDATE episodes SET source = 'web' WHERE episode_id = %(id)s",),
        ("episode_altered",),
        "source",
        subject="bo",
    ),
    Plant(
        "act deleted",
        "SELECT act_id FROM acts WHERE subject_id = %(subject)s",
        ("DELETE FROM acts WHERE act_id = %(id)s",),
        ("act_missing",),
        "does not hold this human act",
        subject="bo",
    ),
    Plant(
        "act of another kind",
        "SELECT act_id FROM acts WHERE subject_id = %(subject)s",
        ("UPDATE acts SET kind = 'retype' WHERE act_id = %(id)s",),
        ("act_altered",),
        "kind is retype, derived is forget",
        subject="bo",
        alone=True,
    ),
    Plant(
        "tombstone deleted",
        "SELECT encode(min(digest), 'hex') FROM tombstones",
        ("DELETE FROM tombstones WHERE encode(digest, 'hex') = %(id)s",),
        ("tombstone_missing",),
        "could come back",
        subject=None,
    ),
    Plant(
        "tombstone cut short",
        "SELECT encode(max(digest), 'hex') FROM tombstones",
        ("UPDATE tombstones SET covers_until = '2020-01-01Z' WHERE encode(digest, 'hex') = %(id)s",),
        ("tombstone_altered",),
        "does not cover",
        subject=None,
    ),
)
