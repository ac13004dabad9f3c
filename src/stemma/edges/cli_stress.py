"""`stemma stress`: grow a copy of a store with near distractors, and ask a golden set at each size."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer

from stemma.app.compile import compile_memories
from stemma.app.embed import fill
from stemma.app.evaluate_files import Statements
from stemma.app.models_memories import CompileRequest
from stemma.app.stress import BATCH, StressRequest, stress
from stemma.app.stress_plot import plot
from stemma.app.transfer import export_log, import_log
from stemma.edges.cli_evaluate import golden_files, golden_store
from stemma.edges.cli_lines import write_own
from stemma.edges.cli_output import counted, write_json, write_shown
from stemma.edges.cli_scratch import scratch
from stemma.edges.cli_store import Session, StoreOption, TenantOption, opened
from stemma.edges.cli_stress_show import show_stress
from stemma.edges.cli_table import EXAMPLE, TableCommand
from stemma.errors import InvalidInput

_HELP: Final = """Grow a copy of a store with near distractors, and ask a golden set at each size.

The store that is named is only read: its log is copied into a temporary store, which is thrown away.

Example: stemma stress --example --factor 1,3,10 --plot growth.svg

Example: stemma stress --probes golden.jsonl --store ./memory --seed 7
"""
_OPTIONS: Final[Mapping[str, Any]] = {
    "probes": Annotated[str | None, typer.Option("--probes", help="The golden file, one probe a line")],
    "fixture": Annotated[str | None, typer.Option("--fixture", help="Make the store from this file of statements")],
    "factor": Annotated[
        str | None, typer.Option("--factor", help="Sizes as times the present one [default: 1,3,10,30]")
    ],
    "seed": Annotated[int | None, typer.Option("--seed", help="Makes the distractors repeatable [default: 7]")],
    "plot_file": Annotated[str | None, typer.Option("--plot", help="A file for the plot, as SVG")],
    "store": StoreOption,
    "tenant": TenantOption,
}


class _Stress(TableCommand):
    """The command as a callable with the signature that typer reads."""

    def __call__(self, *, example: bool, as_json: bool, **given: Any) -> None:
        """Copy, grow, ask, and report."""
        asked = {name: value for name, value in given.items() if value is not None}
        probes, fixture = golden_files(asked, example=example)
        chosen: dict[str, Any] = {"seed": asked["seed"]} if "seed" in asked else {}
        if "factor" in asked:
            chosen["factors"] = _factors(asked["factor"])
        request = StressRequest(probes=probes, **chosen)
        with _copy(asked, fixture) as session, counted("") as (progress, bar):
            report = stress(
                session.runtime,
                session.tenant,
                request,
                advance=lambda step, done, of: progress.update(bar, description=step, completed=done, total=of),
            )
        if "plot_file" in asked:
            write_own(asked["plot_file"], plot(report))
        if as_json:
            write_json(report.model_dump_json(indent=2))
        else:
            write_shown(report, show_stress)


STRESS: Final = _Stress("stress", _HELP, _OPTIONS, EXAMPLE)


def _factors(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(each) for each in text.split(","))
    except ValueError as error:
        raise InvalidInput(f"factors are numbers, for example 1,3,10,30; not {text!r}", field="factor") from error


@contextlib.contextmanager
def _copy(asked: Mapping[str, Any], fixture: Statements | None) -> Iterator[Session]:
    """Give a store that may be spoiled: one made of a fixture, or a copy of the log of the store that is named."""
    if fixture is not None:
        with golden_store(asked, fixture) as session:
            yield session
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as log:
        with opened(asked.get("store"), asked.get("tenant")) as original:
            export_log(original.runtime, original.tenant, log.write)
        log.seek(0)
        with scratch(asked.get("tenant")) as session:
            import_log(session.runtime, session.tenant, log)
            compile_memories(session.runtime, session.tenant, CompileRequest(), wait_for_vectors=False)
            while fill(session.runtime, session.tenant, limit=BATCH):
                pass
            yield session
