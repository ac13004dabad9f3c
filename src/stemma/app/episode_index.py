"""The lexical rows of an episode's passages, and the way back from an indexed item to its text."""

from __future__ import annotations

import hashlib

from stemma.core.analyse import ANALYSER_VERSION, date_terms, scope_hash, terms
from stemma.core.dialogue.turns import Said, turn_of
from stemma.core.lexical import document_weights
from stemma.core.passages import Passage, episode_passages, item_id
from stemma.records import Content, Saying
from stemma.store.index import LexicalRow

KIND = "episode"
# Names what a row of an episode holds; a row of another form is written again when the store is opened.
FORM = f"{ANALYSER_VERSION}+turn1"


def text_hash(shown: str) -> bytes:
    """Name an indexed text, as vectors are kept by it."""
    return hashlib.sha256(shown.encode()).digest()


def lexical_rows(
    tenant: str, subject: str, episode_id: str, content_hash: str, content: Content, said: Said
) -> list[LexicalRow]:
    """Give the rows that make a content of an episode searchable: one a passage, with the terms of its date."""
    scope = (scope_hash("tenant", tenant), scope_hash("subject", subject))
    rows = []
    for passage in episode_passages(content, content.speaker):
        found = [*terms(passage.shown), *date_terms(said.time_of(passage.message))]
        rows.append(
            LexicalRow(
                item_kind=KIND,
                item_id=item_id(episode_id, content_hash, passage.number),
                owner_id=episode_id,
                subject_id=subject,
                text_hash=text_hash(passage.shown),
                analyser=FORM,
                weights=document_weights(found),
                scope=scope,
                turn=turn_of(episode_id, content, passage, said, len(found)),
            )
        )
    return rows


def said_of(saying: Saying, source: str) -> Said:
    """Give what index rows show of a saying; `source` is its episode's."""
    return Said(at=saying.occurred_at, source=source, session_id=saying.session_id, message_times=saying.message_times)


def passages_by_item(episode_id: str, content_hash: str, content: Content) -> dict[str, Passage]:
    """Give the passages of a content by the id that they are indexed under."""
    found = episode_passages(content, content.speaker)
    return {item_id(episode_id, content_hash, one.number): one for one in found}
