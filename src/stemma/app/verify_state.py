"""The half of the check that looks at what is derived: points, rows, evidence, rulings, hash, and the lexical index."""

from __future__ import annotations

from collections.abc import Iterable

from stemma.app import index_texts, verify_held
from stemma.app.derivation import is_aimed, point_name
from stemma.app.verify_faults import Found, compare, shown
from stemma.app.verify_held import Held
from stemma.app.verify_log import Whole, episode_items
from stemma.core import canon
from stemma.core.acts import is_worded
from stemma.core.derive import aimed, derive, statements_of_log
from stemma.state import Evidence, MemoryRow, Point
from stemma.store import log, memories, scan
from stemma.store.index import LexicalRow
from stemma.store.scan import Item
from stemma.store.transaction import Transaction
from stemma.text import episode_id, utc


def check(t: Transaction, whole: Whole, found: Found) -> None:
    """Add the faults of one subject's derived data.

    What waits for a compile, or rests on a damaged record, is taken as it is stored; the rest is derived anew.
    """
    subject = whole.log.subject
    held = verify_held.read(t, subject)
    found.memories = len(held.memories)
    verify_held.check_readable(held, found)
    if not whole.waits_whole:
        _lost(t, whole, held, found)
        _check_dirty(whole, held, found)
    wanted = _wanted(whole, held)
    if wanted is None:
        wanted = held
        _check_sum(t, whole, found)
    else:
        _compare(wanted, held, found)
        _check_hash(whole, wanted, found)
    verify_held.check_columns(t, subject, held, wanted, found)
    _check_index(t, whole, wanted.memories.values(), found)


def derived(whole: Whole, kept: Iterable[Point] = ()) -> Held:
    """Derive a subject: from its log, and from points that are `kept` for the groups that are in doubt."""
    said = [each for each in statements_of_log(whole.log, whole.registry) if each.group not in whole.doubtful]
    said += kept
    points = [*said, *aimed(said)]
    units = derive(points, whole.log.acts, whole.registry, subject=whole.log.subject)
    return verify_held.of(units, {point_name(each): each for each in points})


def _wanted(whole: Whole, held: Held) -> Held | None:
    """Give what should be stored; None where that cannot be told before the next compile."""
    if not whole.comparable or (whole.doubtful and held.unreadable["points"]):
        return None
    kept = [each for each in held.points.values() if each.group in whole.doubtful and not is_aimed(each)]
    return derived(whole, kept)


def _compare(wanted: Held, held: Held, found: Found) -> None:
    compare(found, "point", wanted.points, held.points, held.unreadable["points"])
    compare(found, "memory", wanted.memories, held.memories, held.unreadable["memories"])
    compare(found, "evidence", wanted.evidence, held.evidence, held.unreadable["evidence"])
    standing = [name for name, _ in held.unreadable["decisions"]]
    compare(found, "decision", wanted.decisions, held.decisions, standing)
    compare(found, "conflict", wanted.conflicts, held.conflicts, held.unreadable["conflicts"])
    for unit in sorted(wanted.notes.keys() | held.notes.keys()):
        if wanted.notes.get(unit) != held.notes.get(unit):
            found.add("note_differs", unit, f"{shown(tuple(held.notes.get(unit, ())))} is noted on this unit")


def _check_hash(whole: Whole, wanted: Held, found: Found) -> None:
    right, stored = canon.state_hash(wanted.units().values()), bytes(whole.head["state_hash"])
    if right != stored:
        told = f"the subject's hash is {stored.hex()}, derived is {right.hex()}"
        found.add("state_hash_differs", whole.log.subject, told)


def _check_sum(t: Transaction, whole: Whole, found: Found) -> None:
    """What cannot be derived yet is still the sum of its rows' own hashes."""
    total = canon.shifted(canon.EMPTY, (digest for *_, digest in memories.row_hashes(t, whole.log.subject)), ())
    stored = bytes(whole.head["state_hash"])
    if total != stored:
        told = f"the subject's hash is {stored.hex()}, its rows' own add up to {total.hex()}"
        found.add("state_hash_is_no_sum", whole.log.subject, told)


