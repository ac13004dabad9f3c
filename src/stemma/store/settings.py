"""Facts about a store as a whole, by name."""

from stemma.store.transaction import Transaction


def value(t: Transaction, name: str) -> str | None:
    """Return what is noted under a name."""
    row = t.maybe("store_setting", {"name": name})
    return None if row is None else row["value"]


def put(t: Transaction, name: str, value: str) -> None:
    """Note a fact in place of what was noted under its name."""
    t.execute("put_store_setting", {"name": name, "value": value})
