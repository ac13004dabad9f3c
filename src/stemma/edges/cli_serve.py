"""`stemma serve`: the one command that loads the HTTP door."""

from __future__ import annotations

import contextlib
import json
from typing import Annotated

import typer

from stemma.app.key_door import asks_for_keys
from stemma.app.loopback import is_loopback
from stemma.app.runtime import is_there
from stemma.config import load_settings
from stemma.edges import logs
from stemma.edges.cli_output import tell, write_json
from stemma.edges.cli_store import JsonOption, StoreOption, TenantOption, opened
from stemma.edges.serve import Terms, bind, end_orderly, exposed
from stemma.edges.serve import serve as answer_http


def serve(
    host: Annotated[str | None, typer.Option(help="Default: 127.0.0.1; one of the network needs keys")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="0 takes any free one (default: 8765)")] = None,
    compile_every: Annotated[
        float | None, typer.Option(metavar="S", min=0, help="Compile what is new every S seconds (default: never)")
    ] = None,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer HTTP on this machine; on the network as soon as the store has keys (`stemma keys create`).

    Example: stemma serve --store ./memory --compile-every 5
    """
    end_orderly()
    logs.set_up()
    settings = load_settings()
    every = settings.compile_every_seconds if compile_every is None else compile_every
    address = host or settings.host, settings.port if port is None else port
    say = _say_as_json if as_json else _say
    with contextlib.ExitStack() as until_the_end:
        if is_loopback(address[0]):
            # Bound before the store is opened: what cannot be listened on is told at once.
            listening = until_the_end.enter_context(bind(*address))
            session = until_the_end.enter_context(opened(store, tenant))
        else:
            if not is_there(store, settings):
                raise exposed(address[0])
            session = until_the_end.enter_context(opened(store, tenant))
            if not asks_for_keys(session.runtime):
                raise exposed(address[0])
            listening = until_the_end.enter_context(bind(*address))
        terms = Terms(tenant=session.tenant, compile_every_seconds=every)
        answer_http(session.runtime, terms, listening, say)


def _say(address: str) -> None:
    tell(f"stemma answers on {address} (ctrl-C ends it)")


def _say_as_json(address: str) -> None:
    write_json(json.dumps({"address": address}))
