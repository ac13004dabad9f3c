"""Plants faults in the decisions, one at a time, and counts by module which ones a test notices (decision 0002).

One process collects the tests; each fault is planted in a fork of it, which runs those that reach the fault's lines,
the quickest first, until one fails. Each fork begins before any test has run, so that nothing is remembered.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import Pipe, Process, connection, set_start_method
from random import Random
from typing import Any, Final

import coverage
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, Phase, settings

from bench.planting import Fault, faults_in, file_of, plant
from bench.proof import ROOT, Figure

# Those that the specification's sections 2 to 4 rest on, then those to which these leave what they decide.
NAMED: Final = ("keys", "times", "claims", "conflict", "derive", "plan")
DELEGATES: Final = ("fold", "sides", "points")
# So many of each module first, drawn by the seed, then the others as long as there is time.
SAMPLE, ROUND, SEED = 120, 30, 3
# The tests that hold these modules; none needs a store, and none measures time.
TESTS: Final = (
    *(f"tests/unit/core/test_{name}.py" for name in ("claims", "dates", "door", "keys", "merge", "plan", "points")),
    *(f"tests/unit/core/test_{name}.py" for name in ("registry", "spans", "times")),
    *(f"tests/unit/core/test_derive_{name}.py" for name in ("acts", "claims", "frames", "frame_policies")),
    *(f"tests/unit/core/test_derive_{name}.py" for name in ("more_acts", "time")),
    *(f"tests/property/test_{name}_properties.py" for name in ("claims", "derive", "extractor", "fold", "frame")),
    *(f"tests/property/test_{name}_properties.py" for name in ("keys", "reading", "ruling", "times")),
)
# A test that takes so many CPU seconds more than without a fault, or this memory, hangs: the fault is noticed.
SECONDS_MORE, TIMES_MORE, MEMORY_BYTES = 5.0, 5.0, 4 << 30
SURVIVED, NOTICED, NO_PROGRAM = 0, 1, 2


@dataclass(slots=True)
class Counted:
    """What became of the faults of one module, `all` in number; one that makes a test hang counts as noticed."""

    all: int
    killed: int = 0
    survivors: list[str] = field(default_factory=list)

    def count(self, fault: Fault, code: int) -> None:
        """Take in how the tests of one fault ended."""
        if code == NO_PROGRAM:
            self.all -= 1
        elif code == SURVIVED:
            self.survivors.append(fault.told())
        else:
            self.killed += 1

    def figures(self) -> dict[str, Figure]:
        """Return everything, as it is put down; the share is of those that ran, 0 where none did."""
        ran = self.killed + len(self.survivors)
        return {
            "all": self.all,
            "ran": ran,
            "killed": self.killed,
            "survived": len(self.survivors),
            "share_killed": round(self.killed / ran, 4) if ran else 0.0,
            "is_random_sample": ran < self.all,
            "survivors": [*sorted(self.survivors)],
        }


@dataclass(frozen=True, slots=True)
class Reached:
    """Which tests run a line, by file and line, and the seconds that each test takes without a fault."""

    tests: dict[tuple[str, int], set[str]]
    seconds: dict[str, float]

    def by(self, fault: Fault) -> list[str]:
        """Return the tests that reach a fault, the quickest first."""
        lines = ((fault.module, line) for line in fault.lines)
        return sorted(set().union(*(self.tests.get(line, ()) for line in lines)), key=lambda name: self.seconds[name])


class Planter:
    """Plants faults once pytest has collected the tests, in place of running them; `tell` is told how far it is."""

    def __init__(self, plan: list[Fault], until: float, workers: int, tell: Callable[[dict[str, Counted]], None]):
        """Take the faults in the order in which they are tried, none of them begun after `until`."""
        self._plan, self._until, self._workers, self._tell = plan, until, workers, tell
        self._counted: dict[str, Counted] = {}
        for fault in plan:
            self._counted.setdefault(fault.module, Counted(0)).all += 1

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Look at what each test reaches, then try every fault."""
        items = {item.nodeid: item for item in session.items}
        assert not session.testsfailed, "the tests cannot be collected"
        reached = _reached(items, sorted(self._counted))
        running: dict[int, tuple[Process, Fault]] = {}
        ended = 0
        for fault in self._plan:
            if time.monotonic() > self._until:
                break
            while len(running) >= self._workers:
                ended += self._wait(running)
            tried = Process(target=_try, args=(fault, [items[name] for name in reached.by(fault)], reached.seconds))
            tried.start()
            running[tried.sentinel] = tried, fault
            if ended >= ROUND:
                self._tell(self._counted)
                ended = 0
        while running:
            self._wait(running)
        self._tell(self._counted)
        return True

    def _wait(self, running: dict[int, tuple[Process, Fault]]) -> int:
        ended = [each for each in connection.wait(list(running)) if isinstance(each, int)]
        for sentinel in ended:
            tried, fault = running.pop(sentinel)
            tried.join()
            self._counted[fault.module].count(fault, tried.exitcode or 0)
        return len(ended)


