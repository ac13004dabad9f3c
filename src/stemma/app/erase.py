"""The use case that takes text out for good: the record never was, and a tombstone stops a re-sync (R-92, D-22)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Final

from stemma.app import document_erasure
from stemma.app.compile import compile_subject
from stemma.app.models_erase import EraseReceipt, EraseRequest
from stemma.app.runtime import Runtime
from stemma.app.tombstones import Mark, load_for_acts
from stemma.errors import CertifyNotAvailable
from stemma.records import KeyPolicy
from stemma.store import acts, episodes, erasure, expunge
from stemma.store.erasure import Secret, StoredTombstone
from stemma.store.expunge import Counts, ErasedKey
from stemma.store.transaction import Transaction
from stemma.text import episode_id

_SECRET_BYTES: Final = 32


def erase(runtime: Runtime, tenant: str, request: EraseRequest) -> EraseReceipt:
    """Erase a subject, or an episode with the twins, revisions and sayings of its event, and all that rests on it.

    Or erase a document with every content it had and every episode that was learned from it. Again gives the same
    receipt with zeros. Raises NotFound for a document never heard of, CertifyNotAvailable for `certify`.
    """
    if request.certify:
        raise CertifyNotAvailable(
            "certify: scanning the store's files is not available yet; erase without it", field="certify"
        )
    # What waits to be written is written first, so that it goes with what it names.
    runtime.traces.write(runtime.store)
    runtime.traces.forget(tenant)
    if request.subject_id is None:
        named = (request.corpus or "", request.external_id or "")
        return EraseReceipt(**_erase_document(runtime, tenant, named))
    subject, key, at = request.subject_id, request.episode_key, runtime.now()
    if key is None:
        counts = runtime.store.run(tenant, lambda t: _erase_subject(t, subject, at), lock=subject)
    else:
        counts = runtime.store.run(tenant, lambda t: _erase_key(t, subject, key, at), lock=subject)
        # What others say too was taken out with the erased wording; it comes back in theirs before the answer.
        compile_subject(runtime, tenant, subject)
    return EraseReceipt(**counts)


def erase_episodes(t: Transaction, subject: str, ids: Iterable[str], by: Mark) -> Counts:
    """Erase episodes with their whole business events. The caller holds the log and the subject."""
    heads = episodes.by_id(t, ids)
    if not heads:
        return {}
    groups = {head["group_id"] for head in heads}
    found = expunge.events_of(t, subject, groups)
    keys = expunge.keys_of_episodes(t, found)
    stones = [stone for key in keys for stone in _stones(by, subject, key)]
    made = erasure.put_tombstones(t, stones)
    counts = _cut_acts(t, found)
    counts |= expunge.expunge_events(t, subject, found, [key.key for key in keys])
    counts["tombstones"] += made
    return counts


def _erase_document(runtime: Runtime, tenant: str, named: tuple[str, str]) -> Counts:
    at = runtime.now()

    def take_out(t: Transaction) -> tuple[Counts, Mark]:
        by = own_mark(t, at)
        return document_erasure.take_out(t, named, by), by

    counts, by = runtime.store.run(tenant, take_out)
    # A crash in between leaves the document gone and these to be found again by the same request.
    learned = runtime.store.run(tenant, lambda t: document_erasure.learned_from(t, named), read_only=True)
    for subject, ids in learned.items():
        found = runtime.store.run(tenant, partial(_erase_learned, subject=subject, ids=ids, by=by), lock=subject)
        compile_subject(runtime, tenant, subject)
        counts = {name: counts.get(name, 0) + found.get(name, 0) for name in counts.keys() | found.keys()}
    return counts


def _erase_learned(t: Transaction, subject: str, ids: list[str], by: Mark) -> Counts:
    episodes.hold_log(t)
    return erase_episodes(t, subject, ids, by)


def _erase_subject(t: Transaction, subject: str, at: datetime) -> Counts:
    episodes.hold_log(t)
    keys = expunge.keys_of_subject(t, subject)
    act_ids = expunge.act_ids_of_subject(t, subject)
    stones: list[StoredTombstone] = []
    if keys or act_ids:
        by = own_mark(t, at)
        stones = [stone for key in keys for stone in _stones(by, subject, key)]
        stones += [by.of_act(subject, act_id) for act_id in act_ids]
    counts = expunge.expunge_subject(t, subject)
    counts["tombstones"] = erasure.put_tombstones(t, stones)
    return counts


def _erase_key(t: Transaction, subject: str, key: str, at: datetime) -> Counts:
    episodes.hold_log(t)
    own = episode_id(t.tenant, subject, key)
    if not episodes.by_id(t, [own]):
        return {}
    return erase_episodes(t, subject, [own], own_mark(t, at))


def _stones(by: Mark, subject: str, erased: ErasedKey) -> list[StoredTombstone]:
    of_key = by.of_key(subject, erased.key, KeyPolicy(erased.policy), erased.last_said_at)
    return [of_key] if erased.business_key is None else [of_key, by.of_event(subject, erased.business_key)]


def own_mark(t: Transaction, at: datetime) -> Mark:
    """Give the mark of this store's own erasures; the tenant's oldest secret, made at the first one."""
    known = erasure.secrets_of(t)
    if known:
        return Mark(known[0], at)
    secret = Secret(secrets.token_hex(16), secrets.token_bytes(_SECRET_BYTES), at)
    erasure.add_secrets(t, [secret])
    return Mark(secret, at)


def _cut_acts(t: Transaction, found: dict[str, str]) -> Counts:
    """Take erased sayings out of the human acts that name them; an act that loses a memory whole goes."""
    listed = acts.naming(t, found)
    erased = load_for_acts(t, listed)
    left = {act.id: erased.left_of(act) for act in listed}
    acts.put_all(t, [act for act in left.values() if act is not None])
    stones = [stone for act in listed if left[act.id] is None for stone in erased.stones_of(act)]
    return {
        "acts": acts.delete(t, [name for name, act in left.items() if act is None]),
        "tombstones": erasure.put_tombstones(t, stones),
    }
