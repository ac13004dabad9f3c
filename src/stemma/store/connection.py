"""The store, in a folder or behind a DSN: its one transaction, the retries and the names of its errors."""

import contextlib
import hashlib
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final, Self, TypeVar

import psycopg
from psycopg import IsolationLevel, errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from stemma.errors import (
    CommitUnknown,
    InvalidStoreTarget,
    LockTimeout,
    StatementTimeout,
    StoreFull,
    StoreUnavailable,
    TransactionConflict,
    VectorMissing,
)
from stemma.store import queries
from stemma.store.embedded import DATABASE, EmbeddedServer, open_embedded
from stemma.store.pool import Bounds, Link, Pool, Usage, is_lost
from stemma.store.transaction import Transaction

NO_TENANT: Final = ""
_ATTEMPTS: Final = 10
_VECTOR: Final = (0, 7)
T = TypeVar("T")


class Isolation(Enum):
    """The isolation of a transaction."""

    READ_COMMITTED = IsolationLevel.READ_COMMITTED
    REPEATABLE_READ = IsolationLevel.REPEATABLE_READ
    SERIALIZABLE = IsolationLevel.SERIALIZABLE


@dataclass(frozen=True, slots=True)
class _Terms:
    """What a transaction begins with."""

    tenant: str
    read_only: bool
    lock: str | None
    isolation: Isolation

    def __post_init__(self) -> None:
        if self.lock is not None and self.isolation is not Isolation.READ_COMMITTED:
            # The snapshot would be older than the lock: what the former holder wrote would not be seen.
            raise ValueError("lock: goes with read committed only")

    def begin(self, link: Link) -> None:
        """Open the transaction on a connection: level, tenant, and the subject's lock where one is named."""
        link.isolation_level = self.isolation.value
        link.read_only = self.read_only
        named = queries.load()
        # The first statement makes psycopg write BEGIN with this level and mode.
        if self.lock is None:
            link.execute(named["open_transaction"], {"tenant_id": self.tenant})
        else:
            key = lock_key(self.tenant, self.lock)
            link.execute(named["open_locked_transaction"], {"tenant_id": self.tenant, "key": key})


def lock_key(tenant: str, subject: str) -> int:
    """Return the advisory lock's key of a subject: 64 bits of a hash over length-prefixed parts."""
    digest = hashlib.sha256()
    for part in (tenant.encode(), subject.encode()):
        digest.update(len(part).to_bytes(8, "big") + part)
    return int.from_bytes(digest.digest()[:8], "big", signed=True)


