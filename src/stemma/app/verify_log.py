"""The half of the check that looks at the log itself: contents, groups, extractions, indexed episodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stemma.app.compile import extract_content
from stemma.app.episode_index import lexical_rows
from stemma.app.runtime import Runtime
from stemma.core import codec
from stemma.core.content import content_hash
from stemma.core.derive import Log
from stemma.core.extract import Extractor
from stemma.core.keys import group_id
from stemma.records import Extraction, LogEpisode, Registry
from stemma.store import log, scan
from stemma.store.index import LexicalRow
from stemma.store.transaction import Row, Transaction
from stemma.text import episode_id


@dataclass(slots=True)
class Found:
    """What was looked at in one subject, and the faults as (kind, id)."""

    episodes: int = 0
    memories: int = 0
    uncompiled: int = 0
    faults: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Whole:
    """All of one subject's log with what it is derived by; `head` is the subject's own row."""

    log: Log
    registry: Registry
    extractor: Extractor
    head: Row
    episode_items: list[LexicalRow]


def check(t: Transaction, runtime: Runtime, subject: str, found: Found) -> Whole:
    """Read a subject's log, add its faults, and return it for the derivation."""
    head = t.one("subject_news", {"subject_id": subject})
    registry, extractor = runtime.registered(t)
    groups = [group for *_, group in scan.groups(t, subject)]
    episodes = log.episodes_of_groups(t, subject, sorted(set(groups)))
    found.episodes = len(episodes)
    found.faults += _names(t, subject)
    found.faults += [fault for each in episodes for fault in _contents(each)]
    waiting = bool(head["dirty"]) or head["extractor"] != extractor.version
    extractions = _extractions(t, extractor, episodes, found, waiting=waiting)
    items = _episode_items(t, subject, episodes, found)
    whole = Log(tenant=t.tenant, subject=subject, episodes=episodes, extractions=extractions, acts=log.acts(t, subject))
    return Whole(whole, registry, extractor, head, items)


def _names(t: Transaction, subject: str) -> Iterable[tuple[str, str]]:
    for episode, key, business_key, group in scan.groups(t, subject):
        if episode != episode_id(t.tenant, subject, key):
            yield "episode_id_differs", episode
        if group != group_id(key, business_key):
            yield "episode_group_differs", episode


def _contents(episode: LogEpisode) -> Iterable[tuple[str, str]]:
    for named, content in episode.revisions.items():
        if named != content_hash(content, episode.document):
            yield "content_altered", f"{episode.episode_id}/{named}"
    said = {each.content_hash for each in episode.sayings}
    for lacking in sorted(episode.revisions.keys() - said):
        yield "saying_missing", f"{episode.episode_id}/{lacking}"
    for lacking in sorted(said - episode.revisions.keys()):
        yield "revision_missing", f"{episode.episode_id}/{lacking}"


def _extractions(
    t: Transaction, extractor: Extractor, episodes: Iterable[LogEpisode], found: Found, *, waiting: bool
) -> dict[tuple[str, str], Extraction]:
    """Extract everything anew and compare with what is cached; what is derived is derived from the new."""
    listed = list(episodes)
    cached = log.extractions(t, [each.episode_id for each in listed], extractor.version)
    made: dict[tuple[str, str], Extraction] = {}
    for episode in listed:
        for named, content in episode.revisions.items():
            fresh = extract_content(extractor, episode, content)
            made[episode.key, named] = fresh
            stored = cached.get((episode.episode_id, named))
            if stored is None and not waiting:
                found.faults.append(("extraction_missing", f"{episode.episode_id}/{named}"))
            elif stored is not None and stored != codec.to_json(fresh):
                found.faults.append(("extraction_differs", f"{episode.episode_id}/{named}"))
    return made


def _episode_items(t: Transaction, subject: str, episodes: Iterable[LogEpisode], found: Found) -> list[LexicalRow]:
    """Check the indexed passages of every content; one said several times is dated by one of its sayings."""
    by_saying: dict[tuple[str, str], list[LexicalRow]] = {}
    for episode in episodes:
        for saying in episode.sayings:
            content = episode.revisions.get(saying.content_hash)
            if content is not None:
                named = (t.tenant, subject, episode.episode_id, saying.content_hash)
                for row in lexical_rows(*named, content, saying.occurred_at):
                    by_saying.setdefault((row.item_kind, row.item_id), []).append(row)
    stored = scan.lexical_names(t, subject)
    pending = by_saying
    while pending:
        # One way to date each item at a time; an item is at fault when no way fits.
        differing = set(scan.lexical_columns(t, subject, [rows[0] for rows in pending.values()]))
        lacking = [name for name in differing if len(pending[name]) == 1]
        found.faults += [("lexical_differs", "/".join(name)) for name in sorted(lacking)]
        pending = {name: pending[name][1:] for name in differing if len(pending[name]) > 1}
    found.faults += [("lexical_missing", "/".join(name)) for name in sorted(by_saying.keys() - stored)]
    return [rows[0] for rows in by_saying.values()]
