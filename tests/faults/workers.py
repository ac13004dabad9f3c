"""What other processes do to a store in the cases of locks and crashes: read, write, change, each on a store of its own
opening. Plain functions, so that a process pool and a fork server can name them.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from stemma import Stemma
from stemma.errors import StemmaError

SAID = datetime(2026, 3, 1, 10, tzinfo=UTC)
LATER = datetime(2026, 3, 2, 10, tzinfo=UTC)
_opened: dict[str, Stemma] = {}


def opened(address: str) -> Stemma:
    """Return this process's Stemma on a store, opened once."""
    if address not in _opened:
        _opened[address] = Stemma(address, clock=lambda: LATER, embedder="none")
    return _opened[address]


def ready(address: str) -> int:
    """Open the store, read once, and say how many subjects there are."""
    return len(opened(address).list_subjects().items)


def ten_recalls(address: str, subject_id: str) -> list[list[str]]:
    """Recall ten times and return what each found."""
    stemma = opened(address)
    return [[one.memory.text for one in stemma.recall(subject_id, "ferry").items] for _ in range(10)]


def remember(address: str, subject_id: str, text: str) -> tuple[str, bool, float]:
    """Remember one text; return the outcome or the error's code, whether a retry may help, and the seconds it took."""
    stemma = opened(address)
    began = time.monotonic()
    try:
        said = stemma.remember(subject_id, text, key=text, occurred_at=LATER)
    except StemmaError as error:
        return error.code, error.retryable, time.monotonic() - began
    return said.episode.outcome, False, time.monotonic() - began


def supersede(address: str, subject_id: str) -> None:
    """Say the later value of a claim key, and compile."""
    claims = [{"key": "berth", "value": "south"}]
    episode = {"subject_id": subject_id, "key": "later", "claims": claims, "occurred_at": LATER.isoformat()}
    stemma = opened(address)
    [one] = stemma.add_episodes([episode]).results
    assert one.outcome in ("created", "duplicate")
    stemma.compile_memories(subject_id)


def forget(address: str, subject_id: str) -> None:
    """Forget the memory that stands."""
    stemma = opened(address)
    for memory in stemma.list_memories(subject_id).items:
        stemma.forget_memory(memory.id, by="Ada")
