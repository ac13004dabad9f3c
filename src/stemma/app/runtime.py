"""What a running Stemma holds: the store, the clock, the registry as shipped, the embedder. Use cases take it first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from stemma.app.registry_files import load_registry, load_rules
from stemma.config import Settings, load_settings
from stemma.core.extract import Rules, extractor_version
from stemma.models.embedding import Embedder, open_embedder
from stemma.records import Registry
from stemma.store import migrate
from stemma.store.connection import Store
from stemma.text import utc

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Return the present instant in UTC."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Runtime:
    """One opened store with everything a use case needs. Safe to use from several threads."""

    store: Store
    settings: Settings
    clock: Clock
    shipped: Registry
    rules: Rules
    embedder: Embedder | None
    extractor: str = field(init=False)

    def __post_init__(self) -> None:
        """Name the extractor version once: it is part of every derivation."""
        self.extractor = extractor_version(self.rules, self.shipped, self.embedder.id if self.embedder else None)

    def now(self) -> datetime:
        """Return the present instant by this runtime's clock, in UTC."""
        return utc(self.clock(), field="clock")

    def close(self) -> None:
        """Leave the store."""
        self.store.close()


def open_runtime(
    store: str | Path | None = None,
    *,
    clock: Clock | None = None,
    settings: Settings | None = None,
    embedder: str | None = None,
) -> Runtime:
    """Open a store (a folder or `postgresql://…`; default: the settings'), migrate it, and say what runs on it.

    Raises StoreError and its kin where the store cannot be used, EmbedderMissing where the embedder is not installed.
    """
    settings = settings or load_settings()
    opened = Store.open(store if store is not None else settings.store)
    try:
        migrate.apply(opened)
        return Runtime(
            store=opened,
            settings=settings,
            clock=clock or system_clock,
            shipped=load_registry(),
            rules=load_rules(),
            embedder=open_embedder(embedder if embedder is not None else settings.embedder),
        )
    except BaseException:
        opened.close()
        raise