class Store:
    """One database. Safe to use from several threads; not across a fork."""

    def __init__(self, pool: Pool, server: EmbeddedServer | None) -> None:
        """Take what `Store.open` has made."""
        self.server = server
        self._pool = pool

    @classmethod
    def open(
        cls,
        target: str | Path,
        *,
        database: str | None = None,
        binaries: Path | None = None,
        bounds: Bounds | None = None,
    ) -> Self:
        """Open the store in a folder (embedded) or behind `postgresql://…`. It is not migrated yet.

        `database` names another database than `stemma` or the DSN's; in an embedded server it is made if it is missing.
        `binaries` is a folder with PostgreSQL's programs for the embedded server. Raises EmbeddedRefused, StoreBusy,
        StoreUnavailable, InvalidStoreTarget or VectorMissing.
        """
        bounds = bounds or Bounds()
        if isinstance(target, str) and "://" in target:
            address = _address(target, database)
            store = cls(Pool(lambda: address, _nothing, bounds), None)
        else:
            if isinstance(target, str):
                _require_folder_name(target)
            server = open_embedded(Path(target), binaries=binaries)
            store = cls(Pool(lambda: server.address(database or DATABASE), server.revive, bounds), server)
        try:
            store._require_database(database)
        except BaseException:
            store.close()
            raise
        return store

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store."""
        self.close()

    def usage(self) -> Usage:
        """Say how many of its connections are in use."""
        return self._pool.usage()

    def close(self) -> None:
        """Close every connection and leave an embedded server, which its last user stops."""
        self._pool.close()
        if self.server is not None:
            self.server.close()

    @contextlib.contextmanager
    def transaction(
        self,
        tenant: str,
        *,
        read_only: bool = False,
        lock: str | None = None,
        isolation: Isolation = Isolation.READ_COMMITTED,
    ) -> Iterator[Transaction]:
        """Open a transaction of a tenant, committed at the end of the block and rolled back by an exception.

        `lock` names a subject: the transaction waits for others with the same one. Raises StoreUnavailable,
        CommitUnknown, TransactionConflict, LockTimeout, StatementTimeout or StoreFull; other errors pass.
        """
        with self._open(_Terms(tenant, read_only, lock, isolation)) as transaction:
            yield transaction

    def run(
        self,
        tenant: str,
        work: Callable[[Transaction], T],
        *,
        read_only: bool = False,
        lock: str | None = None,
        isolation: Isolation = Isolation.READ_COMMITTED,
    ) -> T:
        """Run `work` in a transaction, again if that conflicts with another or loses its connection before the commit.

        `work` may run several times, so it changes nothing but the store. CommitUnknown is never retried here.
        """
        terms = _Terms(tenant, read_only, lock, isolation)
        for attempt in range(1, _ATTEMPTS):
            try:
                with self._open(terms) as transaction:
                    return work(transaction)
            except (TransactionConflict, _LostInWork):
                time.sleep(random.uniform(0, min(0.5, 0.005 * 2**attempt)))
        with self._open(terms) as transaction:
            return work(transaction)

    def _require_database(self, database: str | None) -> None:
        if self.server is not None:
            if database:
                self.server.ensure_database(database)
            return  # made with pgvector; and its role may not add it
        try:
            with self._pool.connect() as link:
                _require_vector(link)
        except psycopg.OperationalError as error:
            raise StoreUnavailable(f"the store cannot be reached: {error}") from error

    @contextlib.contextmanager
    def _open(self, terms: _Terms) -> Iterator[Transaction]:
        ending = False
        try:
            with self._pool.lease(terms.begin) as link:
                try:
                    yield Transaction(link, terms.tenant)
                    ending = True
                    link.commit()
                except psycopg.Error as error:
                    if not is_lost(link, error):
                        raise
                    if ending and not terms.read_only:
                        raise CommitUnknown(
                            "the connection broke at the commit, which may stand; send it again"
                        ) from error
                    raise _LostInWork(f"the connection to the store broke: {error}; send it again") from error
        except psycopg.Error as error:
            named = _named(error, terms)
            if named is None:
                raise
            raise named from error


class _LostInWork(StoreUnavailable):
    """The connection broke before the commit: nothing of the transaction stands."""


def _named(error: psycopg.Error, terms: _Terms) -> Exception | None:
    """Return the error of our tree for one of a statement, where there is one."""
    match error:
        case errors.SerializationFailure() | errors.DeadlockDetected():
            return TransactionConflict(f"the transaction met another one ({error.sqlstate}); send it again")
        case errors.LockNotAvailable():
            return LockTimeout(f"another transaction holds {terms.lock or 'what this one needs'}; try again later")
        case errors.QueryCanceled():
            return StatementTimeout("a statement took too long and was ended; ask for less at once")
        case errors.DiskFull():
            return StoreFull("the store's disk is full; make room")
        case errors.ReadOnlySqlTransaction() if not terms.read_only:
            return StoreUnavailable("the server takes no writes (a standby?); try again later")
    return None


def _address(dsn: str, database: str | None) -> str:
    if not dsn.startswith(("postgresql://", "postgres://")):
        raise InvalidStoreTarget("--store: give a folder or postgresql://…")
    try:
        return make_conninfo(dsn, dbname=database) if database else make_conninfo(dsn)
    except psycopg.ProgrammingError:
        # libpq's message quotes the string, and a password may stand in it.
        raise InvalidStoreTarget("--store: this postgresql:// address cannot be read; check its form") from None


def _require_folder_name(target: str) -> None:
    """Refuse libpq's other notation for an address: as a folder it would put a password into a name on the disk."""
    try:
        named = conninfo_to_dict(target)
    except psycopg.ProgrammingError:
        return
    if named.keys() & {"host", "hostaddr", "dbname", "password", "service"}:
        raise InvalidStoreTarget("--store: write the server's address as postgresql://user@host:port/database")


def _require_vector(link: Link) -> None:
    named = queries.load()
    found = link.execute(named["vector_version"]).fetchone()
    if found is not None:
        version = str(found["extversion"])
        if tuple(map(int, version.split(".")[:2])) < _VECTOR:
            raise VectorMissing(f"the server has pgvector {version}; let an administrator update it to 0.7 or newer")
        return
    try:
        link.execute(named["create_vector"])
    except (errors.InsufficientPrivilege, errors.FeatureNotSupported, errors.UndefinedFile) as error:
        raise VectorMissing(
            f"the server has no pgvector in this database and this role cannot add it ({error.diag.message_primary}); "
            "let an administrator install pgvector 0.7 or newer and run CREATE EXTENSION vector"
        ) from error


def _nothing(_: float) -> None:
    """A server behind a DSN is restarted by whoever runs it."""
