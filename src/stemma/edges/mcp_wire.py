"""The two ends of a stdio client: claimed for the protocol before anything else runs, and read without hanging."""

from __future__ import annotations

import fcntl
import os
import queue
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, Final

import anyio
import anyio.from_thread
import anyio.lowlevel

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_AT_ONCE: Final = 65_536
# No line of the protocol: it stands for one that was too long to be held.
OVERLONG: Final = b"\0"

Deliver = Callable[[bytes | None], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Wire:
    """Private ends of the client's pipes."""

    reads: int
    writes: int

    @property
    def is_terminal(self) -> bool:
        """Say whether a person sits there and no client."""
        return os.isatty(self.reads)


def claim() -> Wire:
    """Keep stdin and stdout for the protocol; whatever else reads finds nothing, whatever else writes goes to stderr.

    It holds to the end of the program, so that what is said while it ends is no message either.
    """
    sys.stdout.flush()
    wire = Wire(*(fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, _STDERR + 1) for one in (_STDIN, _STDOUT)))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, _STDIN)
    try:
        os.dup2(_STDERR, _STDOUT)
    except OSError:
        # Started with stderr closed.
        os.dup2(nothing, _STDOUT)
    os.close(nothing)
    return wire


def read_lines(wire: Wire, deliver: Deliver, limit_bytes: int) -> None:
    """Deliver each line from a thread of its own, then None; one over the limit is delivered as OVERLONG.

    The thread is one that an ending program leaves behind: a read from a client that says nothing cannot be ended.
    """
    token = anyio.lowlevel.current_token()

    def run() -> None:
        def hand_over(line: bytes | None) -> None:
            anyio.from_thread.run(deliver, line, token=token)

        try:
            for line in _lines(wire.reads, limit_bytes):
                hand_over(line)
            hand_over(None)
        except (anyio.RunFinishedError, anyio.get_cancelled_exc_class()):
            return

    threading.Thread(target=run, name="mcp-reads", daemon=True).start()


def _lines(reads: int, limit_bytes: int) -> Iterator[bytes]:
    parts: list[bytes] = []
    held = 0
    while piece := _piece(reads):
        *ended, rest = piece.split(b"\n")
        for each in ended:
            held += len(each)
            yield b"".join([*parts, each]) if held <= limit_bytes else OVERLONG
            parts, held = [], 0
        held += len(rest)
        if held <= limit_bytes:
            parts.append(rest)
        else:
            parts.clear()
    if held:
        yield b"".join(parts) if held <= limit_bytes else OVERLONG


def _piece(reads: int) -> bytes:
    try:
        return os.read(reads, _AT_ONCE)
    except OSError:
        # A terminal that was closed: the client has gone.
        return b""


class Writer:
    """Writes lines in their order from a thread of its own: a client that does not read cannot keep the program."""

    def __init__(self, wire: Wire) -> None:
        """Begin to write to the client."""
        self._waiting: queue.SimpleQueue[tuple[bytes, anyio.Event]] = queue.SimpleQueue()
        self._writes = wire.writes
        self._token = anyio.lowlevel.current_token()
        self.is_broken = False
        threading.Thread(target=self._run, name="mcp-writes", daemon=True).start()

    async def write(self, line: bytes) -> None:
        """Write one line; raises BrokenPipeError where the client has gone."""
        written = anyio.Event()
        self._waiting.put((line, written))
        await written.wait()
        if self.is_broken:
            raise BrokenPipeError

    def _run(self) -> None:
        while True:
            line, written = self._waiting.get()
            try:
                _write_all(self._writes, line)
            except OSError:
                self.is_broken = True
            try:
                anyio.from_thread.run_sync(written.set, token=self._token)
            except anyio.RunFinishedError:
                return


def _write_all(writes: int, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[os.write(writes, left) :]
