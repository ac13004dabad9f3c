"""schemathesis over the OpenAPI document of a running server, for so many seconds: by the schema and against it.

A finding is an answer that is not as the document says, a request taken that it forbids or a method it allows refused.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# The one place for how long these runs take: in every run of the tests, and where an issue is proved.
CI_SECONDS: Final = 60
LONG_SECONDS: Final = 900
SEED: Final = 6

_SHOWN: Final = 20_000
_CONFIGURATION: Final = Path(__file__).with_name("schemathesis.toml")
# A schema cannot say all that a name may be, so some requests by the schema are refused; and no key is asked for as
# long as the store has none, which the check on authentication takes for a gap.
_NOT_CHECKED: Final = "positive_data_acceptance,ignored_auth"
# Making a key closes the store to who has none, and revoking one to who has it.
ABOUT_KEYS: Final = ("create_key", "revoke_key")


@dataclass(frozen=True, slots=True)
class Findings:
    """What a run asked and found: operations, requests, each finding by its name, and how each is seen again."""

    operations: int
    requests: int
    found: tuple[str, ...]
    phases: Mapping[str, str]
    shown: str


def fuzz(address: str, report: Path, seconds: int, *, key: str | None = None, seed: int = SEED) -> Findings:
    """Ask a server for so many seconds, with a key where it has keys; `report` is where the run's own report goes."""
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(_CONFIGURATION), "--no-color", "run"]
    command += [f"{address}/openapi.json", "--url", address, "--max-time", str(seconds), "--seed", str(seed)]
    command += ["--exclude-checks", _NOT_CHECKED, "--continue-on-failure", "--generation-database", "none", "-w", "1"]
    command += ["--report-json-path", str(report)]
    for name in ABOUT_KEYS:
        command += ["--exclude-operation-id", name]
    if key is not None:
        command += ["-H", f"Authorization: Bearer {key}"]
    # It leaves a folder of its own where it runs.
    done = subprocess.run(command, cwd=report.parent, capture_output=True, timeout=seconds * 2 + 120, check=False)
    if not report.exists():
        raise AssertionError(f"schemathesis wrote no report: {done.stdout.decode()}{done.stderr.decode()}")
    told = json.loads(report.read_text())
    _, _, shown = done.stdout.decode().partition("= FAILURES =")
    return Findings(
        operations=told["operations"]["tested"],
        requests=told["test_cases"]["generated"],
        found=tuple(json.dumps(one) for one in (*told["failures"], *told["errors"])),
        shown=shown[:_SHOWN],
        phases={name: one["status"] for name, one in told["phases"].items()},
    )
