"""Traces as they are kept: noted in memory by requests, written apart and in batches, read by no score."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar, Final

from stemma.app.scope import Scopes
from stemma.core.trace_form import Packed, pack, unpack
from stemma.core.traced import EPISODE, MEMORY, PASSAGE, Trace, violations
from stemma.errors import StoreError
from stemma.store import traces
from stemma.store.connection import Store
from stemma.store.traces import StoredTrace
from stemma.store.transaction import Transaction

# So many that are not to be stored are kept in memory: those of requests whose clocks were set by hand.
KEPT_IN_MEMORY: Final = 256
# From so many on they are written by a thread of their own, where nothing else writes them.
WRITTEN_FROM: Final = 32
# So many wait at most; a store that takes nothing for that long loses the oldest.
MOST_WAITING: Final = 1_024

Named = tuple[str, str]
Make = Callable[[], Trace]


@dataclass(frozen=True, slots=True)
class Retention:
    """How long traces are kept: so many days, and so many of a tenant."""

    days: float
    most: int


class Traces:
    """The traces that are not stored yet, or never are. Safe to use from several threads."""

    # Tests let a trace that breaks a rule raise where it is written; a request is answered all the same.
    raises: ClassVar[bool] = False

    def __init__(self, retention: Retention | None = None) -> None:
        self.retention = retention or Retention(days=30, most=10_000)
        self._guard = threading.Lock()
        self._writing = threading.Lock()
        self._overridden: OrderedDict[Named, Trace] = OrderedDict()
        self._waiting: OrderedDict[Named, Trace] = OrderedDict()
        self._writer: threading.Thread | None = None
        self.scopes = Scopes()
        self.violations = 0
        self.lost = 0

    def note(self, tenant: str, trace_id: str, make: Make, *, stored: bool) -> None:
        """Make the record of a request and note it; the checks and the writing come later."""
        # At once: what it is made of is ten times as much, and costs more to keep than the record costs to make.
        trace = make()
        with self._guard:
            kept, most = (self._waiting, MOST_WAITING) if stored else (self._overridden, KEPT_IN_MEMORY)
            kept[tenant, trace_id] = trace
            while len(kept) > most:
                kept.popitem(last=False)
                self.lost += stored

    def write_when_many(self, store: Store) -> None:
        """Begin to write apart where many wait; returns at once."""
        with self._guard:
            if len(self._waiting) < WRITTEN_FROM or (self._writer is not None and self._writer.is_alive()):
                return
            self._writer = threading.Thread(target=self._write_apart, args=(store,), name="traces", daemon=True)
            self._writer.start()

    def write(self, store: Store) -> int:
        """Write what was noted and say how many; what fails to be written is noted again and raises."""
        with self._writing:
            with self._guard:
                taken, self._waiting = self._waiting, OrderedDict()
            written = 0
            try:
                while taken:
                    tenant = next(iter(taken))[0]
                    own = [named for named in taken if named[0] == tenant]
                    made = [self.checked(taken[named]) for named in own]
                    written += store.run(tenant, partial(_put, made=made, retention=self.retention))
                    for named in own:
                        del taken[named]
            except BaseException:
                with self._guard:
                    self._waiting = OrderedDict([*taken.items(), *self._waiting.items()])
                raise
        return written

    def find(self, store: Store, tenant: str, trace_id: str) -> Trace | None:
        """Return a trace, whether it is stored yet or never is; None where there is none."""
        with self._guard:
            trace = self._overridden.get((tenant, trace_id))
        if trace is not None:
            return self.checked(trace)
        self.write(store)
        found = store.run(tenant, lambda t: traces.read(t, trace_id), read_only=True)
        return None if found is None else unpack(Packed(tuple(found[0]), found[1]))

    def forget(self, tenant: str) -> None:
        """Drop a tenant's traces that are in memory alone: something was erased, and they may name it."""
        with self._guard:
            for named in [named for named in self._overridden if named[0] == tenant]:
                del self._overridden[named]

    def checked(self, trace: Trace) -> Trace:
        """Return a record, and count what does not hold of it."""
        if found := violations(trace):
            with self._guard:
                self.violations += len(found)
            if self.raises:
                raise AssertionError(f"trace {trace.id}: {'; '.join(found)}")
        return trace

    def _write_apart(self, store: Store) -> None:
        try:
            self.write(store)
        except StoreError:
            # They wait for the next occasion.
            return


def prune(store: Store, tenant: str, retention: Retention, now: datetime) -> int:
    """Delete the traces that are kept long enough, and say how many."""
    oldest = now - timedelta(days=retention.days)
    return store.run(tenant, lambda t: traces.prune(t, oldest=oldest, kept=retention.most))


def _put(t: Transaction, *, made: Sequence[Trace], retention: Retention) -> int:
    subjects = {one.request.subject_id for one in made if one.request.subject_id is not None}
    documents = set().union(*(_documents(one) for one in made))
    there = traces.hold_subjects(t, subjects) | traces.hold_documents(t, documents)
    # After the locks: an erasure that was under way is over, and what it took is gone.
    there |= traces.known(t, {name for one in made for name in _names(one)})
    listed = [one for one in made if _is_whole(one, there)]
    written = traces.put(t, [_stored(one) for one in listed])
    if made:
        oldest = max(one.at for one in made) - timedelta(days=retention.days)
        traces.prune(t, oldest=oldest, kept=retention.most)
    return written


def _stored(trace: Trace) -> StoredTrace:
    packed = pack(trace)
    row = StoredTrace(trace.id, trace.request.subject_id, trace.at, packed.names, packed.body)
    if trace.request.operation != "bundle":
        return row
    places = {name: place for place, name in enumerate(packed.names, start=1)}
    final, items = set(trace.stages[-1].items), trace.items
    came = [at for at, name in enumerate(items.ids) if name in final and items.types[at] == MEMORY]
    forced = [places[items.ids[at]] for at in came if at in items.forced]
    return replace(row, query=trace.request.query_sha256, given=[places[items.ids[at]] for at in came], forced=forced)


def _names(trace: Trace) -> set[str]:
    """Give the memories, episodes, and conflicts that a trace names."""
    items = trace.items
    listed = {name for name, kind in zip(items.ids, items.types, strict=True) if kind == MEMORY}
    listed |= {owner for at, owner in items.owners.items() if items.types[at] == EPISODE}
    listed |= {fate.id for fate in trace.stage("scope").fates}
    return listed | {note.id for note in trace.notes if note.section == "conflicts"}


def _is_whole(trace: Trace, there: set[str]) -> bool:
    """Say whether all that a trace names is still there: what was erased meanwhile takes the trace with it."""
    subject = trace.request.subject_id
    if subject is not None and subject not in there and trace.stages[0].left:
        return False
    return _names(trace) <= there and _documents(trace) <= there


def _documents(trace: Trace) -> set[str]:
    """Give the documents whose passages a trace names."""
    return {owner for at, owner in trace.items.owners.items() if trace.items.types[at] == PASSAGE}
