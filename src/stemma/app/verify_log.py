"""The half of the check that looks at the log itself: contents, sayings, groups, human acts, extractions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from stemma.app import document_states
from stemma.app.compile import extract_content
from stemma.app.episode_index import lexical_rows, said_of
from stemma.app.runtime import Runtime
from stemma.app.verify_faults import Found, columns
from stemma.core import codec
from stemma.core.acts import identified
from stemma.core.content import content_hash
from stemma.core.derive import Log
from stemma.core.extract import Extractor
from stemma.core.keys import group_id
from stemma.records import Extraction, HumanAct, KeyPolicy, LogEpisode, Registry
from stemma.store import acts as stored_acts
from stemma.store import log, scan
from stemma.store.index import LexicalRow
from stemma.store.scan import Item
from stemma.store.transaction import Row, Transaction
from stemma.text import episode_id, utc

Occasion = tuple[str, str, datetime]


@dataclass(slots=True)
class Whole:
    """One subject's log with what it is derived by; `head` is the subject's own row.

    `log` holds the episodes that are sound. `doubtful` are the groups of which the stored points may be others than the
    log's: they wait for a compile, or their log is damaged. `damaged` are the episodes whose content or sayings are not
    what was recorded. `comparable` is False where everything may differ: the versions changed, or a human act waits.
    """

    head: Row
    registry: Registry
    extractor: Extractor
    log: Log
    occasions: set[Occasion]
    contents: set[tuple[str, str]]
    episodes: set[str]
    groups: set[str]
    dirty: list[tuple[UUID, str]]
    doubtful: set[str] = field(default_factory=set)
    damaged: set[str] = field(default_factory=set)
    comparable: bool = True

    @property
    def waiting(self) -> set[str]:
        """Give the groups that wait for a compile."""
        return {group for _, group in self.dirty}

    @property
    def waits_whole(self) -> bool:
        """Say whether the whole subject waits to be derived anew."""
        return any(group == log.WHOLE_SUBJECT for _, group in self.dirty)


def check(t: Transaction, runtime: Runtime, subject: str, found: Found) -> Whole | None:
    """Read a subject's log, add its faults, and return it for the derivation; None where the subject has gone."""
    head = log.news(t, subject)
    if head is None:
        return None
    registry, extractor = runtime.registered(t)
    stored = scan.episodes(t, subject)
    found.episodes = len(stored.episodes)
    waiting = scan.dirty(t, subject)
    found.uncompiled = len({group for _, group in waiting})
    damaged = {episode for episode, _ in stored.unreadable}
    for episode, content in stored.unreadable:
        found.add("content_unreadable", f"{episode}/{content}")
    for each in stored.episodes:
        if each.episode_id not in damaged and not _is_sound(t.tenant, each, stored.groups[each.episode_id], found):
            damaged.add(each.episode_id)
    acts, are_sound = _acts(t, subject, found)
    doubtful = {group for _, group in waiting}
    doubtful |= {
        group for each in stored.episodes if each.episode_id in damaged for group in _groups(each, stored.groups)
    }
    sound = [each for each in stored.episodes if each.episode_id not in damaged]
    pending = head["extractor"] != extractor.version or log.WHOLE_SUBJECT in doubtful
    extractions = _extractions(t, extractor, sound, found, doubtful=doubtful, pending=pending)
    return Whole(
        head=head,
        registry=registry,
        extractor=extractor,
        log=Log(
            tenant=t.tenant,
            subject=subject,
            episodes=sound,
            extractions=extractions,
            acts=acts,
            documents=document_states.of_episodes(t, sound),
        ),
        occasions={
            (each.key, said.content_hash, utc(at))
            for each in stored.episodes
            for said in each.sayings
            for at in (said.occurred_at, *said.message_times)
            if at is not None
        },
        contents={(each.key, name) for each in stored.episodes for name in each.revisions},
        episodes=set(stored.groups),
        groups={*stored.groups.values(), *(group_id(each.key, each.business_key) for each in stored.episodes)},
        dirty=waiting,
        doubtful=doubtful,
        damaged=damaged,
        comparable=are_sound and not pending and not any(group.startswith(log.ACT_PREFIX) for group in doubtful),
    )


def _groups(episode: LogEpisode, stored: dict[str, str]) -> set[str]:
    return {group_id(episode.key, episode.business_key), stored[episode.episode_id]}


