"""What holds for every history of a subject: one log, one state, whatever the way there (design/derivation.md §10)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.property.checks import CHECKS
from tests.property.histories import T, history
from tests.property.runner import run

_ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_every_drawn_history_passes(name: str) -> None:
    """R-1, R-2, R-3, R-5, R-34, R-35a, R-36, R-37, R-39: properties 1 to 6, 8 to 10 and 12, each in `checks`."""

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(st.data())
    def holds(drawn: st.DataObject) -> None:
        def pick(options: Sequence[T]) -> T:
            return drawn.draw(st.sampled_from(options))

        records = history(pick, drawn.draw(st.integers(1, 10)), drawn.draw(st.integers(0, 3)))
        CHECKS[name](records, random.Random(drawn.draw(st.integers(0, 99))))

    holds()


def test_seeded_histories_pass_every_check() -> None:
    """R-2: the histories that `scripts/prove` runs in thousands, here a few of them."""
    assert run(count=40, seed=20_000) == []


def test_the_hash_is_the_same_in_every_process() -> None:
    """R-2: neither hash seed, nor time zone, nor locale shows in a state (property 14)."""
    seen = {_hash_elsewhere(seed, zone, locale) for seed, zone, locale in _PROCESSES}
    assert len(seen) == 1


_PROCESSES = (("0", "UTC", "C"), ("1", "Asia/Kolkata", "C.UTF-8"), ("4711", "America/St_Johns", "tr_TR.UTF-8"))


def _hash_elsewhere(seed: str, zone: str, locale: str) -> str:
    code = "from tests.property.runner import hash_of; print(hash_of(range(30)))"
    paths = os.pathsep.join((str(_ROOT), str(_ROOT / "src")))
    environment = {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale, "PYTHONPATH": paths, "PATH": os.defpath}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout
