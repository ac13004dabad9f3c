"""Seeded histories in any number: `run(count, seed)` puts each through every check and returns what broke."""

from __future__ import annotations

import hashlib
import random
import traceback
from collections.abc import Iterable
from dataclasses import dataclass

from tests.property.checks import CHECKS
from tests.property.compiled import whole
from tests.property.histories import history, pick_by, registry


@dataclass(frozen=True)
class Broken:
    """One check that a history broke: its seed reproduces it."""

    seed: int
    check: str
    how: str


def run(count: int, seed: int) -> list[Broken]:
    """Put `count` histories, drawn from consecutive seeds, through every check."""
    broken: list[Broken] = []
    for each in range(seed, seed + count):
        generator = random.Random(each)
        records = history(pick_by(generator), generator.randint(2, 12), generator.randint(0, 3))
        for name, check in CHECKS.items():
            try:
                check(records, random.Random(each))
            except (AssertionError, LookupError, ValueError, TypeError) as error:
                how = "".join(traceback.format_exception(error)[-3:])
                broken.append(Broken(each, name, how))
    return broken


def hash_of(seeds: Iterable[int]) -> str:
    """Hash the states of seeded histories together, to be compared between processes."""
    found = hashlib.sha256()
    for seed in seeds:
        generator = random.Random(seed)
        records = history(pick_by(generator), generator.randint(2, 12), generator.randint(0, 3))
        found.update(whole(records, registry())[1])
    return found.hexdigest()
