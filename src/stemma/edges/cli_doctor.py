"""`stemma doctor`: say what is amiss on this machine and in a store, and what to do about it."""

from __future__ import annotations

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from stemma.app.doctor import examine
from stemma.app.models_doctor import Examination
from stemma.config import load_settings
from stemma.edges.cli_output import ExitCode, write_json, write_shown
from stemma.edges.cli_store import JsonOption, StoreOption


def doctor(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Look at this machine, the embedder and the store, and say of each whether it is well and what to do.

    Nothing is changed. Ends with 0 where all works (a warning too), with 1 where something does not, and with 3 where
    the store cannot be reached.

    Example: stemma doctor --store ./memory
    """
    found = examine(store, load_settings())
    if as_json:
        write_json(found.model_dump_json(indent=2))
    else:
        write_shown(found, _show)
    if not found.reached:
        raise typer.Exit(ExitCode.UNREACHABLE)
    if found.verdict == "fail":
        raise typer.Exit(ExitCode.CHECK_FAILED)


def _show(found: Examination) -> RenderableType:
    width = max(len(one.name) for one in found.findings)
    lines = []
    for one in found.findings:
        lines.append(Text(f"{one.verdict:<4}  {one.name:<{width}}  {one.detail}"))
        if one.advice is not None:
            lines.append(Text(f"{'':<{width + 8}}{one.advice}"))
    return Group(*lines)
