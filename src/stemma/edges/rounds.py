"""Work that is done for one tenant after the other. One whose work fails is put off, and the others go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import structlog

from stemma.app.keys import every_tenant
from stemma.app.runtime import Runtime
from stemma.errors import StemmaError, StoreError

PUT_OFF_SECONDS: Final = 30.0
_log = structlog.get_logger("stemma.background")


class Round:
    """A piece of work as a chore over all tenants: each call is one round, and says how much was done."""

    def __init__(
        self, name: str, runtime: Runtime, work: Callable[[Runtime, str], int], is_over: Callable[[], bool]
    ) -> None:
        """Take the work of one tenant; once `is_over` says so no other tenant's is begun."""
        self._name = name
        self._runtime = runtime
        self._work = work
        self._is_over = is_over
        self._put_off: dict[str, float] = {}

    def __call__(self) -> int:
        """Do it for every tenant that has a key or a log. Raises StoreError: then nothing goes on for anyone."""
        done = 0
        for tenant in every_tenant(self._runtime):
            if self._is_over():
                break
            if self._put_off.get(tenant, 0.0) > time.monotonic():
                continue
            self._put_off.pop(tenant, None)
            try:
                done += self._work(self._runtime, tenant)
            except StoreError:
                raise
            except StemmaError as error:
                # What was to be done is still marked as to be done, so it is only put off.
                _log.warning("put_off", chore=self._name, tenant=tenant, code=error.code, retryable=error.retryable)
                self._put_off[tenant] = time.monotonic() + PUT_OFF_SECONDS
        return done
