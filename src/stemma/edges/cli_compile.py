"""`stemma compile`: derive what is new, once or again and again."""

from __future__ import annotations

import time
from typing import Annotated, Final

import typer
from rich.console import Console

from stemma.app import embed
from stemma.app.compile import compile_memories
from stemma.app.models_memories import CompileRequest, CompileResult
from stemma.app.problems import ask
from stemma.edges.cli_output import stderr_console, tell, write_json, write_shown
from stemma.edges.cli_show import show
from stemma.edges.cli_store import JsonOption, Session, StoreOption, TenantOption, opened

_VECTORS_AT_ONCE: Final = 8
_NOTHING_NEW: Final = (
    "no new memory came of what was read: `stemma episodes --subject SUBJECT` lists it, "
    "`stemma episode EPISODE_ID` says why of each clause"
)


def compile_new(
    subject: Annotated[
        str | None, typer.Option("--subject", "--subject-id", help="This subject alone (default: each with news)")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on compiling what is new until ctrl-C")] = False,
    every: Annotated[float, typer.Option(metavar="S", min=0.05, help="With --watch: look every S seconds")] = 5.0,
    store: StoreOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Derive memories from what was said; again changes nothing.

    Example: stemma compile --subject ana
    """
    request = ask(CompileRequest, {} if subject is None else {"subject_id": subject})
    console = stderr_console()
    with opened(store, tenant) as session:
        _write(_compile(session, request, console), as_json=as_json)
        while watch:
            _rest(session, every)
            made = _compile(session, request, console)
            if made.episodes_compiled:
                _write(made, as_json=as_json)


def _rest(session: Session, seconds: float) -> None:
    """Let the time pass, making the vectors that wait."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and embed.fill(session.runtime, session.tenant, limit=_VECTORS_AT_ONCE):
        pass
    time.sleep(max(0.0, until - time.monotonic()))


def _compile(session: Session, request: CompileRequest, console: Console) -> CompileResult:
    # How much there is to do is not known before it is done, so what turns is all there is to show.
    with console.status("compiling"):
        return compile_memories(session.runtime, session.tenant, request)


def _write(made: CompileResult, *, as_json: bool) -> None:
    if as_json:
        write_json(made.model_dump_json())
    else:
        write_shown(made, show)
        if made.episodes_compiled and not made.memories_created and not made.memories_restated:
            tell(_NOTHING_NEW)
