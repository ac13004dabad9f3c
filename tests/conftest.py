"""What holds for every test. Fixtures live beside the tests that use them; those of the store in `tests/stores.py`."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from xdist.scheduler import LoadScopeScheduling

from stemma.app.traces import Traces

# What does not hold of a trace is counted in service; here it fails.
Traces.raises = True

pytest_plugins = (
    "tests.stores",
    "tests.people",
    "tests.serving",
    "tests.corpora",
    "tests.chat_server",
    "tests.clients",
)

IN_CI = os.environ.get("CI") == "true"

# In CI every run draws the same examples, so that no change fails by a draw that another would have failed by.
settings.register_profile("landing", settings.get_profile("ci"), derandomize=True, print_blob=True)
if IN_CI:
    settings.load_profile("landing")
    # Hypothesis mixes in the literals of the package's modules that are loaded: a new one would change every draw.
    providers._get_local_constants = Constants


def pytest_configure() -> None:
    """Collect no garbage while tests are imported: nearly all that is made then stays to the end."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was imported and found out of every later collection, which would walk all of it again and again."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let files with long tests begin, so that no worker is left alone with one at the end."""
    long = {item.nodeid.partition("::")[0] for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in long)


class _FilesTogether(LoadScopeScheduling):
    """A file a worker, as `--dist loadscope` has it; the house is one, since its files ask one parsed checkout."""

    def _split_scope(self, nodeid: str) -> str:
        house = "tests/house/"
        return house if nodeid.startswith(house) else str(super()._split_scope(nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """Deal files out so where `scripts/test` asks for it."""
    return _FilesTogether(config, log) if config.getvalue("dist") == "loadscope" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI every real part is present: a skip there would hide that one is missing, so it fails."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, which CI does not allow: {_reason(report.longrepr)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole file that skips itself."""
    report = yield
    if IN_CI and report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} was skipped, which CI does not allow: {_reason(report.longrepr)}"
    return report


def _reason(longrepr: object) -> str:
    return str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)
