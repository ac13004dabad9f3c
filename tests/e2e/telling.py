"""Telling a store of the same episodes in many orders of arrival, and reading what it holds as plain values.

An order takes a subject of its own in one store; what is compared is what was said, never how it came.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from stemma import Stemma
from tests.stores import Server

Episode = dict[str, Any]
Order = tuple[Episode, ...]

SEED = 20261130
SAMPLED = 10
_homes: dict[str, str] = {}


def home_of(server: Server) -> str | Path:
    """One store of a server for all tests that take a tenant of their own in it."""
    if isinstance(server.target, Path):
        return server.target
    if server.target not in _homes:
        _homes[server.target] = f"{server.target.rpartition('/')[0]}/{server.fresh()}"
    return _homes[server.target]


def said(text: str, occurred_at: str, **more: Any) -> Episode:
    """One statement of a chat, its key made of when and what."""
    return {"source": "chat", "key": f"{occurred_at} {text}", "text": text, "occurred_at": occurred_at, **more}


def claimed(key: str, value: str, occurred_at: str, *, text: str | None = None, **more: Any) -> Episode:
    """One structured claim of a form; `valid_from`, `valid_to`, `polarity` and `kind` go into the claim."""
    inner = {name: more.pop(name) for name in ("valid_from", "valid_to", "polarity", "kind") if name in more}
    claim = {"key": key, "value": value, **({} if text is None else {"text": text}), **inner}
    return {"source": "form", "key": f"{occurred_at} {claim}", "claims": [claim], "occurred_at": occurred_at, **more}


def orders(episodes: Sequence[Episode]) -> list[Order]:
    """All orders of up to four episodes; of more, theirs, the reverse and a seeded sample."""
    if len(episodes) <= 4:
        return list(itertools.permutations(episodes))
    generator = random.Random(SEED)
    drawn = [tuple(generator.sample(episodes, len(episodes))) for _ in range(SAMPLED)]
    return [tuple(episodes), tuple(reversed(episodes)), *drawn]


def tell(stemma: Stemma, subject: str, episodes: Sequence[Episode], *, compiling: Sequence[bool] | None = None) -> None:
    """Send episodes one by one, compiling after those that `compiling` marks (all if absent), and at the end."""
    marks = compiling or [True] * len(episodes)
    for episode, mark in zip(episodes, marks, strict=True):
        [result] = stemma.add_episodes([episode | {"subject_id": subject}]).results
        assert (result.outcome, result.error) == ("created", None), (subject, episode)
        if mark:
            stemma.compile_memories(subject)
    stemma.compile_memories(subject)


def told(stemma: Stemma, episodes: Sequence[Episode], *, name: str = "order") -> Iterator[str]:
    """Tell a subject for each order, compiled after each episode, and once more for all in one batch; give them all."""
    for number, order in enumerate(orders(episodes)):
        subject = f"{name} {number} {[list(episodes).index(one) for one in order]}"
        tell(stemma, subject, order)
        yield subject
    together = f"{name} together"
    results = stemma.add_episodes([one | {"subject_id": together} for one in reversed(episodes)]).results
    assert {one.outcome for one in results} == {"created"}
    stemma.compile_memories(together)
    yield together


def memories(stemma: Stemma, subject: str) -> dict[str, Any]:
    """Every memory by its text."""
    found = stemma.list_memories(subject, status="all", limit=500).items
    assert len({one.text for one in found}) == len(found), [(one.text, one.status) for one in found]
    return {one.text: one for one in found}


def statuses(stemma: Stemma, subject: str) -> dict[str, str]:
    """Each memory's status by its text."""
    return {text: str(one.status) for text, one in memories(stemma, subject).items()}


def decisions(stemma: Stemma, subject: str) -> list[tuple[str, str | None, str | None]]:
    """What beat what: rule, the winner's text, the loser's text; what is undone is left out."""
    found = stemma.list_decisions(subject, limit=500).items
    standing = [one for one in found if one.undone_at is None]
    return sorted(((str(one.rule), one.winner_text, one.loser_text) for one in standing), key=str)


def conflicts(stemma: Stemma, subject: str, status: str = "open") -> list[tuple[str, list[str]]]:
    """The conflicts of a status: reason, and the texts of both sides."""
    found = stemma.list_conflicts(subject, status=status).items
    texts = {one.id: one.text for one in stemma.list_memories(subject, status="all", limit=500).items}
    return sorted((str(one.reason), sorted(texts[each] for each in one.memory_ids)) for one in found)


def recalled(stemma: Stemma, subject: str, query: str, now: str | datetime | None = None) -> list[str]:
    """The texts that a query finds, best first, at a moment."""
    asked = {} if now is None else {"now": now}
    return [one.memory.text for one in stemma.recall(subject, query, **asked).items]
