"""What a memory is searched by, and from an indexed item back to its text. Episodes have `episode_index`."""

from __future__ import annotations

from collections.abc import Sequence

from stemma.app.document_content import passage_texts
from stemma.app.episode_index import passages_by_item, text_hash
from stemma.core.analyse import ANALYSER_VERSION, scope_hash, terms
from stemma.core.lexical import document_weights
from stemma.core.passages import Passage, episode_passages
from stemma.record_json import decode
from stemma.records import Content
from stemma.state import MemoryRow
from stemma.store import episodes, passages
from stemma.store.index import LexicalRow, MissingVector
from stemma.store.memories import multirange
from stemma.store.transaction import Transaction

KIND = "memory"
# What a question about a claim key is asked with: "Where do I live?" has no word of "I just moved to Porto".
_KEY_WORDS = {
    "home": "home live city address",
    "job": "job work profession",
    "name": "name called",
    "language": "language speak",
    "birthday": "birthday born birth",
    "blood_group": "blood group type",
}


def memory_passages(row: MemoryRow) -> list[Passage]:
    """Cut a memory's text as an episode's is: most are one passage, an explicit one may be long."""
    return episode_passages(Content(text=row.text), None)


def lexical_rows(tenant: str, row: MemoryRow) -> list[LexicalRow]:
    """Give the rows that make a memory searchable, one a passage, for as long as it stands."""
    scope = (scope_hash("tenant", tenant), scope_hash("subject", row.subject_id))
    return [
        LexicalRow(
            item_kind=KIND,
            item_id=f"{row.id}#{passage.number}",
            owner_id=row.id,
            subject_id=row.subject_id,
            text_hash=text_hash(passage.shown),
            analyser=ANALYSER_VERSION,
            weights=document_weights([*terms(passage.shown), *_key_terms(row.claim_key)]),
            scope=scope,
            stands=multirange(row.spells),
        )
        for passage in memory_passages(row)
    ]


def _key_terms(claim_key: str | None) -> list[str]:
    """Give the terms that a typed fact is found by beside its own words: those of its key."""
    if claim_key is None:
        return []
    return terms(_KEY_WORDS.get(claim_key, claim_key.removeprefix("slot:").replace("_", " ")))


def texts_of(t: Transaction, missing: Sequence[MissingVector]) -> dict[bytes, str]:
    """Return the text of each waiting item by its hash; an item that has gone meanwhile is absent."""
    wanted = {each.text_hash for each in missing}
    found: dict[bytes, str] = {}
    memories = [each.owner_id for each in missing if each.item_kind == KIND]
    for row in t.all("memories_by_id", {"ids": memories}):
        for passage in memory_passages(decode(MemoryRow, row["body"])):
            found[text_hash(passage.shown)] = passage.shown
    found |= passage_texts(t, [each.item_id for each in missing if each.item_kind == passages.KIND])
    said = [each.owner_id for each in missing if each.item_kind not in (KIND, passages.KIND)]
    for row in episodes.revisions_of(t, said):
        content = decode(Content, row["content"])
        for passage in passages_by_item(row["episode_id"], row["content_hash"], content).values():
            found[text_hash(passage.shown)] = passage.shown
    return {digest: text for digest, text in found.items() if digest in wanted}
