"""`stemma serve` and `stemma …` as real processes on a store of the test's own, for the tests of the doors."""

from __future__ import annotations

import io
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from stemma.edges.cli import main
from tests.forking import Forked
from tests.stores import Server, open_folder

STEMMA = [sys.executable, "-c", "from stemma.edges.cli import main; main()"]
START_SECONDS = 60


def environment(**more: str) -> dict[str, str]:
    """The environment of a command: nothing of ours set, no embedder unless the test wants one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEMMA_")}
    return {**kept, "STEMMA_EMBEDDER": "none", **more}


@dataclass(frozen=True, slots=True)
class Done:
    """What a command ended with and wrote."""

    returncode: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        """What stands on stdout, as text."""
        return self.stdout.decode()

    @property
    def answer(self) -> Any:
        """The JSON that is all of stdout, of a command that succeeded."""
        assert self.returncode == 0, self.stderr.decode()
        return json.loads(self.stdout)


def run(*arguments: str, send: bytes = b"", **more: str) -> Done:
    """Run one command as a process of its own to its end."""
    command = [*STEMMA, *arguments]
    done = subprocess.run(command, input=send, capture_output=True, env=environment(**more), timeout=120, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def fork(*arguments: str, send: bytes = b"", **more: str) -> Done:
    """Run one command as a process of its own to its end, forked from one that has loaded what it needs."""
    with tempfile.NamedTemporaryFile(prefix="stemma-test-") as stderr:
        running = Forked([*arguments], environment(**more), Path(stderr.name), send)
        said = running.communicate(timeout=120)
        assert running.returncode is not None
        return Done(running.returncode, said, Path(stderr.name).read_bytes())


class Shell:
    """Runs commands by their real entry but in this process, where loading everything anew would take the time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes]) -> None:
        """Take what stands in for the arguments, the environment and the streams of a process."""
        self._monkeypatch = monkeypatch
        self._capture = capture

    def __call__(self, *arguments: str, send: bytes = b"", **more: str) -> Done:
        """Run one command to its end."""
        with self._monkeypatch.context() as patch:
            for name in [name for name in os.environ if name.startswith("STEMMA_")]:
                patch.delenv(name)
            for name, text in ({"STEMMA_EMBEDDER": "none"} | more).items():
                patch.setenv(name, text)
            patch.setattr(sys, "argv", ["stemma", *arguments])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(send), encoding="utf-8"))
            self._capture.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
        written = self._capture.readouterr()
        return Done(int(ended.value.code or 0), written.out, written.err)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Shell:
    """The command line, in this process."""
    return Shell(monkeypatch, capsysbinary)


@dataclass(slots=True)
class Served:
    """One running `stemma serve`."""

    address: str
    store: str | Path
    process: subprocess.Popen[bytes] | Forked
    log: Path
    said: bytes = b""

    def client(self, **more: Any) -> httpx.Client:
        """Return a client of it."""
        return httpx.Client(base_url=self.address, timeout=60, **more)

    def stop(self) -> int:
        """End it as a service manager would and return its exit code; `said` is what it printed after its address."""
        return self.end(signal.SIGTERM)

    def end(self, how: signal.Signals) -> int:
        """End it by a signal and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        if isinstance(self.process, Forked):
            self.said += self.process.communicate(timeout=60)
        else:
            self.said += self.process.communicate(timeout=60)[0] or b""
        assert self.process.returncode is not None
        return self.process.returncode


def serve(store: str | Path, log: Path, *arguments: str, **more: str) -> Served:
    """Start a server on a free port, its stderr in `log`, and wait until it says where it answers."""
    with log.open("wb") as stderr:
        command = [*STEMMA, "serve", "--store", str(store), "--port", "0", "--json", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, env=environment(**more))
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], START_SECONDS)
    line = process.stdout.readline() if ready else b""
    if not line:
        process.kill()
        raise AssertionError(f"the server did not start: {log.read_text()}")
    return Served(json.loads(line)["address"], store, process, log)


def fork_server(store: str | Path, log: Path, *arguments: str, **more: str) -> Served:
    """Start a server as `serve` does, but forked from a process that has loaded what it needs."""
    command = ["serve", "--store", str(store), "--port", "0", "--json", *arguments]
    running = Forked(command, environment(**more), log)
    line = running.first_line(START_SECONDS)
    if not line:
        running.kill()
        raise AssertionError(f"the server did not start: {log.read_text()}")
    return Served(json.loads(line)["address"], store, running, log)


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """One server for the tests that need no store of their own; each takes a subject of its own."""
    folder = open_folder()
    running = serve(folder / "store", folder / "log")
    yield running
    code = running.stop()
    log = running.log.read_text()
    shutil.rmtree(folder)
    assert code == 0, log


@pytest.fixture
def address(served_server: Server) -> Iterator[str]:
    """The address of a migrated, empty store of the test's own, as a command or a face is given it."""
    name = served_server.fresh()
    yield str(served_server.target).rpartition("/")[0] + f"/{name}"
    served_server.drop(name)


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    """A client of that server."""
    with served.client() as one:
        yield one


@pytest.fixture
def subject_id(request: pytest.FixtureRequest) -> str:
    """A subject that no other test uses."""
    return f"subject of {request.node.nodeid}"[-200:]
