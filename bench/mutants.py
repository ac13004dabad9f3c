"""Plants faults in the decisions, one at a time, and counts by module which ones a test notices (decision 0002).

Works on a copy of the tree, so that a checkout in use is left alone; the runs of mutmut share that copy.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.proof import ROOT, Figure

# In order of importance: those that the specification's sections 2 to 4 rest on, then what these delegate to.
MODULES: Final = ("keys", "times", "claims", "conflict", "derive", "plan", "fold", "sides", "points")
# The tests that hold these modules; none needs a store, and none measures time.
TESTS: Final = (
    *(f"tests/unit/core/test_{name}.py" for name in ("claims", "dates", "door", "keys", "merge", "plan", "points")),
    *(f"tests/unit/core/test_{name}.py" for name in ("registry", "spans", "times")),
    *(f"tests/unit/core/test_derive_{name}.py" for name in ("acts", "claims", "frames", "more_acts", "time")),
    *(f"tests/property/test_{name}_properties.py" for name in ("claims", "derive", "extractor", "fold", "frame")),
    *(f"tests/property/test_{name}_properties.py" for name in ("keys", "reading", "ruling", "times")),
)
# A profile of Hypothesis: the same examples for every fault, no limit on the time of one, and no search for a smaller
# one where one is enough.
PROFILE: Final = "--hypothesis-profile=mutants"
_REGISTERED: Final = """

from hypothesis import Phase, settings

settings.register_profile(
    "mutants", derandomize=True, database=None, deadline=None, phases=[Phase.explicit, Phase.generate]
)
"""
_KILLED: Final = frozenset({1, 3, 24, 36, 152, 255, -24, -11, -9})
_NOT_RUN: Final = frozenset({None, 2})
_SECTION: Final = re.compile(r"\[tool\.mutmut\]\n.*?(?=\n\[)", re.DOTALL)


@dataclass(slots=True)
class Counted:
    """What became of the faults of one module; one that makes a test hang counts as noticed."""

    killed: int = 0
    survived: int = 0
    not_run: int = 0
    survivors: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Return the share of those that ran which a test noticed, 0 where none ran."""
        ran = self.killed + self.survived
        return round(self.killed / ran, 4) if ran else 0.0

    def figures(self) -> dict[str, Figure]:
        """Return everything, as it is put down."""
        return {
            "killed": self.killed,
            "survived": self.survived,
            "not_run": self.not_run,
            "share_killed": self.share,
            "survivors": list(self.survivors),
        }


def run(
    modules: Sequence[str] = MODULES, *, seconds: float, workers: int = 2, folder: Path | None = None
) -> dict[str, Counted]:
    """Plant every fault in the modules and return what became of them by module.

    What has not run after so many seconds is counted as such. `folder` keeps the copy, so that a later run goes on.
    """
    work = folder or Path(tempfile.mkdtemp(prefix="stemma-mutants-"))
    try:
        _copy(work, modules)
        _plant(work, seconds, workers)
        return {module: _count(work, module) for module in modules}
    finally:
        if folder is None:
            shutil.rmtree(work, ignore_errors=True)


def show(folder: Path, names: Iterable[str]) -> str:
    """Return what some faults changed, as differences."""
    found = [_mutmut(folder, "show", name).stdout for name in names]
    return "\n".join(found)


def _copy(work: Path, modules: Sequence[str]) -> None:
    for part in ("src", "tests", "bench"):
        leave_out = shutil.ignore_patterns("__pycache__", "results")
        shutil.copytree(ROOT / part, work / part, dirs_exist_ok=True, ignore=leave_out)
    for_all = work / "tests" / "conftest.py"
    for_all.write_text(for_all.read_text(encoding="utf-8") + _REGISTERED, encoding="utf-8")
    only = [f"src/stemma/core/{module}.py" for module in modules]
    section = (
        "[tool.mutmut]\n"
        'source_paths = ["src/stemma"]\n'
        f"only_mutate = {json.dumps(only)}\n"
        'also_copy = ["bench"]\n'
        f"pytest_add_cli_args = {json.dumps([PROFILE])}\n"
        f"pytest_add_cli_args_test_selection = {json.dumps(list(TESTS))}\n"
        "use_git_change_detection = false\n"
        "track_dependencies = false\n"
    )
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (work / "pyproject.toml").write_text(_SECTION.sub(lambda _: section, settings), encoding="utf-8")


def _plant(work: Path, seconds: float, workers: int) -> None:
    """Let mutmut run; at the time limit it is ended, and what it had found by then stands in its files."""
    command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(workers)]
    with (work / "mutmut.log").open("ab") as told:
        running = subprocess.Popen(
            command,
            cwd=work,
            stdout=told,
            stderr=told,
            env=_environment(),
            start_new_session=True,
            preexec_fn=_step_back,
        )
        try:
            running.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            # Not asked to: whoever started this in the background has it ignore an interrupt.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
            return
    if running.returncode not in (0, None):
        said = (work / "mutmut.log").read_text(encoding="utf-8", errors="replace")[-2_000:]
        raise AssertionError(f"mutmut ended with {running.returncode}: {said}")


def _step_back() -> None:
    """Leave the machine to whoever needs it."""
    os.nice(19)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONHASHSEED": "0"}


def _mutmut(work: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mutmut", *arguments]
    return subprocess.run(command, cwd=work, capture_output=True, text=True, env=_environment(), check=False)


def _count(work: Path, module: str) -> Counted:
    counted = Counted()
    kept = work / "mutants" / "src" / "stemma" / "core" / f"{module}.py.meta"
    if not kept.exists():
        return counted
    for name, code in json.loads(kept.read_text(encoding="utf-8"))["exit_code_by_key"].items():
        if code in _NOT_RUN:
            counted.not_run += 1
        elif code in _KILLED:
            counted.killed += 1
        else:
            counted.survived += 1
            counted.survivors.append(name)
    counted.survivors.sort()
    return counted


def main() -> None:
    """Run from the command line: `python -m bench.mutants keys times --seconds 600 --folder /tmp/mutants`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=list(MODULES))
    parser.add_argument("--seconds", type=float, default=3_600)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--show", action="store_true", help="print what each survivor changed (needs --folder)")
    asked = parser.parse_args()
    began = time.monotonic()
    found = run(asked.modules, seconds=asked.seconds, workers=asked.workers, folder=asked.folder)
    for module, counted in found.items():
        print(f"{module}: {json.dumps(counted.figures())}")
        if asked.show and asked.folder:
            print(show(asked.folder, counted.survivors))
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
