"""Connections to one database: lent out, and found again after a loss. What is done on them stands elsewhere.

Connections are made by the thread that needs one, so that a dead server is noticed, and brought back, at once.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row

from stemma.errors import EmbeddedRefused, StoreBusy, StoreUnavailable
from stemma.store import queries
from stemma.store.transaction import Row

Link = psycopg.Connection[Row]
_CONNECT_SECONDS: Final = 5
_POLL_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long the store waits for what, in seconds, and how many connections it holds at most."""

    lock_seconds: float = 30.0
    statement_seconds: float = 120.0
    restore_seconds: float = 30.0
    connections: int = 6


@dataclass(frozen=True, slots=True)
class Usage:
    """How many connections are lent out, how many wait to be, and how many there may be at most."""

    in_use: int
    idle: int
    most: int


class Pool:
    """Connections of one store. `revive(seconds)` brings its server back; `address` may answer anew after it."""

    def __init__(self, address: Callable[[], str], revive: Callable[[float], None], bounds: Bounds) -> None:
        """Connect at first use."""
        self.bounds = bounds
        self._address = address
        self._revive = revive
        self._free = threading.BoundedSemaphore(bounds.connections)
        self._restoring = threading.Lock()
        self._guard = threading.Lock()
        self._idle: list[Link] = []
        self._generation = 0
        self._lent = 0
        self._closed = False

    def connect(self) -> Link:
        """Make one connection, outside of all bounds and repetitions."""
        link = psycopg.Connection[Row].connect(
            self._address(), row_factory=dict_row, connect_timeout=_CONNECT_SECONDS, application_name="stemma"
        )
        waits = {
            "lock_timeout": f"{self.bounds.lock_seconds * 1000:.0f}",
            "statement_timeout": f"{self.bounds.statement_seconds * 1000:.0f}",
        }
        try:
            link.execute(queries.load()["configure_session"], waits)
            link.commit()
        except BaseException:
            link.close()
            raise
        return link

    @contextlib.contextmanager
    def lease(self, begin: Callable[[Link], None]) -> Iterator[Link]:
        """Lend a connection on which `begin` has succeeded; one that was lost before is replaced, within the bound."""
        if not self._free.acquire(timeout=self.bounds.restore_seconds):
            raise StoreBusy(
                f"all {self.bounds.connections} connections to the store are in use for "
                f"{self.bounds.restore_seconds:.0f} s; try again, or allow more connections"
            )
        try:
            self._count(+1)
            link, generation = self._begun(begin)
            try:
                yield link
            finally:
                self._take_back(link, generation)
        finally:
            self._count(-1)
            self._free.release()

    def usage(self) -> Usage:
        """Say how much of it is in use."""
        with self._guard:
            return Usage(self._lent, len(self._idle), self.bounds.connections)

    def close(self) -> None:
        """Close every connection; those that are lent out when they come back."""
        with self._guard:
            self._closed = True
        self._drop_idle()

    def _begun(self, begin: Callable[[Link], None]) -> tuple[Link, int]:
        deadline = time.monotonic() + self.bounds.restore_seconds
        while True:
            generation = self._generation
            try:
                link = self._idle_one() or self.connect()
            except psycopg.OperationalError as error:
                self._restore(generation, deadline, error)
                continue
            try:
                begin(link)
            except BaseException as error:
                self._take_back(link, generation)
                if not is_lost(link, error):
                    raise
                self._restore(generation, deadline, error)
                continue
            return link, generation

    def _restore(self, generation: int, deadline: float, cause: BaseException) -> None:
        """Reach the server again, unless another thread has; what is idle of before is dropped."""
        with self._restoring:
            while self._generation == generation:
                if self._closed or time.monotonic() > deadline:
                    raise StoreUnavailable(f"the store cannot be reached: {cause}") from cause
                try:
                    self._revive(max(0.0, deadline - time.monotonic()))
                    link = self.connect()
                except (psycopg.OperationalError, EmbeddedRefused, StoreBusy) as error:
                    cause = error
                    time.sleep(_POLL_SECONDS)
                else:
                    self._drop_idle()
                    self._generation += 1
                    self._take_back(link, self._generation)

    def _count(self, more: int) -> None:
        with self._guard:
            self._lent += more

    def _idle_one(self) -> Link | None:
        with self._guard:
            if self._closed:
                raise StoreUnavailable("the store was closed")
            return self._idle.pop() if self._idle else None

    def _take_back(self, link: Link, generation: int) -> None:
        if link.info.transaction_status is not TransactionStatus.IDLE:
            with contextlib.suppress(psycopg.Error):  # a lost connection, which is closed below
                link.rollback()
        with self._guard:
            idle = link.info.transaction_status is TransactionStatus.IDLE
            if idle and generation == self._generation and not self._closed:
                self._idle.append(link)
                return
        link.close()

    def _drop_idle(self) -> None:
        with self._guard:
            dropped, self._idle = self._idle, []
        for link in dropped:
            link.close()


def is_lost(link: Link, error: BaseException) -> bool:
    """Say whether this error means that the connection is gone. The server may say so before it closes it."""
    told = (errors.AdminShutdown, errors.CrashShutdown, errors.IdleInTransactionSessionTimeout)
    return isinstance(error, psycopg.Error) and (link.closed or isinstance(error, told))
