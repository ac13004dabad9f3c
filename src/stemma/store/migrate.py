"""Numbered SQL migrations: each applied once, in order, in a transaction of its own, with its hash on record."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import psycopg
from psycopg import errors

from stemma.errors import MigrationChanged, MigrationFailed, StoreNewer
from stemma.store.connection import NO_TENANT, Store, lock_key
from stemma.store.transaction import Transaction

_NAME: Final = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")
_LOCK: Final = lock_key(NO_TENANT, "schema_migrations")
_LOCK_SECONDS: Final = 600


@dataclass(frozen=True, slots=True)
class Migration:
    """One file."""

    number: int
    name: str
    text: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Status:
    """Which migrations the store has, and which of the code's it lacks."""

    applied: tuple[str, ...]
    pending: tuple[Migration, ...]


@cache
def shipped() -> tuple[Migration, ...]:
    """Return the migrations of the package."""
    return read(files("stemma.store") / "migrations")


def read(folder: Traversable) -> tuple[Migration, ...]:
    """Read the migrations of a folder, in order. Numbers without a gap from 1, else ValueError."""
    found = []
    for file in folder.iterdir():
        match = _NAME.fullmatch(file.name)
        if match:
            # A checkout may have changed the ends of lines; that changes nothing in the migration.
            text = file.read_text(encoding="utf-8").replace("\r\n", "\n")
            found.append(Migration(int(match[1]), match[2], text, hashlib.sha256(text.encode()).hexdigest()))
        elif file.name.endswith(".sql"):
            raise ValueError(f"{file.name}: a migration is named NNNN_words.sql")
    found.sort(key=lambda each: each.number)
    if [each.number for each in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"migrations are numbered from 1 without a gap, not {[each.number for each in found]}")
    return tuple(found)


def status(store: Store, migrations: Sequence[Migration] | None = None) -> Status:
    """Compare the store with the code (one query). Raises StoreNewer or MigrationChanged where they do not fit."""
    wanted = shipped() if migrations is None else migrations
    try:
        with store.transaction(NO_TENANT, read_only=True) as transaction:
            rows = transaction.all("applied_migrations")
    except errors.UndefinedTable:
        rows = []
    done = {row["number"]: row for row in rows}
    for migration in wanted:
        _require_same(migration, done.get(migration.number))
    newer = [row for number, row in done.items() if number > len(wanted)]
    if newer:
        raise StoreNewer(
            f"the store has migration {newer[-1]['number']:04d}_{newer[-1]['name']} and this version ends with "
            f"{len(wanted):04d}; use the version that migrated it, or a newer one"
        )
    applied = tuple(f"{row['number']:04d}_{row['name']}" for row in rows)
    return Status(applied, tuple(each for each in wanted if each.number not in done))


def apply(store: Store, migrations: Sequence[Migration] | None = None) -> tuple[Migration, ...]:
    """Bring the store's schema up to date, and return what this call applied.

    Any number of processes may call it at once: each migration is applied by one of them. Raises StoreNewer,
    MigrationChanged or MigrationFailed.
    """
    pending = status(store, migrations).pending
    return tuple(each for each in pending if _apply_one(store, each))


def _apply_one(store: Store, migration: Migration) -> bool:
    try:
        with store.transaction(NO_TENANT) as transaction:
            return _apply_in(transaction, migration)
    except psycopg.Error as error:
        raise MigrationFailed(f"migration {migration.number:04d}_{migration.name} failed: {error}") from error


def _apply_in(transaction: Transaction, migration: Migration) -> bool:
    transaction.execute("allow_long_statement", {"lock_timeout": f"{_LOCK_SECONDS}s"})
    transaction.execute("lock_migrations", {"key": _LOCK})
    transaction.execute("create_migrations_table")
    done = {row["number"]: row for row in transaction.all("applied_migrations")}
    _require_same(migration, done.get(migration.number))
    if migration.number in done:
        return False
    transaction.script(migration.text)
    facts = {"number": migration.number, "name": migration.name, "sha256": migration.sha256}
    transaction.execute("record_migration", facts)
    return True


def _require_same(migration: Migration, row: dict[str, object] | None) -> None:
    if row is not None and row["sha256"] != migration.sha256:
        raise MigrationChanged(
            f"migration {migration.number:04d}_{migration.name} differs from {row['name']}, which the store was "
            "migrated with; a migration is never edited after it was applied: restore the file"
        )
