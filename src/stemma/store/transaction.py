"""What a transaction offers: named queries with the tenant filled in. `connection` begins and ends it."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import psycopg
from psycopg.rows import dict_row

from stemma.errors import InvalidInput
from stemma.store import queries
from stemma.store.queries import Queries

Row = dict[str, Any]


Parameters = Mapping[str, Any]


class Transaction:
    """An open transaction of one tenant. `%(tenant_id)s` is filled in for every query."""

    def __init__(self, connection: psycopg.Connection[Row], tenant: str, named: Queries | None = None) -> None:
        """Take a connection on which the transaction is open, and the queries, by default the package's."""
        self.tenant = tenant
        self.connection = connection
        self._named = named or queries.load()

    def all(self, name: str, parameters: Parameters | None = None) -> list[Row]:
        """Return every row of the query `name`."""
        return self._run(name, parameters).fetchall()

    def maybe(self, name: str, parameters: Parameters | None = None) -> Row | None:
        """Return the only row, or nothing where there is none."""
        rows = self.all(name, parameters)
        if len(rows) > 1:
            raise LookupError(f"query {name!r} gave {len(rows)} rows where at most one was expected")
        return rows[0] if rows else None

    def one(self, name: str, parameters: Parameters | None = None) -> Row:
        """Return the only row; none is a LookupError."""
        row = self.maybe(name, parameters)
        if row is None:
            raise LookupError(f"query {name!r} gave no row where one was expected")
        return row

    def execute(self, name: str, parameters: Parameters | None = None) -> int:
        """Run a query that returns nothing, and say how many rows it touched."""
        return self._run(name, parameters).rowcount

    def many(self, name: str, rows: Iterable[Parameters]) -> int:
        """Run a query once for each set of parameters, without waiting in between; say how many rows it touched."""
        bound = [self._bind(row) for row in rows]
        if not bound:
            return 0
        with self.connection.cursor() as cursor:
            cursor.executemany(self._named[name], bound)
            return cursor.rowcount

    def stream(self, name: str, parameters: Parameters | None = None, *, size: int = 1000) -> Iterator[Row]:
        """Yield the rows as they are read, `size` at a time, so that no result need fit into memory."""
        with self.connection.cursor(name="stream", row_factory=dict_row) as cursor:
            cursor.itersize = size
            cursor.execute(self._named[name], self._bind(parameters))
            yield from cursor

    def copy_in(self, name: str, rows: Iterable[Sequence[Any]]) -> int:
        """Write rows through the `COPY … FROM STDIN` named `name`, and say how many there were."""
        with self.connection.cursor() as cursor:
            with cursor.copy(self._named[name]) as copy:
                for row in rows:
                    copy.write_row(row)
            return cursor.rowcount

    @contextlib.contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what the block wrote where it raises; what stood before it stays, and the transaction goes on.

        Raises InvalidInput for what the server cannot hold, so that one item of a batch can be refused by itself.
        """
        try:
            with self.connection.transaction():
                yield
        except (psycopg.DataError, psycopg.errors.ProgramLimitExceeded) as error:
            raise InvalidInput(f"the store cannot hold this ({error.sqlstate})") from error

    def script(self, text: str) -> None:
        """Run a migration's file: several statements, no parameters."""
        self.connection.execute(text)

    def _run(self, name: str, parameters: Parameters | None) -> psycopg.Cursor[Row]:
        return self.connection.execute(self._named[name], self._bind(parameters))

    def _bind(self, parameters: Parameters | None) -> dict[str, Any]:
        return {"tenant_id": self.tenant, **(parameters or {})}
