"""A small store with something of everything, and how a fault is planted in it by hand, in SQL.

Each plant says which row it takes (`find` gives the id that the fault is to be named by) and what is to be said of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from stemma import Stemma
from tests.spine_clock import Clock

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
NOW = START + timedelta(days=200)
MODEL = {"small": 8}
SECRET_WORDS = ("Lisbon", "Porto", "peanuts", "dark mode", "Mallory")


def said(subject: str, day: int, key: str | None = None, **fields: Any) -> dict[str, Any]:
    """Make an episode of one day."""
    named = {} if key is None else {"key": key}
    return {"subject_id": subject, "occurred_at": (START + timedelta(days=day)).isoformat(), **named, **fields}


def claim(subject: str, day: int, key: str, value: str, **more: Any) -> dict[str, Any]:
    """Make an episode that states one claim."""
    claims = [{"key": key, "value": value, **more}]
    return said(subject, day, f"{key}:{day}", claims=claims)


def told(subject: str) -> list[dict[str, Any]]:
    """Make the episodes of one subject: changes and back again, a conflict, a window, frames, twice said, revisions."""
    window = {"valid_from": START.isoformat(), "valid_to": (START + timedelta(days=400)).isoformat()}
    return [
        claim(subject, 1, "home", "Lisbon"),
        claim(subject, 2, "home", "Porto"),
        claim(subject, 3, "home", "Lisbon"),
        claim(subject, 4, "channel", "12"),
        claim(subject, 5, "channel", "16"),
        claim(subject, 6, "job", "harbour pilot"),
        claim(subject, 7, "office", "Faro", **window),
        said(subject, 8, text="I prefer dark mode."),
        said(subject, 9, text="I prefer dark mode."),
        said(subject, 10, "allergy", text="I am allergic to peanuts."),
        said(subject, 11, "rate:1", text="Stripe charges 3.5% + 35c."),
        said(subject, 12, "rate:2", text="Stripe charges 2.9% + 30c."),
        said(subject, 13, "tea", text="I drink green tea.", key_policy="revision"),
        said(subject, 14, "tea", text="I drink black tea.", key_policy="revision"),
        said(subject, 15, "boat", text="I own a boat."),
        said(subject, 16, "gone", text="I own a submarine."),
    ]


def fill(store: str, embedder: str) -> None:
    """Fill a new store with two subjects alike and a short third, with what people did, and with something erased."""
    with Stemma(store, clock=Clock(NOW), embedder=embedder) as stemma:
        stemma.put_claim_key("channel", cardinality="single", policy="flag")
        for subject in ("ana", "bo", "cy"):
            stemma.add_episodes(told(subject)[-4 if subject == "cy" else 0 :])
            stemma.compile_memories(subject)
            boat = next(one for one in stemma.list_memories(subject).items if one.text == "I own a boat")
            stemma.forget_memory(boat.id, by="Ada")
            assert stemma.erase(subject, episode_key="gone").episodes == 1
            stemma.recall(subject, "Where does Ana live?")
        while stemma.make_vectors(limit=100):
            pass


@dataclass(frozen=True, slots=True)
class Plant:
    """One fault: what is done to the row that `find` names, as which kinds it must be told, and what must be said."""

    name: str
    find: str
    sql: tuple[str, ...]
    kinds: tuple[str, ...]
    words: str
    subject: str | None = "ana"
    alone: bool = False


def memory(shown: str) -> str:
    """Give the query that finds a memory of a subject by its value as shown."""
    return f'SELECT id FROM memories WHERE subject_id = %(subject)s AND body LIKE \'%%"shown":"{shown}"%%\''


def text(words: str) -> str:
    """Give the query that finds a memory of a subject by its text."""
    return f'SELECT id FROM memories WHERE subject_id = %(subject)s AND body LIKE \'%%"text":"{words}%%\''


def body(table: str, old: str, new: str) -> str:
    """Give the statement that replaces what a pattern finds in a stored record."""
    return f"UPDATE {table} SET body = regexp_replace(body, '{old}', '{new}') WHERE id = %(id)s"


def content(key: str) -> str:
    """Give the query that names a content of an episode."""
    return (
        "SELECT r.episode_id || '/' || r.content_hash FROM revisions r JOIN episodes e USING (tenant_id, episode_id) "
        f"WHERE e.subject_id = %(subject)s AND e.key = '{key}'"
    )


def episode(key: str) -> str:
    """Give the query that names an episode."""
    return f"SELECT episode_id FROM episodes WHERE subject_id = %(subject)s AND key = '{key}'"


POINT = 'SELECT point_id FROM points WHERE subject_id = %(subject)s AND body LIKE \'%%"key":"{}"%%\' LIMIT 1'
EVIDENCE = (
    "SELECT memory_id || '/' || evidence_id FROM evidence JOIN memories m ON m.id = memory_id "
    'WHERE m.subject_id = %(subject)s AND evidence.body LIKE \'%%"key":"{}"%%\' LIMIT 1'
)
LEXICAL = (
    "SELECT item_kind || '/' || item_id FROM lex WHERE subject_id = %(subject)s AND item_kind = '{}' "
    "AND owner_id IN ({}) LIMIT 1"
)
CONFLICT = "SELECT id FROM conflicts WHERE subject_id = %(subject)s"
# A point's id says nothing of its subject.
OF_ANA = "point_id = %(id)s AND subject_id = 'ana'"
NAMED = "item_kind || '/' || item_id = %(id)s"
SAID = "memory_id || '/' || evidence_id = %(id)s"
HELD = "episode_id || '/' || content_hash = %(id)s"
STANDS = "SELECT id FROM decisions WHERE subject_id = %(subject)s AND undone_at IS NULL AND loser_id IN ({})"
STRANGE = "SELECT repeat('ab', 32)"
