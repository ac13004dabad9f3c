"""A clock that a test sets, and the wait for an embedding backlog; for tests that speak to `Stemma` in process."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime

from stemma import Stemma


@dataclass(slots=True)
class Clock:
    """Says what it was last set to."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now


def wait_for_vectors(stemma: Stemma, subject_id: str, seconds: float = 15) -> None:
    """Ask until the dense leg is complete, or there is none to wait for."""
    deadline = time.monotonic() + seconds
    while True:
        state = stemma.recall(subject_id, "is the index complete?").index_state
        if state.embedder is None or state.complete:
            return
        assert time.monotonic() < deadline, f"{state.outstanding} vectors are still outstanding"
        time.sleep(0.02)
