"""Logs: one JSON object a line on stderr. What may stand in a line is the caller's care: names, counts, never texts."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog


def set_up(level: int = logging.INFO) -> None:
    """Send our lines and those of the libraries to stderr as JSON."""
    structlog.configure(
        processors=[
            # What was bound for the length of a request: its id.
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Stderr())),
        cache_logger_on_first_use=True,
    )
    root = logging.getLogger()
    root.handlers = [_Lines(logging.WARNING)]


class _Stderr:
    """What standard error is at the moment; where nobody reads it any more a line is lost, and no request with it."""

    def write(self, text: str) -> int:
        """Write text, if it can be written."""
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        """Send what was written, if anybody takes it."""
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()


class _Lines(logging.Handler):
    """Writes the records of libraries as our own lines, without the words of an exception: they may quote a memory."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        facts: dict[str, Any] = {"logger": record.name}
        if record.exc_info and record.exc_info[0]:
            facts["error"] = record.exc_info[0].__name__
            facts["raised_at"] = raised_at(record.exc_info[1])
            message = str(record.msg).partition("\n")[0]
        else:
            message = record.getMessage()
        structlog.get_logger().log(record.levelno, message, **facts)


def raised_at(error: BaseException | None) -> str:
    """Return the last file and line of ours that an exception passed, else the one it was raised at."""
    last, ours = "", ""
    trace = error.__traceback__ if error else None
    while trace is not None:
        last = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        if str(trace.tb_frame.f_globals.get("__name__", "")).startswith("stemma."):
            ours = last
        trace = trace.tb_next
    return ours or last
