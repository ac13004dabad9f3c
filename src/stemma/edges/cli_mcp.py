"""`stemma mcp`: serve one client over stdin and stdout, or enter this server into a client's own configuration."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from stemma.app.caller import tenant_named
from stemma.config import Settings, load_settings
from stemma.edges import logs, mcp_install
from stemma.edges.cli_options import StoreOption, TenantOption
from stemma.edges.cli_output import tell, write_json, write_piece
from stemma.edges.cli_table import TableCommand
from stemma.edges.mcp_clients import PLACES, Client
from stemma.edges.mcp_subject import subject_named
from stemma.edges.mcp_wire import Wire, claim
from stemma.errors import InvalidInput
from stemma.text import check_name

_HELP: Final = """Give a model the memory: a server of the Model Context Protocol on stdin and stdout.

A client starts it by itself once it is entered in its configuration, which `install` does: a file that is there keeps
everything else that it holds, and a copy of it is kept beside. The store is opened by the first call of a tool.

Example: stemma mcp install claude-desktop --store ./memory --subject ana

Example: stemma mcp --store ./memory --subject ana --tools all
"""
_SERVER: Final = "stemma"
_DEFAULT, _ALL = "default", "all"
_NAMES: Final = " | ".join(Client)
_OPTIONS: Final[Mapping[str, Any]] = {
    "words": Annotated[
        list[str] | None,
        typer.Argument(metavar="[install CLIENT]", help=f"Enter it into a client: {_NAMES}", show_default=False),
    ],
    "subject": Annotated[str | None, typer.Option("--subject", help="Keep to one subject; tools then take none")],
    "tools": Annotated[
        str | None, typer.Option("--tools", metavar="default|all", help="all: conflicts, compile and answers as well")
    ],
    "store": StoreOption,
    "tenant": TenantOption,
    "name": Annotated[str | None, typer.Option("--name", help="install: what the client calls it [default: stemma]")],
    "config": Annotated[
        str | None, typer.Option("--config", metavar="FILE", help="install: another file than the client's usual one")
    ],
}
_FLAGS: Final[Mapping[str, Any]] = {
    "project": Annotated[bool, typer.Option("--project", help="install: into the file of the project in this folder")],
    "dry_run": Annotated[bool, typer.Option("--print", help="install: show what it would write, and write nothing")],
}


class _Mcp(TableCommand):
    """The command as a callable with the signature that typer reads."""

    def __call__(self, *, as_json: bool, words: list[str] | None, **given: Any) -> None:
        """Serve, or install."""
        if words:
            _install(words, given, as_json=as_json)
            return
        # Before anything is loaded that might speak.
        wire = claim()
        _serve(wire, given)


MCP: Final = _Mcp("mcp", _HELP, _OPTIONS, _FLAGS)


def _serve(wire: Wire, given: Mapping[str, Any]) -> None:
    for option in ("name", "config", "project", "dry_run"):
        if given[option]:
            raise InvalidInput("--name, --config, --project and --print go with install CLIENT")
    logs.set_up()
    settings = load_settings()
    subject, tenant = _whom(given, settings)
    every_tool = _every_tool(given)
    if sys.stderr.isatty() and wire.is_terminal:
        tell("stemma mcp waits for a client on stdin (ctrl-C ends it); `stemma mcp install CLIENT` enters it into one")
    from stemma.edges.mcp_stdio import Terms, answer_stdio

    terms = Terms(store=given["store"], settings=settings, tenant=tenant, subject=subject, every_tool=every_tool)
    answer_stdio(wire, terms)


def _install(words: list[str], given: Mapping[str, Any], *, as_json: bool) -> None:
    if words[0] != "install" or len(words) != 2 or words[1] not in set(Client):
        raise InvalidInput(f"write `stemma mcp install CLIENT`; CLIENT is one of {', '.join(Client)}")
    client = Client(words[1])
    name = check_name(given["name"] or _SERVER, field="name", limit=64)
    if not all(one.isalnum() or one in "-_" for one in name):
        raise InvalidInput("name: letters, digits, - and _ alone", field="name")
    change = mcp_install.planned(client, _file(client, given), name, _arguments(given))
    if given["dry_run"]:
        if as_json:
            write_json(json.dumps(_told(change, None), ensure_ascii=False, indent=2))
        else:
            write_piece(change.difference or f"{change.file} says so already\n")
        return
    kept = mcp_install.write(change) if change.is_needed else None
    if as_json:
        write_json(json.dumps(_told(change, kept), ensure_ascii=False, indent=2))
        return
    title = PLACES[client].title
    tell(f"{title} has it: {change.file}" if change.is_needed else f"{title} had it already: {change.file}")
    if kept is not None:
        tell(f"The file as it was: {kept}")
    tell(PLACES[client].afterwards)


def _told(change: mcp_install.Change, kept: Path | None) -> dict[str, Any]:
    return {
        "file": str(change.file),
        "changed": change.is_needed,
        "backup": None if kept is None else str(kept),
        "entry": change.entry,
        "difference": change.difference,
    }


def _file(client: Client, given: Mapping[str, Any]) -> Path:
    if given["config"] and given["project"]:
        raise InvalidInput("give --config or --project, not both")
    if given["config"]:
        return Path(given["config"]).expanduser()
    place = PLACES[client]
    if not given["project"]:
        return place.user(Path.home())
    if place.project is None:
        raise InvalidInput(f"{place.title} knows no file of a project; leave --project out", field="project")
    return Path.cwd() / place.project


def _arguments(given: Mapping[str, Any]) -> list[str]:
    """Write the arguments that the client starts the server with: it has another folder and another environment."""
    settings = load_settings()
    subject, tenant = _whom(given, settings)
    store = given["store"] or settings.store
    found = ["mcp"]
    if store is not None:
        found += ["--store", store if "://" in store else str(Path(store).expanduser().absolute())]
    if given["tenant"] is not None or tenant != Settings.model_fields["tenant"].default:
        found += ["--tenant", tenant]
    if subject is not None:
        found += ["--subject", subject]
    return [*found, "--tools", _ALL] if _every_tool(given) else found


def _whom(given: Mapping[str, Any], settings: Settings) -> tuple[str | None, str]:
    subject = None if given["subject"] is None else subject_named(given["subject"])
    return subject, tenant_named(settings.tenant if given["tenant"] is None else given["tenant"])


def _every_tool(given: Mapping[str, Any]) -> bool:
    tools = given["tools"] or _DEFAULT
    if tools not in (_DEFAULT, _ALL):
        raise InvalidInput(f"tools: {tools!r} is neither default nor all", field="tools")
    return bool(tools == _ALL)
