"""The clock that stages are measured by. It tells how long something took, never when it was."""

from __future__ import annotations

import time


def clock_ms() -> float:
    """Tell the milliseconds since some fixed instant."""
    return time.perf_counter() * 1_000
