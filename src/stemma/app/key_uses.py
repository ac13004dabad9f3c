"""When keys were last used: noted in memory by requests, written apart and in batches."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import datetime
from functools import partial

from stemma.store import keys
from stemma.store.connection import Store
from stemma.store.transaction import Transaction


class KeyUses:
    """Which keys were used since the last writing, and when last. Safe to use from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._noted: dict[str, dict[str, datetime]] = {}

    def note(self, tenant: str, key_id: str, at: datetime) -> None:
        """Note that a key was used; nothing is written yet."""
        with self._guard:
            last = self._noted.setdefault(tenant, {})
            last[key_id] = max(at, last.get(key_id, at))

    def write(self, store: Store) -> int:
        """Write what was noted and say of how many keys; what fails to be written is noted again and raises."""
        with self._guard:
            taken, self._noted = self._noted, {}
        written = 0
        while taken:
            tenant, last = next(iter(taken.items()))
            try:
                written += store.run(tenant, partial(_write, last=last))
            except BaseException:
                for owner, used in taken.items():
                    for key_id, at in used.items():
                        self.note(owner, key_id, at)
                raise
            del taken[tenant]
        return written


def _write(t: Transaction, *, last: Mapping[str, datetime]) -> int:
    return keys.note_uses(t, last)
