"""What a transaction offers, through named queries of the package."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stemma.store.connection import Store
from stemma.store.queries import Queries
from stemma.store.transaction import Transaction

_NAMED = Queries(
    {
        "make": "CREATE TABLE numbers (tenant_id text NOT NULL, n integer NOT NULL)",
        "put": "INSERT INTO numbers (tenant_id, n) VALUES (%(tenant_id)s, %(n)s)",
        "fill": "INSERT INTO numbers SELECT %(tenant_id)s, n FROM generate_series(1, %(count)s) n",
        "copy": "COPY numbers (tenant_id, n) FROM STDIN",
        "below": "SELECT n FROM numbers WHERE tenant_id = %(tenant_id)s AND n < %(limit)s ORDER BY n",
        "remove": "DELETE FROM numbers WHERE tenant_id = %(tenant_id)s AND n %% 2 = 0",
    }
)


@pytest.fixture
def acme(embedded_store: Store) -> Iterator[Transaction]:
    """A transaction with queries of its own over a table of numbers."""
    with embedded_store.transaction("acme") as t:
        own = Transaction(t.connection, "acme", _NAMED)
        own.execute("make")
        yield own


def test_the_tenant_stands_in_every_query_without_being_given(acme: Transaction) -> None:
    """R-12: two tenants with the same queries each see their own."""
    globex = Transaction(acme.connection, "globex", _NAMED)
    assert acme.execute("put", {"n": 1}) == 1
    assert globex.execute("put", {"n": 2}) == 1
    assert acme.all("below", {"limit": 100}) == [{"n": 1}]
    assert globex.one("below", {"limit": 100}) == {"n": 2}


def test_one_and_maybe_hold_what_they_promise(acme: Transaction) -> None:
    """DESIGN §2: a query that gives more or less than was meant is an error, not a guess."""
    acme.execute("fill", {"count": 2})
    assert acme.maybe("below", {"limit": 1}) is None
    assert acme.maybe("below", {"limit": 2}) == {"n": 1}
    with pytest.raises(LookupError, match="'below' gave no row"):
        acme.one("below", {"limit": 1})
    with pytest.raises(LookupError, match="'below' gave 2 rows"):
        acme.maybe("below", {"limit": 3})


def test_an_unknown_query_is_named(acme: Transaction) -> None:
    """HOUSE_STYLE SQL: a misspelt name reaches no server."""
    with pytest.raises(LookupError, match="no query is named 'belwo'"):
        acme.all("belwo")


def test_many_and_copy_in_write_all_rows_and_count_them(acme: Transaction) -> None:
    """R-100: for batches; none is no error."""
    assert acme.many("put", []) == 0
    assert acme.many("put", [{"n": n} for n in range(500)]) == 500
    assert acme.copy_in("copy", (("acme", n) for n in range(500, 900))) == 400
    assert [row["n"] for row in acme.all("below", {"limit": 1000})] == list(range(900))
    assert acme.execute("remove") == 450


def test_a_stream_gives_every_row_in_order(acme: Transaction) -> None:
    """R-104: an export need not fit into memory; the transaction goes on afterwards."""
    acme.execute("fill", {"count": 2500})
    found = [row["n"] for row in acme.stream("below", {"limit": 2401}, size=100)]
    assert found == list(range(1, 2401))
    first = acme.stream("below", {"limit": 100}, size=10)
    assert next(first) == {"n": 1}
    first.close()
    assert acme.one("below", {"limit": 2}) == {"n": 1}
