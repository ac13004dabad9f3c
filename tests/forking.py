"""Programs and functions as real processes, forked from one that has everything loaded.

To load Stemma takes two seconds of a processor, which a test of many processes would pay for each. What is forked is an
ordinary process otherwise: with a pid, a signal's end and connections of its own, and with no store open before.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import select
import signal
import sys
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from stemma.edges.cli import main

_STDOUT, _STDERR = 1, 2
_AT_ONCE = 65_536


def context() -> ForkServerContext:
    """Return where processes are forked; there is one such server in a test process, so it loads for all of them."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["tests.forked"])
    return found


class Forked:
    """One `stemma …`, with as much of `subprocess.Popen` as the tests ask for. Its stdout is read here."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str], stderr: Path, send: bytes = b"") -> None:
        """Start it; what it says to stderr goes to a file."""
        self.stdout, writes = multiprocessing.Pipe(duplex=False)
        terms = (arguments, dict(environment), writes, stderr, send)
        self._process: BaseProcess = context().Process(target=_become, args=terms, daemon=True)
        self._process.start()
        writes.close()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code, minus the signal that ended it, or None as long as it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return the exit code so far."""
        return self.returncode

    def send_signal(self, how: signal.Signals) -> None:
        """Send a signal."""
        os.kill(self.pid, how)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def first_line(self, seconds: float) -> bytes:
        """Return the first line of its stdout; nothing where it ends, or where it says none in time."""
        line, until = b"", time.monotonic() + seconds
        while not line.endswith(b"\n") and self._speaks(until):
            one = os.read(self.stdout.fileno(), 1)
            if not one:
                return b""
            line += one
        return line

    def communicate(self, *, timeout: float) -> bytes:
        """Wait for its end and return what else it said; raises TimeoutError."""
        said, until = [], time.monotonic() + timeout
        while self._speaks(until):
            said.append(os.read(self.stdout.fileno(), _AT_ONCE))
            if not said[-1]:
                self._process.join(max(0.0, until - time.monotonic()))
                if self.returncode is not None:
                    return b"".join(said)
        raise TimeoutError(f"process {self.pid} runs on after {timeout:.0f} s")

    def _speaks(self, until: float) -> bool:
        ready, _, _ = select.select([self.stdout], [], [], max(0.0, until - time.monotonic()))
        return bool(ready)


def _become(
    arguments: list[str], environment: Mapping[str, str], writes: Connection, stderr: Path, send: bytes
) -> None:
    """Be the command: its arguments, its environment and its streams, then its own entry."""
    os.dup2(writes.fileno(), _STDOUT)
    writes.close()
    with stderr.open("ab") as log:
        os.dup2(log.fileno(), _STDERR)
    sys.stdin = io.TextIOWrapper(io.BytesIO(send), encoding="utf-8")
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["stemma", *arguments]
    main()
