"""`stemma migrate`: bring a store's schema up to date and say what was done."""

from __future__ import annotations

from stemma.app.migration import migrate_store
from stemma.config import load_settings
from stemma.edges.cli_output import write_json, write_shown
from stemma.edges.cli_show import show
from stemma.edges.cli_store import JsonOption, StoreOption


def migrate(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Bring a store's schema up to date. Every other command does that too when it opens a store.

    Example: stemma migrate --store postgresql://stemma@db/stemma
    """
    done = migrate_store(store, load_settings())
    if as_json:
        write_json(done.model_dump_json(indent=2))
    else:
        write_shown(done, show)
