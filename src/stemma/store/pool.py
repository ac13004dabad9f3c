"""Connections to one database: held in a pool, and found again after a loss. What is done on them stands elsewhere."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import errors
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from stemma.errors import EmbeddedRefused, StoreBusy, StoreUnavailable
from stemma.store import queries
from stemma.store.transaction import Row

Link = psycopg.Connection[Row]
_CONNECT_SECONDS: Final = 5
_PATIENCE_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long the store waits for what, in seconds, and how many connections it holds at most."""

    lock_seconds: float = 30.0
    statement_seconds: float = 120.0
    restore_seconds: float = 30.0
    connections: int = 6


class Pool:
    """A pool that is replaced when its server was lost. `address` may answer anew after `revive` was called."""

    def __init__(self, address: Callable[[], str], revive: Callable[[], None], bounds: Bounds) -> None:
        """Connect at first use."""
        self.bounds = bounds
        self._address = address
        self._revive = revive
        self._restoring = threading.Lock()
        self._pool = self._new()
        self._closed = False

    def probe(self) -> Link:
        """Make one connection outside the pool, so that what is wrong is told at once."""
        link = psycopg.Connection[Row].connect(self._address(), **self._options())
        self._configure(link)
        return link

    @contextlib.contextmanager
    def lease(self, begin: Callable[[Link], None]) -> Iterator[Link]:
        """Lend a connection on which `begin` has succeeded; one that was lost before is replaced, within the bound."""
        pool, link = self._acquire(begin)
        try:
            yield link
        finally:
            _give_back(pool, link)

    def close(self) -> None:
        """Close every connection; those that are lent out when they come back."""
        self._closed = True
        self._pool.close()

    def _acquire(self, begin: Callable[[Link], None]) -> tuple[ConnectionPool[Link], Link]:
        deadline = time.monotonic() + self.bounds.restore_seconds
        while True:
            pool = self._pool
            try:
                link = pool.getconn(timeout=min(_PATIENCE_SECONDS, self.bounds.restore_seconds))
            except PoolClosed:
                if self._closed:
                    raise
                continue  # another thread has replaced it
            except PoolTimeout as error:
                self._restore(pool, deadline, error)
                continue
            try:
                begin(link)
            except BaseException as error:
                lost = is_lost(link, error)
                _give_back(pool, link)
                if not lost:
                    raise
                self._restore(pool, deadline, error)
                continue
            return pool, link

    def _restore(self, lost: ConnectionPool[Link], deadline: float, cause: BaseException) -> None:
        """Reach the server again and replace the pool `lost`, unless another thread did or it was only busy."""
        with self._restoring:
            if self._pool is not lost:
                return
            self._reach(deadline)
            if not isinstance(cause, PoolTimeout):
                self._pool = self._new()
                lost.close(timeout=1)
            elif time.monotonic() > deadline:
                raise StoreBusy(
                    f"all {self.bounds.connections} connections to the store are in use; "
                    "try again, or raise the number of connections"
                ) from cause

    def _reach(self, deadline: float) -> None:
        while True:
            try:
                self._revive()
                self.probe().close()
            except (psycopg.OperationalError, EmbeddedRefused, StoreBusy) as error:
                if time.monotonic() > deadline:
                    raise StoreUnavailable(f"the store cannot be reached: {error}") from error
                time.sleep(0.1)
            else:
                return

    def _new(self) -> ConnectionPool[Link]:
        return ConnectionPool(
            self._address(),
            connection_class=psycopg.Connection[Row],
            kwargs=self._options(),
            configure=self._configure,
            min_size=1,
            max_size=self.bounds.connections,
            reconnect_timeout=1.0,
            open=True,
            name="stemma",
        )

    def _options(self) -> dict[str, Any]:
        return {
            "row_factory": dict_row,
            "connect_timeout": _CONNECT_SECONDS,
            "application_name": "stemma",
        }

    def _configure(self, link: Link) -> None:
        waits = {
            "lock_timeout": f"{self.bounds.lock_seconds * 1000:.0f}",
            "statement_timeout": f"{self.bounds.statement_seconds * 1000:.0f}",
        }
        link.execute(queries.load()["configure_session"], waits)
        link.commit()


def is_lost(link: Link, error: BaseException) -> bool:
    """Say whether this error means that the connection is gone. The server may say so before it closes it."""
    told = (errors.AdminShutdown, errors.CrashShutdown, errors.IdleInTransactionSessionTimeout)
    return isinstance(error, psycopg.Error) and (link.closed or isinstance(error, told))


def _give_back(pool: ConnectionPool[Link], link: Link) -> None:
    if link.info.transaction_status not in (psycopg.pq.TransactionStatus.IDLE, psycopg.pq.TransactionStatus.UNKNOWN):
        with contextlib.suppress(psycopg.Error):  # a lost connection; the pool replaces it
            link.rollback()
    pool.putconn(link)
