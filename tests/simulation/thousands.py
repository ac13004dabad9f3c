"""Histories by the thousand, in a process of their own: `python -m tests.simulation.thousands pure|store COUNT SEED`
prints one line of JSON: how many were told, what they cost, and what broke.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from dataclasses import asdict
from typing import Any

from stemma.store.embedded import open_embedded
from stemma.store.postmaster import SUPERUSER
from tests.property.runner import run
from tests.simulation.small_histories import AT_ONCE, tell, two_stores
from tests.stores import Server, open_folder


def pure(count: int, seed: int) -> list[dict[str, Any]]:
    """Put histories through every check of the pure derivation."""
    return [asdict(each) for each in run(count, seed)]


def stored(count: int, seed: int) -> list[dict[str, Any]]:
    """Tell histories to an embedded store of their own; the first that breaks ends it, its steps on standard error."""
    folder = open_folder()
    running = open_embedded(folder / "store")
    try:
        server = Server(folder / "store", lambda name: running.address(name, role=SUPERUSER))
        with two_stores(server) as (one, other):
            for each in range(seed, seed + count // AT_ONCE):
                try:
                    tell(each, one, other)
                except AssertionError as error:
                    return [{"seed": each, "check": "tell", "how": str(error)[:2_000]}]
    finally:
        running.close()
        shutil.rmtree(folder)
    return []


def main() -> None:
    """Tell them and print what came of it."""
    kind, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    began = time.process_time()
    broken = pure(count, seed) if kind == "pure" else stored(count, seed)
    spent = time.process_time() - began
    print(json.dumps({"histories": count, "cpu_seconds": spent, "broken": broken}))


if __name__ == "__main__":
    main()
