"""What the use cases on the log need of a running Stemma. `app/runtime` gives it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from stemma.config import Settings
from stemma.records import Registry
from stemma.store.connection import Store


class LogRuntime(Protocol):
    """The store, the settings, the registry as shipped, and a clock."""

    @property
    def store(self) -> Store:
        """The opened store."""
        ...

    @property
    def settings(self) -> Settings:
        """The settings it runs with."""
        ...

    @property
    def shipped(self) -> Registry:
        """The kinds and claim keys that come with it."""
        ...

    def now(self) -> datetime:
        """Return the present instant, in UTC."""
        ...
