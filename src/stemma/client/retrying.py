"""When a request is tried again, and after what pause. Sending and waiting are the clients'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from stemma.errors import InvalidInput

TOO_MANY: Final = 429
PASSING: Final = frozenset({TOO_MANY, 502, 503, 504})
_MOST_TIMES: Final = 100


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and for how long a request is tried anew. `Retries(times=0)` tries once.

    The pause doubles from `first_seconds` up to `most_seconds`, and half of it is chance. No try begins later than
    `total_seconds` after the first one; a `Retry-After` beyond that ends the tries at once.
    """

    times: int = 4
    total_seconds: float = 30.0
    first_seconds: float = 0.25
    most_seconds: float = 8.0

    def __post_init__(self) -> None:
        """Refuse what is out of bounds."""
        if not 0 <= self.times <= _MOST_TIMES:
            raise InvalidInput(f"retries are 0 to {_MOST_TIMES} times", field="times")
        for name in ("total_seconds", "first_seconds", "most_seconds"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise InvalidInput(f"{name} is a number of seconds, 0 or more", field=name)


def pause_seconds(
    retries: Retries, *, tried: int, spent_seconds: float, asked_seconds: float | None, chance: float
) -> float | None:
    """Say how long to wait before the next try, or None to give up; `chance` is 0 up to 1.

    `asked_seconds` is what the server asked for: it is never waited for less.
    """
    if tried > retries.times:
        return None
    # Above this power the double would overflow; the cap has long been reached.
    step = min(retries.most_seconds, retries.first_seconds * 2.0 ** min(tried - 1, 60))
    wait = step / 2 + step / 2 * chance
    if asked_seconds is not None:
        # Whoever was sent away together does not come back together.
        wait = max(wait, asked_seconds + retries.first_seconds * chance)
    return wait if spent_seconds + wait <= retries.total_seconds else None


def asked_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Read `Retry-After`: seconds or a date; None where there is none that can be read."""
    given = headers.get("retry-after", "").strip()
    if given.isascii() and given.isdigit():
        return float(given[:9])
    try:
        until = parsedate_to_datetime(given)
    except (ValueError, OverflowError):
        return None
    # A date that names no zone is one of UTC (RFC 9110).
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())