def _check_dirty(whole: Whole, held: Held, found: Found) -> None:
    """A mark for the next compile names a group or an act; one beside others goes with them."""
    groups = {row["group_id"] for row in held.rows["points"].values()} | {each.group for each in held.points.values()}
    groups |= whole.groups | {f"{log.ACT_PREFIX}{act.id}" for act in whole.log.acts}
    lone = [group for _, group in whole.dirty if group not in groups]
    if len(lone) == len(whole.dirty):
        for group in lone:
            found.add("dirty_names_nothing", group, "what waits for a compile is neither an episode nor a human act")


def _lost(t: Transaction, whole: Whole, held: Held, found: Found) -> None:
    """Find sayings that the log lost: a stored point and the evidence of a memory both rest on one.

    Either alone is a derived row too many; two that agree were derived from a record that is gone.
    """
    pointed: dict[tuple[object, ...], set[str]] = {}
    for point in held.points.values():
        pointed.setdefault((point.key, point.content_hash, utc(point.occurred_at)), set()).add(point.group)
    for each in held.evidence.values():
        said = (each.key, each.content_hash, utc(each.occurred_at))
        groups = pointed.get(said)
        if is_worded(each) or said in whole.occasions or groups is None or groups & whole.waiting:
            continue
        whole.doubtful |= groups
        own = episode_id(t.tenant, whole.log.subject, each.key)
        whole.damaged.add(own)
        _name_lost(whole, each, own, found)


def _name_lost(whole: Whole, said: Evidence, own: str, found: Found) -> None:
    rests = f"memory {said.memory_id} rests on its saying of {shown(said.occurred_at)}"
    if own not in whole.episodes:
        found.add("episode_missing", own, f"the log does not hold the episode {said.key!r} any more: {rests}")
    elif (said.key, said.content_hash) not in whole.contents:
        found.add("revision_missing", f"{own}/{said.content_hash}", f"the log does not hold this content: {rests}")
    else:
        found.add("saying_missing", f"{own}/{said.content_hash}", f"the log does not hold this saying: {rests}")


def _check_index(t: Transaction, whole: Whole, rows: Iterable[MemoryRow], found: Found) -> None:
    """Check the lexical rows of memories and of contents; those of damaged episodes cannot be told."""
    subject = whole.log.subject
    wanted = wanted_items(t.tenant, whole, rows)
    owners = scan.lexical_owners(t, subject)
    stored = {name for name, owner in owners.items() if owner not in whole.damaged}
    for kind, item in sorted(wanted.keys() - owners.keys()):
        owner = wanted[kind, item][0].owner_id
        found.add("lexical_missing", f"{kind}/{item}", f"{kind} {owner} is not found by its words")
    for name in sorted(stored - wanted.keys()):
        _name_unknown(t, whole, name, owners[name], found)
    for kind, item in differing_items(t, subject, wanted):
        told = f"the indexed words, times or owner are not those of {kind} {owners[kind, item]}"
        found.add("lexical_differs", f"{kind}/{item}", told)


def _name_unknown(t: Transaction, whole: Whole, name: Item, owner: str, found: Found) -> None:
    kind, item = name
    lost = kind == "episode" and owner not in whole.episodes and f"{owner}" in scan.extracted_episodes(t, [owner])
    if lost:
        found.add("episode_missing", owner, "the log does not hold this episode: its words are indexed, and extracted")
    elif not (kind == "episode" and any(each.kind == "episode_missing" and each.id == owner for each in found.faults)):
        found.add(
            "lexical_not_derived", f"{kind}/{item}", f"the index names a text of {kind} {owner}, which has none such"
        )


def wanted_items(tenant: str, whole: Whole, rows: Iterable[MemoryRow]) -> dict[Item, list[LexicalRow]]:
    """Give the lexical rows of memories and of sound episodes, each in one form for each saying that may date it."""
    wanted = episode_items(whole)
    for row in rows:
        for item in index_texts.lexical_rows(tenant, row):
            wanted[item.item_kind, item.item_id] = [item]
    return wanted


def differing_items(t: Transaction, subject: str, wanted: dict[Item, list[LexicalRow]]) -> list[Item]:
    """Return the items whose stored form is none of those wanted; a content said twice is dated by one saying."""
    differing: list[Item] = []
    pending = wanted
    while pending:
        # One way to date each item at a time; an item is at fault when no way fits.
        unlike = scan.lexical_columns(t, subject, [forms[0] for forms in pending.values()])
        differing += [name for name in unlike if len(pending[name]) == 1]
        pending = {name: pending[name][1:] for name in unlike if len(pending[name]) > 1}
    return sorted(differing)
