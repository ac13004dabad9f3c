"""`stemma eval`: ask a store the probes of a golden set, and say what is worse than the baseline."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from stemma.app.evaluate import EvalRequest, baseline_of, evaluate, read_baseline
from stemma.app.evaluate_files import (
    Probes,
    Statements,
    Waivers,
    example_fixture,
    example_probes,
    read_fixture,
    read_probes,
    read_waivers,
)
from stemma.app.evaluate_fixture import load_fixture, require_empty
from stemma.app.evaluate_incident import Incident, probes_of_incident
from stemma.app.models_evaluation import EvalReport
from stemma.edges.cli_evaluate_show import show_report
from stemma.edges.cli_lines import json_lines, read_text, write_own
from stemma.edges.cli_output import ExitCode, counted, tell, write_json, write_shown
from stemma.edges.cli_scratch import scratch
from stemma.edges.cli_store import Session, StoreOption, TenantOption, opened
from stemma.edges.cli_table import EXAMPLE, TableCommand
from stemma.errors import InvalidInput

_HELP: Final = """Ask a store the probes of a golden set; ends with 1 where it is worse than the baseline.

Your own store is only read. A fixture (a file of statements) goes into a store that is thrown away, or into the
empty one that --store names.

Example: stemma eval --example

Example: stemma eval --probes golden.jsonl --baseline golden.json --store ./memory

Example: stemma eval --from-trace 4e7c… --query "Where do I live?" --expect 91c0… --out incident.jsonl
"""
_OPTIONS: Final[Mapping[str, Any]] = {
    "probes": Annotated[str | None, typer.Option("--probes", help="The golden file, one probe a line")],
    "fixture": Annotated[
        str | None, typer.Option("--fixture", help="Make a store for the run from this file of statements")
    ],
    "baseline": Annotated[str | None, typer.Option("--baseline", help="The baseline to compare with")],
    "write_baseline": Annotated[
        str | None, typer.Option("--write-baseline", metavar="FILE", help="Keep this run as a baseline")
    ],
    "waivers": Annotated[
        str | None, typer.Option("--waivers", help="Probes that may be worse until a day, one object a line")
    ],
    "from_trace": Annotated[
        str | None, typer.Option("--from-trace", metavar="ID", help="Write probes of this request that went wrong")
    ],
    "query": Annotated[str | None, typer.Option("--query", help="With --from-trace: the words that were asked")],
    "expect": Annotated[
        list[str] | None, typer.Option("--expect", help="With --from-trace: a memory or episode key that should come")
    ],
    "unwanted": Annotated[
        list[str] | None, typer.Option("--unwanted", help="With --from-trace: one that should not have come")
    ],
    "out": Annotated[str | None, typer.Option("--out", help="With --from-trace: the file to write")],
    "seed": Annotated[int | None, typer.Option("--seed", help="Makes the intervals repeatable [default: 1]")],
    "store": StoreOption,
    "tenant": TenantOption,
}


class _Evaluate(TableCommand):
    """The command as a callable with the signature that typer reads."""

    def __call__(self, *, example: bool, as_json: bool, **given: Any) -> None:
        """Read the files, open the store, ask, and report."""
        asked = {name: value for name, value in given.items() if value is not None}
        if "from_trace" in asked:
            _incident(asked, as_json=as_json)
            return
        probes, fixture = golden_files(asked, example=example)
        request = EvalRequest(
            probes=probes,
            fixture=fixture,
            baseline=read_baseline(read_text(asked["baseline"])) if "baseline" in asked else None,
            waivers=_waivers(asked.get("waivers")),
            seed=asked.get("seed", 1),
        )
        with golden_store(asked, fixture) as session, counted("probes") as (progress, bar):
            report = evaluate(
                session.runtime,
                session.tenant,
                request,
                advance=lambda done, of: progress.update(bar, completed=done, total=of),
            )
        _tell(report, asked.get("write_baseline"), as_json=as_json)


EVALUATE: Final = _Evaluate("eval", _HELP, _OPTIONS, EXAMPLE)


def _incident(asked: Mapping[str, Any], *, as_json: bool) -> None:
    """Write the probes of an incident to a file, or as the answer."""
    if "query" not in asked:
        raise InvalidInput("no trace holds the words that were asked; give them with --query", field="query")
    incident = Incident(
        trace_id=asked["from_trace"],
        query=asked["query"],
        expected=asked.get("expect", ()),
        unwanted=asked.get("unwanted", ()),
    )
    with opened(asked.get("store"), asked.get("tenant")) as session:
        lines = probes_of_incident(session.runtime, session.tenant, incident)
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines)
    if "out" in asked:
        write_own(asked["out"], text)
    if as_json:
        write_json(json.dumps({"probes": lines}, ensure_ascii=False))
    elif "out" in asked:
        write_shown(lines, lambda _: Text(f"{len(lines)} probes to read and add to your golden file: {asked['out']}"))
    else:
        write_json(text.rstrip("\n"))


def golden_files(asked: Mapping[str, Any], *, example: bool) -> tuple[Probes, Statements | None]:
    """Read the golden file and the fixture that are named, or the shipped ones."""
    if example:
        if {"probes", "fixture"} & asked.keys():
            raise InvalidInput("--example brings its own probes and fixture; leave --probes and --fixture out")
        return example_probes(), example_fixture()
    if "probes" not in asked:
        raise InvalidInput("name a golden file with --probes, or give --example", field="probes")
    with json_lines(asked["probes"]) as lines:
        probes = read_probes(lines)
    if "fixture" not in asked:
        return probes, None
    with json_lines(asked["fixture"]) as lines:
        return probes, read_fixture(lines)


@contextlib.contextmanager
def golden_store(asked: Mapping[str, Any], fixture: Statements | None) -> Iterator[Session]:
    """Open the store that is named; a fixture goes into that one if it is empty, or into one that is thrown away."""
    if fixture is None:
        with opened(asked.get("store"), asked.get("tenant")) as session:
            yield session
        return
    named = "store" in asked
    with opened(asked["store"], asked.get("tenant")) if named else scratch(asked.get("tenant")) as session:
        require_empty(session.runtime, session.tenant)
        with counted("statements") as (progress, bar):
            rejected = load_fixture(
                session.runtime,
                session.tenant,
                fixture.items,
                advance=lambda done, of: progress.update(bar, completed=done, total=of),
            )
        for each in rejected:
            tell(f"fixture line {each.line}: {each.code}: {each.detail}")
        yield session


def _waivers(file: str | None) -> Waivers | None:
    if file is None:
        return None
    with json_lines(file) as lines:
        return read_waivers(lines)


def _tell(report: EvalReport, baseline_file: str | None, *, as_json: bool) -> None:
    if baseline_file is not None:
        write_own(baseline_file, baseline_of(report).model_dump_json(indent=1) + "\n")
    if as_json:
        write_json(report.model_dump_json(indent=2))
    else:
        write_shown(report, show_report)
    if report.has_failed:
        raise typer.Exit(ExitCode.CHECK_FAILED)
