"""Advisory locks on files (flock): they end with their process, however it ends."""

import fcntl
import os
import time
from pathlib import Path
from typing import Final

_POLL_SECONDS: Final = 0.02


class FileLock:
    """One open file and the lock held on it. Not inherited by programs that we start."""

    def __init__(self, path: Path) -> None:
        """Open or make the file, mode 0600; a symbolic link is refused."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

    def share(self) -> None:
        """Take the lock with others. Wait for nobody: an exclusive holder is an error (BlockingIOError)."""
        fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def try_alone(self) -> bool:
        """Take the lock alone, if nobody else has it."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_alone(self, seconds: float) -> bool:
        """Take the lock alone; say False when that took longer than `seconds`."""
        deadline = time.monotonic() + seconds
        while not self.try_alone():
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def close(self) -> None:
        """Give the lock back and close the file. Doing it twice is doing it once."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