def drawn(modules: Sequence[str], seed: int) -> list[Fault]:
    """Put the faults of modules in a random order of each, some of each module in turn; first the sample of each."""
    left = {module: faults_in(module) for module in modules}
    for module, faults in left.items():
        Random(f"{seed} {module}").shuffle(faults)
    first = [module for module in modules if module not in DELEGATES]
    groups = (first, [module for module in modules if module in DELEGATES])
    plan: list[Fault] = []
    for group in groups:
        plan += _in_turn({module: left[module][:SAMPLE] for module in group})
    return [*plan, *_in_turn({module: left[module][SAMPLE:] for module in modules})]


def run(
    modules: Sequence[str],
    *,
    seconds: float,
    seed: int = SEED,
    workers: int = 2,
    tell: Callable[[dict[str, Counted]], None],
) -> None:
    """Plant faults in the modules for so many seconds; `tell` is told again and again what became of them so far.

    What is tried is a random sample of each module's, all of them where time allows. Once a process.
    """
    os.chdir(ROOT)
    until = time.monotonic() + seconds
    set_start_method("fork")
    calm = settings(derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    # The same examples for every fault, and no search for a smaller one where one is enough.
    settings.register_profile("mutants", calm, phases=[Phase.explicit, Phase.generate])
    planter = Planter(drawn(modules, seed), until, workers, tell)
    quiet = ["-q", "-s", "-p", "no:cacheprovider", "--hypothesis-profile=mutants"]
    # Hypothesis is here before pytest could rewrite what it asserts, which no test needs.
    calmly = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    ended = pytest.main([*TESTS, *quiet, *calmly], plugins=[planter])
    assert ended in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED), f"pytest ended with {ended}"


def _in_turn(faults: dict[str, list[Fault]]) -> Iterator[Fault]:
    longest = max((len(listed) for listed in faults.values()), default=0)
    for start in range(0, longest, ROUND):
        for listed in faults.values():
            yield from listed[start : start + ROUND]


def _reached(items: dict[str, pytest.Item], modules: Sequence[str]) -> Reached:
    """Run every test once in a process of its own, without a fault, and see which lines each runs."""
    here, there = Pipe(duplex=False)
    looking = Process(target=_look, args=(items, modules, there))
    looking.start()
    there.close()
    try:
        found: Reached = here.recv()
    except EOFError:
        raise AssertionError("a test fails without a fault") from None
    looking.join()
    return found


def _look(items: dict[str, pytest.Item], modules: Sequence[str], to: Any) -> None:
    files = {str(file_of(module)): module for module in modules}
    measured = coverage.Coverage(data_file=None, include=list(files), messages=False)
    seconds: dict[str, float] = {}
    measured.start()
    for name, item in items.items():
        measured.switch_context(name)
        began = time.process_time()
        if not _passes(item):
            print(f"{name} fails without a fault", file=sys.stderr)
            os._exit(1)
        seconds[name] = time.process_time() - began
    measured.stop()
    kept = measured.get_data()
    tests = {
        (module, line): set(names)
        for path, module in files.items()
        for line, names in kept.contexts_by_lineno(path).items()
    }
    to.send(Reached(tests, seconds))
    to.close()
    os._exit(0)


def _try(fault: Fault, items: Sequence[pytest.Item], seconds: dict[str, float]) -> None:
    """Plant a fault and run tests until one fails; the process's exit code says what came of it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        plant(fault)
    except SyntaxError:
        os._exit(NO_PROGRAM)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for item in items:
        # What runs into it is ended by its signal, and what raises past pytest exits with 1: both are noticed.
        signal.setitimer(signal.ITIMER_PROF, SECONDS_MORE + TIMES_MORE * seconds[item.nodeid])
        if not _passes(item):
            os._exit(NOTICED)
    os._exit(SURVIVED)


def _passes(item: pytest.Item) -> bool:
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def main() -> None:
    """Run from the command line: `python -m bench.mutants keys times --seconds 600`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=[*NAMED, *DELEGATES])
    parser.add_argument("--seconds", type=float, default=3_600)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()

    def tell(found: dict[str, Counted]) -> None:
        print(json.dumps({module: counted.figures() for module, counted in found.items()}), flush=True)

    run(asked.modules, seconds=asked.seconds, seed=asked.seed, workers=asked.workers, tell=tell)


if __name__ == "__main__":
    main()
