"""`stemma calibrate`: draw candidates to label, and report how the gates do on what was labelled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from stemma.app.calibrate import calibrate
from stemma.app.calibrate_plot import plot
from stemma.app.calibrate_sample import sample
from stemma.app.models_calibrate import CalibrateRequest, SampleRequest
from stemma.app.problems import ask
from stemma.edges.cli_calibrate_show import show_report, show_sample
from stemma.edges.cli_lines import json_lines, write_own
from stemma.edges.cli_output import ExitCode, counted, write_json, write_shown
from stemma.edges.cli_store import StoreOption, TenantOption, opened
from stemma.edges.cli_table import TableCommand
from stemma.errors import InvalidInput

_HELP: Final = """Say how the gates part what you labelled true from the rest; nothing is changed.

First --sample writes candidates of the store to label, then the labelled file is judged. Ends with 1 if a line was bad.

Example: stemma calibrate --sample 400 --kind milestone --out blind.jsonl

Example: stemma calibrate labelled.jsonl --base-rate 0.02 --plot report.svg
"""
_OPTIONS: Final[Mapping[str, Any]] = {
    "file": Annotated[str | None, typer.Argument(help="A labelled file, one JSON object a line; - is standard input")],
    "sample_size": Annotated[
        int | None, typer.Option("--sample", metavar="N", help="Write N candidates of the store to label, blind")
    ],
    "out": Annotated[str | None, typer.Option("--out", help="With --sample: the file to write")],
    "kind": Annotated[str | None, typer.Option("--kind", help="The kind to sample, or of lines that name none")],
    "base_rate": Annotated[
        float | None, typer.Option("--base-rate", help="How many of all candidates are real, 0 to 1 [default: 0.02]")
    ],
    "plot_file": Annotated[str | None, typer.Option("--plot", help="A file for the plot, as SVG")],
    "shuffle": Annotated[
        int | None, typer.Option("--shuffle", metavar="SEED", help="Deal the labels anew: nothing must be left")
    ],
    "seed": Annotated[int | None, typer.Option("--seed", help="Makes what chance does repeatable [default: 1]")],
    "store": StoreOption,
    "tenant": TenantOption,
}


class _Calibrate(TableCommand):
    """The command as a callable with the signature that typer reads."""

    def __call__(self, *, as_json: bool, **given: Any) -> None:
        """Sample, or report, as the options say."""
        asked = {name: value for name, value in given.items() if value is not None}
        if "sample_size" in asked:
            _sample(asked, as_json=as_json)
        else:
            _report(asked, as_json=as_json)


CALIBRATE: Final = _Calibrate("calibrate", _HELP, _OPTIONS)


def _sample(asked: Mapping[str, Any], *, as_json: bool) -> None:
    if "out" not in asked or "kind" not in asked or "file" in asked:
        raise InvalidInput("with --sample give --kind and --out FILE, and no file of labels")
    chosen = {"kind": asked["kind"], "size": asked["sample_size"], **_given(asked, "seed")}
    request = ask(SampleRequest, chosen)
    with opened(asked.get("store"), asked.get("tenant")) as session:
        drawn = sample(session.runtime, session.tenant, request)
    write_own(asked["out"], "".join(each.model_dump_json() + "\n" for each in drawn.lines))
    if as_json:
        write_json(drawn.model_dump_json(indent=2, exclude={"lines"}))
    else:
        write_shown(drawn, show_sample)


def _report(asked: Mapping[str, Any], *, as_json: bool) -> None:
    if "file" not in asked or "out" in asked:
        raise InvalidInput("give a file of labels (- is standard input); --out goes with --sample")
    request = ask(CalibrateRequest, _given(asked, "kind", "base_rate", "shuffle", "seed"))
    with (
        json_lines(asked["file"]) as lines,
        opened(asked.get("store"), asked.get("tenant")) as session,
        counted("vectors") as (progress, bar),
    ):
        report = calibrate(
            session.runtime,
            session.tenant,
            (each for each in lines if each is not None),
            request,
            advance=lambda done, of: progress.update(bar, completed=done, total=of),
        )
    if "plot_file" in asked:
        write_own(asked["plot_file"], plot(report))
    if as_json:
        write_json(report.model_dump_json(indent=2))
    else:
        write_shown(report, show_report)
    if report.rejected:
        raise typer.Exit(ExitCode.CHECK_FAILED)


def _given(asked: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: asked[name] for name in names if name in asked}
