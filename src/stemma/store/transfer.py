"""Streaming the whole log out in one order, and writing joined records over it. How to join is `core/merge`'s."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from stemma.record_json import decode
from stemma.records import HumanAct, LogEpisode, Saying
from stemma.store.episodes import Content, Occasion, episode_columns, revision_columns, saying_columns
from stemma.store.erasure import Secret, StoredTombstone
from stemma.store.transaction import Row, Transaction

_PAGE = 200
ExtractionRow = tuple[str, str, str, str, datetime]


def secrets(t: Transaction) -> list[Secret]:
    """Return the tenant's secrets in order of id."""
    rows = t.all("export_secrets")
    return [Secret(row["secret_id"], bytes(row["secret"]), row["recorded_at"]) for row in rows]


def tombstones(t: Transaction) -> Iterator[StoredTombstone]:
    """Yield every tombstone in order of (secret id, digest)."""
    for row in t.stream("export_tombstones"):
        yield StoredTombstone(row["secret_id"], bytes(row["digest"]), row["covers_until"], row["erased_at"])


def episode_pages(t: Transaction) -> Iterator[list[Row]]:
    """Yield the rows of every episode in order of id, a page at a time."""
    page: list[Row] = []
    for row in t.stream("export_episodes", size=_PAGE):
        page.append(row)
        if len(page) == _PAGE:
            yield page
            page = []
    if page:
        yield page


def extractions(t: Transaction) -> Iterator[Row]:
    """Yield every extraction with the subject and key of its episode, in order of (episode, content, extractor)."""
    return t.stream("export_extractions", size=_PAGE)


def acts(t: Transaction) -> Iterator[Row]:
    """Yield every human act in order of id."""
    return t.stream("export_acts", size=_PAGE)


def page_of_keys(t: Transaction, *, after: str, limit: int) -> list[Row]:
    """Return the names of episodes in order of id, after the one named."""
    return t.all("page_of_episode_keys", {"after": after, "limit": limit})


def page_of_acts(t: Transaction, *, after: str, limit: int) -> list[HumanAct]:
    """Return human acts in order of id, after the one named."""
    return [decode(HumanAct, row["body"]) for row in t.all("page_of_acts", {"after": after, "limit": limit})]


def early_subjects(t: Transaction, subjects: Sequence[tuple[str, datetime]]) -> None:
    """Make subjects known, each with when it was first heard of in either log."""
    named = {"subjects": [each for each, _ in subjects], "recorded_ats": [at for _, at in subjects]}
    t.execute("early_subjects", named)


def replace_episodes(t: Transaction, episodes: Iterable[tuple[LogEpisode, str]]) -> None:
    """Write the rows of episodes, each with its group, over what stood there."""
    if rows := sorted(episodes, key=lambda each: each[0].episode_id):
        t.execute("replace_episodes", episode_columns(rows))


def replace_revisions(t: Transaction, contents: dict[Content, tuple[str, datetime]]) -> None:
    """Write contents over what stood there."""
    if contents:
        t.execute("replace_revisions", revision_columns(contents))


def replace_sayings(t: Transaction, sayings: Iterable[tuple[str, Saying]]) -> None:
    """Write sayings over what stood there."""
    if rows := list(sayings):
        t.execute("replace_sayings", saying_columns(rows))


def drop_revisions(t: Transaction, contents: Iterable[Content]) -> None:
    """Delete contents that did not stand, with their extractions."""
    if rows := sorted(contents):
        named = {"episode_ids": [episode for episode, _ in rows], "content_hashes": [content for _, content in rows]}
        t.execute("drop_revisions", named)
        t.execute("drop_extractions", named)


def drop_sayings(t: Transaction, occasions: Iterable[Occasion]) -> None:
    """Delete sayings that did not stand."""
    if rows := sorted(occasions):
        times = [at for _, _, at in rows]
        named = {"episode_ids": [each for each, _, _ in rows], "content_hashes": [content for _, content, _ in rows]}
        t.execute("drop_sayings", {**named, "occurred_ats": times})


def replace_extractions(t: Transaction, rows: Sequence[ExtractionRow]) -> list[str]:
    """Write (episode, content hash, extractor, body, recorded_at) where the content is there; the earlier stands.

    Return the episodes whose extraction is new or another one now.
    """
    listed = sorted(rows)
    found = t.all(
        "replace_extractions",
        {
            "episode_ids": [row[0] for row in listed],
            "content_hashes": [row[1] for row in listed],
            "extractors": [row[2] for row in listed],
            "bodies": [row[3] for row in listed],
            "recorded_ats": [row[4] for row in listed],
        },
    )
    return [row["episode_id"] for row in found]
