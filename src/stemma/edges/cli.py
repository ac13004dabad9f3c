"""The command line's entry: which commands there are, and how an error ends one. A command loads when it is named."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from stemma import __version__
from stemma.app.summaries import SUMMARIES
from stemma.config import words_to_complete
from stemma.edges.cli_output import fail, wrong_use
from stemma.errors import StemmaError

_EPILOG: Final = "Every command takes --json and --store DIR or postgresql://… (or STEMMA_STORE). Start: stemma demo"


@dataclass(frozen=True, slots=True)
class Entry:
    """One command and its line in the overview; `operation` where it is a row of the operation table."""

    name: str
    summary: str
    operation: str | None = None


def _row(name: str, operation: str) -> Entry:
    return Entry(name, SUMMARIES[operation], operation)


COMMANDS: Final[tuple[Entry, ...]] = (
    Entry("demo", "Show the whole path on a git history, in a store that is thrown away."),
    Entry("serve", "Answer HTTP on this machine."),
    Entry("mcp", "Give a model the memory over MCP, or enter it into a client."),
    _row("add", "add_episodes"),
    Entry("sync", "Make a corpus of documents what a folder holds."),
    _row("remember", "remember"),
    _row("compile", "compile_memories"),
    _row("recall", "recall"),
    _row("bundle", "bundle"),
    _row("reset-session", "reset_session"),
    _row("trace", "get_trace"),
    _row("why", "why"),
    _row("diff", "diff_traces"),
    _row("figures", "figures"),
    _row("search", "search_documents"),
    _row("ask", "answer_from_documents"),
    _row("memories", "list_memories"),
    _row("memory", "get_memory"),
    _row("history", "memory_history"),
    _row("patch", "patch_memory"),
    _row("forget", "forget_memory"),
    _row("conflicts", "list_conflicts"),
    _row("resolve", "resolve_conflict"),
    _row("decisions", "list_decisions"),
    _row("episodes", "find_episodes"),
    _row("episode", "get_episode"),
    _row("subjects", "list_subjects"),
    _row("corpora", "list_corpora"),
    _row("documents", "list_documents"),
    _row("document", "get_document"),
    _row("put-document", "put_document"),
    _row("delete-document", "delete_document"),
    _row("delete-corpus", "delete_corpus"),
    _row("events", "list_events"),
    _row("send-events", "add_events"),
    _row("source", "put_source"),
    _row("sources", "list_sources"),
    _row("claim-key", "put_claim_key"),
    _row("claim-keys", "list_claim_keys"),
    _row("kinds", "list_kinds"),
    _row("erase", "erase"),
    _row("keys create", "create_key"),
    _row("keys list", "list_keys"),
    _row("keys revoke", "revoke_key"),
    Entry("export", "Write the whole log, one record a line."),
    Entry("import", "Join an exported log with this one."),
    Entry("calibrate", "Say how the gates do on texts that you have labelled."),
    Entry("eval", "Ask a store the probes of a golden set, and compare with a baseline."),
    Entry("stress", "Ask a golden set as a copy of a store grows."),
    Entry("doctor", "Say what is amiss on this machine and in a store, and what to do."),
    Entry("verify", "Derive everything anew from the log and compare."),
    Entry("migrate", "Bring a store's schema up to date."),
)

# The first word of commands that have two.
GROUPS: Final[Mapping[str, str]] = {"keys": "Make, list and revoke the keys of callers over HTTP."}


def main() -> None:
    """Run the command that the arguments name and end with its exit code."""
    asked = _asked([*sys.argv[1:], *words_to_complete()])
    as_json = "--json" in sys.argv[1:]
    try:
        code = build(asked)(prog_name="stemma", standalone_mode=False)
    except StemmaError as error:
        code = fail(error, as_json=as_json)
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:
        # Whoever read the answer has left (`| head`); there is nobody to tell.
        sys.stderr.close()
        code = 0
    except typer.TyperException as error:
        code = wrong_use(error, as_json=as_json)
    sys.exit(code)


def build(asked: str | None) -> typer.Typer:
    """Build the command line with the command that is asked for; the others stand there by name and summary alone."""
    app = typer.Typer(
        name="stemma",
        help="A memory for agents that keeps its evidence.",
        epilog=_EPILOG,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    groups = {name: typer.Typer(no_args_is_help=True, rich_markup_mode=None) for name in GROUPS}
    for one in COMMANDS:
        group, _, name = one.name.rpartition(" ")
        # A loaded command brings a longer help of its own.
        run = _load(one) if one.name == asked else _unloaded
        (groups[group] if group else app).command(name, short_help=one.summary)(run)
    for name, told in GROUPS.items():
        app.add_typer(groups[name], name=name, help=told, short_help=told)
    return app


def _asked(words: Sequence[str]) -> str | None:
    """Return the name of the command that the arguments name, if they do."""
    names = {one.name for one in COMMANDS}
    for place, word in enumerate(words):
        name = " ".join(words[place : place + 2]) if word in GROUPS else word
        if name in names or word in GROUPS:
            return name
    return None


def _load(entry: Entry) -> Callable[..., Any]:
    if entry.name == "serve":
        from stemma.edges.cli_serve import serve

        return serve
    if entry.name == "mcp":
        from stemma.edges.cli_mcp import MCP

        return MCP
    from stemma.edges.cli_commands import command_of

    return command_of(entry.name, entry.operation)


def _tell_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"stemma {__version__}\n")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    pass


def _unloaded() -> None:
    raise AssertionError("a command runs only when it was asked for, and then it was loaded")
