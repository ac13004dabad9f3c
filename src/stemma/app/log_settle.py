"""Applying imported tombstones to what a store already holds, until nothing is left that one of them covers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from stemma.app import tombstones
from stemma.app.erase import erase_episodes
from stemma.app.log_joins import LogJoins
from stemma.app.log_records import stored_records
from stemma.app.runtime import Runtime
from stemma.app.tombstones import Erased, Mark
from stemma.core.merge import EpisodeRecord, cover_of, cut
from stemma.store import acts, episodes, erasure, transfer
from stemma.store.erasure import StoredTombstone
from stemma.store.log import WHOLE_SUBJECT
from stemma.store.transaction import Row, Transaction

_PAGE: Final = 1_000


def settle(runtime: Runtime, tenant: str) -> int:
    """Take out what the tenant's tombstones cover, and say how many episodes went.

    What goes may make further tombstones (of its twins), so it goes on until a whole pass finds nothing.
    """
    total = 0
    while found := _one_pass(runtime, tenant):
        total += found
    _settle_acts(runtime, tenant)
    return total


def _one_pass(runtime: Runtime, tenant: str) -> int:
    after, total = "", 0
    while True:
        last, hit = runtime.store.run(tenant, partial(_find, after=after), read_only=True)
        for subject in sorted(hit):
            total += runtime.store.run(
                tenant, partial(_settle_subject, subject=subject, ids=hit[subject]), lock=subject
            )
        if last is None:
            return total
        after = last


def _find(t: Transaction, after: str) -> tuple[str | None, dict[str, list[str]]]:
    """Look at one page of keys; give its last one where there may be more, and by subject those with a tombstone."""
    page = transfer.page_of_keys(t, after=after, limit=_PAGE)
    erased = _load(t, page)
    hit: dict[str, list[str]] = {}
    for row in page:
        subject = row["subject_id"]
        if (subject, row["key"]) in erased.keys or (subject, row["business_key"]) in erased.events:
            hit.setdefault(subject, []).append(row["episode_id"])
    return (page[-1]["episode_id"] if len(page) == _PAGE else None), hit


def _load(t: Transaction, heads: Iterable[Row]) -> Erased:
    listed = list(heads)
    events = {(row["subject_id"], row["business_key"]) for row in listed if row["business_key"] is not None}
    return tombstones.load(t, {(row["subject_id"], row["key"]) for row in listed}, events)


def _settle_subject(t: Transaction, subject: str, ids: list[str]) -> int:
    episodes.hold_log(t)
    heads = episodes.by_id(t, ids)
    erased = _load(t, heads)
    joins = LogJoins(t.tenant)
    gone: dict[Mark, list[str]] = {}
    shortened = 0
    for own, record in stored_records(t, heads).items():
        stone, left = _fate(record, erased)
        if stone is not None:
            gone.setdefault(erased.mark(stone), []).append(own)
        elif left is not None and joins.become(record, left):
            shortened += 1
    joins.apply(t)
    for mark, listed in gone.items():
        erase_episodes(t, subject, listed, mark)
    return shortened + sum(len(listed) for listed in gone.values())


def _fate(record: EpisodeRecord, erased: Erased) -> tuple[StoredTombstone | None, EpisodeRecord | None]:
    """Give the tombstone that takes a record whole, or what is left of it."""
    of_key = erased.keys.get((record.subject_id, record.key), [])
    of_event = erased.of_event((record.subject_id, record.business_key)) if record.business_key is not None else None
    left = cut(record, cover_of(stone.covers_until for stone in of_key))
    return (of_event or of_key[0] if of_event is not None or left is None else None), left


def _settle_acts(runtime: Runtime, tenant: str) -> None:
    after = ""
    while True:
        page, hit = runtime.store.run(tenant, partial(_find_acts, after=after), read_only=True)
        for subject in sorted(hit):
            runtime.store.run(tenant, partial(_settle_acts_of, subject=subject, ids=hit[subject]), lock=subject)
        if len(page) < _PAGE:
            return
        after = page[-1]


def _find_acts(t: Transaction, after: str) -> tuple[list[str], dict[str, list[str]]]:
    page = transfer.page_of_acts(t, after=after, limit=_PAGE)
    erased = tombstones.load_for_acts(t, page)
    hit: dict[str, list[str]] = {}
    for act in page:
        if erased.left_of(act) != act:
            hit.setdefault(act.subject_id, []).append(act.id)
    return [act.id for act in page], hit


def _settle_acts_of(t: Transaction, subject: str, ids: list[str]) -> None:
    episodes.hold_log(t)
    found = list(acts.by_id(t, ids).values())
    erased = tombstones.load_for_acts(t, found)
    left = {act.id: erased.left_of(act) for act in found}
    acts.put_all(t, [act for act in left.values() if act is not None])
    erasure.put_tombstones(t, [stone for act in found if left[act.id] is None for stone in erased.stones_of(act)])
    if acts.delete(t, [name for name, act in left.items() if act is None]):
        episodes.mark_groups_dirty(t, [(subject, WHOLE_SUBJECT)])
