"""Use counters: noted in memory by reads, written apart and in batches, read by no score (SPEC R-4)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from stemma.store import memories
from stemma.store.connection import Store
from stemma.store.transaction import Transaction


class Uses:
    """What was recalled since the last writing. Safe to use from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._noted: dict[str, tuple[Counter[str], datetime]] = {}

    def note(self, tenant: str, memory_ids: Sequence[str], at: datetime) -> None:
        """Note that memories were delivered; nothing is written yet."""
        if not memory_ids:
            return
        with self._guard:
            counts, _ = self._noted.get(tenant, (Counter(), at))
            counts.update(memory_ids)
            self._noted[tenant] = (counts, at)

    def write(self, store: Store) -> int:
        """Write what was noted and say how many memories; what fails to be written is noted again and raises."""
        with self._guard:
            taken, self._noted = self._noted, {}
        written = 0
        while taken:
            tenant, (counts, at) = taken.popitem()
            try:
                written += store.run(tenant, partial(_write, counts=counts, at=at))
            except BaseException:
                self.note(tenant, list(counts.elements()), at)
                for left, (others, when) in taken.items():
                    self.note(left, list(others.elements()), when)
                raise
        return written


def _write(t: Transaction, *, counts: Counter[str], at: datetime) -> int:
    return memories.count_uses(t, counts, at)
