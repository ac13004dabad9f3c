"""Other entries to `stemma mcp`: one in which something else speaks all the time, one that waits where a test says.

They change nothing of what the server does; they stand for a library that does so.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from stemma.edges.cli import main

NOISE: Final = "noise"


def speaks(where: str) -> None:
    """Speak in every way that there is."""
    print(NOISE, where)
    sys.stdout.write(f"\r{NOISE} [####    ] 50 %")
    sys.stdout.flush()
    warnings.warn(f"{NOISE} {where}", stacklevel=1)
    os.write(1, f"{NOISE} {where}\n".encode())


def noisy() -> None:
    """Be `stemma mcp` whose embedder, store and end speak, and start children that do."""
    from stemma.app import runtime
    from stemma.store.connection import Store

    speaks_first(runtime, "open_embedder", lambda: child("a model is loaded"))
    speaks_first(Store, "run", lambda: speaks("a query"))
    atexit.register(speaks, "the end")
    main()


def child(where: str) -> None:
    """Speak, and have a child speak and try to read."""
    speaks(where)
    subprocess.run(["/bin/sh", "-c", f"echo {NOISE}; read line; echo {NOISE} $line"], check=False)


def waiting() -> None:
    """Be `stemma mcp` whose first write tells that it has begun, and goes on once it may: by files in `STEMMA_WAIT`."""
    folder = Path(sys.argv.pop())
    from stemma.app import remember

    def wait() -> None:
        (folder / "begun").touch()
        while not (folder / "go").exists():
            time.sleep(0.01)

    speaks_first(remember, "add_episodes", wait)
    main()


def speaks_first(owner: Any, name: str, first: Callable[[], None]) -> None:
    """Have something done before each call of a function."""
    inner = getattr(owner, name)

    def both(*arguments: Any, **named: Any) -> Any:
        first()
        return inner(*arguments, **named)

    setattr(owner, name, both)
