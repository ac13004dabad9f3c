"""How long a call may still take, and how long to wait before it is tried again. Sends nothing."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final, Self

_FIRST_SECONDS: Final = 0.5
_MOST_SECONDS: Final = 20.0
# httpx takes 0 for "at once"; a call with nothing left fails by its own bound.
_LEAST_SECONDS: Final = 0.001


@dataclass(frozen=True, slots=True)
class Deadline:
    """An instant of the clock that only runs forward."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        """Set it so many seconds from now."""
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        """Give the seconds that are left, at least a thousandth; 0 once it has passed."""
        left = self.at - time.monotonic()
        return max(left, _LEAST_SECONDS) if left > 0 else 0.0

    def allows(self, seconds: float) -> bool:
        """Say whether there is time to wait so long and ask again."""
        return seconds < self.left()


def seconds_to_wait(retry_after: str | None, attempt: int, *, now: float) -> float:
    """Give the seconds until the next attempt: what `Retry-After` says, as seconds or as a date, else ever longer.

    `attempt` counts from 0, `now` is Unix time. Without a word of the server half of the wait is chance, so that
    several that were turned away together do not come back together.
    """
    asked = _asked(retry_after, now) if retry_after else None
    if asked is not None:
        return max(asked, 0.0)
    longest = min(_MOST_SECONDS, _FIRST_SECONDS * 2.0**attempt)
    return longest * (0.5 + random.random() / 2)


def _asked(retry_after: str, now: float) -> float | None:
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now
