"""Traces as they are kept: noted in memory by requests, written apart and in batches, read by no score."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import ClassVar, Final

from stemma.core.traced import Trace, violations

# So many that are not to be stored are kept in memory: those of requests whose clocks were set by hand.
KEPT_IN_MEMORY: Final = 256
Named = tuple[str, str]
Make = Callable[[], Trace]


class Traces:
    """The traces that are not stored yet, or never are. Safe to use from several threads."""

    # Tests let a trace that breaks a rule raise; a request is answered all the same, and the counter tells.
    raises: ClassVar[bool] = False

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._overridden: OrderedDict[Named, Make] = OrderedDict()
        self._waiting: OrderedDict[Named, Make] = OrderedDict()
        self.violations = 0

    def note(self, tenant: str, trace_id: str, make: Make, *, stored: bool) -> None:
        """Note how the record of a request is made; that, and the writing, come later."""
        with self._guard:
            if stored:
                self._waiting[tenant, trace_id] = make
                return
            self._overridden[tenant, trace_id] = make
            while len(self._overridden) > KEPT_IN_MEMORY:
                self._overridden.popitem(last=False)

    def made(self, make: Make) -> Trace:
        """Make a record, and count what does not hold of it."""
        trace = make()
        if found := violations(trace):
            with self._guard:
                self.violations += len(found)
            if self.raises:
                raise AssertionError(f"trace {trace.id}: {'; '.join(found)}")
        return trace
