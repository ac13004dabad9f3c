"""Writing human acts and finding those that name an episode. What an act does is `core/derive`'s."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from stemma.errors import TransactionConflict
from stemma.record_json import decode, encode
from stemma.records import HumanAct
from stemma.store import log
from stemma.store.connection import lock_key
from stemma.store.episodes import by_id as episodes_by_id
from stemma.store.episodes import mark_groups_dirty, share_log
from stemma.store.transaction import Transaction
from stemma.text import episode_id


def hold(t: Transaction, subject: str) -> None:
    """Keep other writers of acts on a subject out until the transaction ends."""
    t.execute("hold_acts", {"key": lock_key(t.tenant, f"\0acts\0{subject}")})


def count_at(t: Transaction, subject: str, at: datetime) -> int:
    """Count a subject's acts of one instant."""
    return int(t.one("acts_at", {"subject_id": subject, "at": at})["acts"])


def put(t: Transaction, act: HumanAct) -> bool:
    """Store an act that is new, and say whether it was. Its subject then has something new.

    Raises TransactionConflict where an erasure took what it names since the caller looked: look again.
    """
    share_log(t)
    named = {episode for episode, _ in episodes_named(t.tenant, act)}
    if len(episodes_by_id(t, named)) < len(named):
        raise TransactionConflict("what this act names was erased meanwhile; look again")
    return not by_id(t, [act.id]) and put_all(t, [act]) == 1


def put_all(t: Transaction, acts: Iterable[HumanAct]) -> int:
    """Store acts over what stood there, and say how many changed anything. Their subjects then have something new.

    The caller holds the log, so that no erasure comes in between.
    """
    by_name = {act.id: act for act in acts}
    listed = [by_name[name] for name in sorted(by_name)]
    if not listed:
        return 0
    changed = t.execute(
        "put_acts",
        {
            "act_ids": [each.id for each in listed],
            "subjects": [each.subject_id for each in listed],
            "kinds": [each.kind.value for each in listed],
            "ats": [each.at for each in listed],
            "bodies": [encode(each) for each in listed],
            "recorded_ats": [each.recorded_at for each in listed],
        },
    )
    if changed:
        t.execute("delete_act_episodes", {"act_ids": sorted(by_name)})
        named = sorted({pair for act in listed for pair in episodes_named(t.tenant, act)})
        pairs = {"episode_ids": [episode for episode, _ in named], "act_ids": [act_id for _, act_id in named]}
        t.execute("put_act_episodes", pairs)
        mark_groups_dirty(t, [(each.subject_id, f"{log.ACT_PREFIX}{each.id}") for each in listed])
    return changed


def by_id(t: Transaction, act_ids: Iterable[str]) -> dict[str, HumanAct]:
    """Return acts by id; one that is not there has no entry."""
    rows = t.all("acts_by_id", {"act_ids": list(act_ids)})
    return {row["act_id"]: decode(HumanAct, row["body"]) for row in rows}


def naming(t: Transaction, episode_ids: Iterable[str]) -> list[HumanAct]:
    """Return the acts that name one of the episodes, in order of id."""
    rows = t.all("acts_of_episodes", {"episode_ids": list(episode_ids)})
    return [decode(HumanAct, row["body"]) for row in rows]


def delete(t: Transaction, act_ids: Iterable[str]) -> int:
    """Delete acts, and say how many there were."""
    named = {"act_ids": list(act_ids)}
    t.execute("delete_act_episodes", named)
    return t.execute("delete_acts", named)


def episodes_named(tenant: str, act: HumanAct) -> set[tuple[str, str]]:
    """Return (episode id, act id) of every episode that an act names."""
    keys = {said.key for memory in act.memories for said in memory.sayings}
    return {(episode_id(tenant, act.subject_id, key), act.id) for key in keys}
