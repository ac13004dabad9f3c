"""The lexical rows of an episode's passages, and the way back from an indexed item to its text."""

from __future__ import annotations

import hashlib
from datetime import datetime

from stemma.core.analyse import ANALYSER_VERSION, date_terms, scope_hash, terms
from stemma.core.lexical import document_weights
from stemma.core.passages import Passage, episode_passages, item_id
from stemma.records import Content
from stemma.store.index import LexicalRow

KIND = "episode"


def text_hash(shown: str) -> bytes:
    """Name an indexed text, as vectors are kept by it."""
    return hashlib.sha256(shown.encode()).digest()


def lexical_rows(
    tenant: str, subject: str, episode_id: str, content_hash: str, content: Content, said_at: datetime
) -> list[LexicalRow]:
    """Give the rows that make a content of an episode searchable: one a passage, with the terms of its date."""
    scope = (scope_hash("tenant", tenant), scope_hash("subject", subject))
    dated = date_terms(said_at)
    return [
        LexicalRow(
            item_kind=KIND,
            item_id=item_id(episode_id, content_hash, passage.number),
            owner_id=episode_id,
            subject_id=subject,
            text_hash=text_hash(passage.shown),
            analyser=ANALYSER_VERSION,
            weights=document_weights([*terms(passage.shown), *dated]),
            scope=scope,
        )
        for passage in episode_passages(content, content.speaker)
    ]


def passages_by_item(episode_id: str, content_hash: str, content: Content) -> dict[str, Passage]:
    """Give the passages of a content by the id that they are indexed under."""
    found = episode_passages(content, content.speaker)
    return {item_id(episode_id, content_hash, one.number): one for one in found}
