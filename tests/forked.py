"""What the process that others are forked from has loaded: the doors, the commands and what the workers of tests name.

Modules, and what is compiled once in a process of the package's own files: no store, no thread, no connection.
"""

from __future__ import annotations

import anyio._backends._asyncio
import uvicorn.lifespan.on
import uvicorn.loops.auto
import uvicorn.protocols.http.auto
import uvicorn.protocols.websockets.auto

from stemma.edges import cli_commands, cli_serve
from stemma.store import migrate, queries
from tests import extracting
from tests.faults import workers

LOADED = (anyio, uvicorn, cli_commands, cli_serve, migrate, workers)
# The first text compiles the rules and the patterns.
READ = extracting.read("We live in Lisbon since 2019. Adyen charges 3.5% + 30c, not 2.9%.")
QUERIES = queries.load()
