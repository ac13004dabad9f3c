"""Keeps the HTTP library from logging our requests: it writes whole URLs, and in these stand subjects and values."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_is_ours: ContextVar[bool] = ContextVar("stemma_client_is_sending", default=False)


class _Unlogged(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        """Let pass what other users of the library send."""
        return not _is_ours.get()


_UNLOGGED: Final = _Unlogged()


@contextmanager
def unlogged() -> Iterator[None]:
    """Send something of which no URL is logged."""
    logging.getLogger("httpx").addFilter(_UNLOGGED)
    token = _is_ours.set(True)
    try:
        yield
    finally:
        _is_ours.reset(token)