def _is_sound(tenant: str, episode: LogEpisode, group: str, found: Found) -> bool:
    """Check one episode against what it says of itself, and say whether anything may be derived from it."""
    before = len(found.faults)
    own = episode.episode_id
    if own != episode_id(tenant, episode.subject_id, episode.key):
        found.add("episode_id_differs", own)
    if group != group_id(episode.key, episode.business_key):
        found.add("episode_group_differs", own)
    for named, content in episode.revisions.items():
        if named != content_hash(content, episode.document):
            found.add("content_altered", f"{own}/{named}")
        told = columns({"source": (content.source, episode.source)})
        if content.source is not None and episode.policy is not KeyPolicy.REVISION and told:
            found.add("episode_altered", own, told)
    said = {each.content_hash for each in episode.sayings}
    for lacking in sorted(episode.revisions.keys() - said):
        found.add("saying_missing", f"{own}/{lacking}")
    for lacking in sorted(said - episode.revisions.keys()):
        found.add("revision_missing", f"{own}/{lacking}")
    if not said and not episode.revisions:
        found.add("revision_missing", own, "the log does not hold any content of this episode")
    if episode.policy is not KeyPolicy.REVISION and len(episode.revisions) > 1:
        found.add(
            "episode_altered", own, f"its policy is {episode.policy}, and it has {len(episode.revisions)} contents"
        )
    return len(found.faults) == before


def _acts(t: Transaction, subject: str, found: Found) -> tuple[list[HumanAct], bool]:
    """Read the human acts, and say whether all of them are what was recorded."""
    acts: list[HumanAct] = []
    before = len(found.faults)
    # An erasure cuts what it took out of an act and leaves the act its id; without one the id is the act's hash.
    may_be_cut = scan.has_tombstones(t)
    for row in scan.acts(t, subject):
        act = scan.read(HumanAct, row["body"])
        if act is None:
            found.add("act_unreadable", row["act_id"])
            continue
        acts.append(act)
        named = {"id": (act.id, row["act_id"]), "kind": (act.kind.value, row["kind"]), "at": (utc(act.at), row["at"])}
        told = columns(named) or columns({"subject": (act.subject_id, subject)})
        if told is None and not may_be_cut and identified(act).id != act.id:
            told = "what it says is not what its id is the hash of"
        if told is not None:
            found.add("act_altered", row["act_id"], told)
    known, lost = scan.act_episodes(t, subject)
    for act_id in sorted(lost):
        found.add(
            "act_missing", act_id, "the log does not hold this human act: that it named an episode is there alone"
        )
    are_sound = len(found.faults) == before
    wanted = {(act, episode) for each in acts for episode, act in stored_acts.episodes_named(t.tenant, each)}
    for act_id, episode in sorted(wanted ^ known):
        found.add(
            "act_episodes_differ", act_id, f"an erasure of episode {episode} would not find this act, or a wrong one"
        )
    return acts, are_sound


def _extractions(
    t: Transaction,
    extractor: Extractor,
    episodes: Iterable[LogEpisode],
    found: Found,
    *,
    doubtful: set[str],
    pending: bool,
) -> dict[tuple[str, str], Extraction]:
    """Extract everything anew and compare with what is cached; what is derived is derived from the new."""
    listed = list(episodes)
    cached = log.extractions(t, [each.episode_id for each in listed], extractor.version)
    made: dict[tuple[str, str], Extraction] = {}
    for episode in listed:
        waits = pending or group_id(episode.key, episode.business_key) in doubtful
        for named, content in episode.revisions.items():
            fresh = extract_content(extractor, episode, content)
            made[episode.key, named] = fresh
            stored = cached.get((episode.episode_id, named))
            if stored is None and not waits:
                found.add(
                    "extraction_missing", f"{episode.episode_id}/{named}", "this content's extraction is not kept"
                )
            elif stored is not None and stored != codec.to_json(fresh):
                told = "the kept extraction is not what the extractor finds in this content"
                found.add("extraction_differs", f"{episode.episode_id}/{named}", told)
    return made


def episode_items(whole: Whole) -> dict[Item, list[LexicalRow]]:
    """Give the indexed passages of every content, each in one form for each saying that may date it."""
    found: dict[Item, list[LexicalRow]] = {}
    for episode in whole.log.episodes:
        for saying in episode.sayings if episode.episode_id not in whole.damaged else ():
            named = (whole.log.tenant, whole.log.subject, episode.episode_id, saying.content_hash)
            said = said_of(saying, episode.source)
            for row in lexical_rows(*named, episode.revisions[saying.content_hash], said):
                found.setdefault((row.item_kind, row.item_id), []).append(row)
    return found
