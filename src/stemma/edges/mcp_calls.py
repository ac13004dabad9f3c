"""A call of a tool on an opened store. It is loaded by the first one: before that nobody needs the use cases."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemma.app.caller import EVERYTHING, Caller
from stemma.app.runtime import Runtime, open_runtime
from stemma.app.tool_asker import Asker
from stemma.app.tools import TOOLS_BY_NAME
from stemma.config import Settings
from stemma.edges.background import Chore, chores
from stemma.edges.json_input import parse_object


@dataclass(frozen=True, slots=True)
class OneStore:
    """The store of one `stemma mcp`, and for whom it works."""

    runtime: Runtime
    tenant: str
    subject: str | None

    def call(self, tool: str, arguments: Mapping[str, Any], by: str) -> tuple[str, dict[str, Any]]:
        """Do what a tool is called for; raises the errors of our tree."""
        return call(self.runtime, Caller(self.tenant, EVERYTHING, by), self.subject, tool, arguments)

    def chores(self) -> list[Chore]:
        """List what there is to do beside answering."""
        return chores(self.runtime, compile_every_seconds=self.runtime.settings.compile_every_seconds)


class StoreToOpen:
    """Opens a store once, at first use, whichever thread asks; a failure is told to each that asks, and tried again."""

    def __init__(self, store: str | None, settings: Settings, tenant: str, subject: str | None) -> None:
        """Take what to open and for whom."""
        self._store = store
        self._settings = settings
        self._whom = tenant, subject
        self._guard = threading.Lock()
        self._opened: OneStore | None = None

    def opened(self) -> OneStore:
        """Return the store, opened."""
        with self._guard:
            if self._opened is None:
                self._opened = OneStore(open_runtime(self._store, settings=self._settings), *self._whom)
            return self._opened

    def close(self) -> None:
        """Leave the store, if it was opened."""
        with self._guard:
            if self._opened is not None:
                self._opened.runtime.close()
                self._opened = None


def call(
    runtime: Runtime, caller: Caller, subject: str | None, tool: str, arguments: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Call a tool for a caller: its text for a model and its answer for programs."""
    # What came through the protocol's own reader is held to the limits of every other door.
    sound = parse_object(json.dumps(arguments).encode())
    asker = Asker(runtime, caller, subject, runtime.settings.mcp_reply_bytes)
    reply = TOOLS_BY_NAME[tool].run(asker, sound)
    return reply.text, reply.structured
