"""What waits in a store, of all tenants together: episodes for a compile, texts for a vector."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Final

from stemma.app import embed
from stemma.app.keys import every_tenant
from stemma.app.runtime import Runtime
from stemma.errors import StoreError
from stemma.store import log

# A count is used for so long, and for so many times what it took: then counting takes a twentieth of one connection.
_REST_SECONDS: Final = 5.0
_REST_TIMES: Final = 20.0
# Who asks for figures gives up soon, and without them nobody sees that it is the store that does not answer.
PATIENCE_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many groups of episodes wait for a compile, and how many texts for a vector."""

    uncompiled: int
    outstanding: int


class Backlog:
    """Counts what waits when it is asked, and not more often than a store of many tenants bears."""

    def __init__(self, runtime: Runtime, patience_seconds: float = PATIENCE_SECONDS) -> None:
        """Take the runtime whose store it is."""
        self._runtime = runtime
        self._patience_seconds = patience_seconds
        self._guard = threading.Lock()
        self._counting: threading.Thread | None = None
        self._found: Waiting | None = None
        self._good_until = 0.0

    def now(self) -> Waiting | None:
        """Return what waits, counted some seconds ago at most; None where the store did not answer in time."""
        with self._guard:
            if time.monotonic() < self._good_until:
                return self._found
            if self._counting is None or not self._counting.is_alive():
                # A store that is gone is waited for; whoever asks meanwhile waits for this same look.
                self._counting = threading.Thread(target=self._count, name="backlog", daemon=True)
                self._counting.start()
            counting = self._counting
        counting.join(self._patience_seconds)
        with self._guard:
            return None if counting.is_alive() else self._found

    def _count(self) -> None:
        began = time.monotonic()
        try:
            found = waiting(self._runtime)
        except StoreError:
            found = None
        ended = time.monotonic()
        with self._guard:
            self._found = found
            # What failed is tried again at once: it says nothing of what the next look takes.
            self._good_until = ended + max(_REST_SECONDS, _REST_TIMES * (ended - began)) if found else ended


def waiting(runtime: Runtime) -> Waiting:
    """Count what waits now. Raises StoreError."""
    uncompiled = outstanding = 0
    for tenant in every_tenant(runtime):
        uncompiled += runtime.store.run(tenant, log.uncompiled_of_tenant, read_only=True)
        outstanding += embed.outstanding(runtime, tenant)
    return Waiting(uncompiled, outstanding)
