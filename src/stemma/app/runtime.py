"""What a running Stemma holds: the store, the clock, the registry as shipped, the embedder. Use cases take it first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from stemma.app import reindex
from stemma.app.calibration import Calibration, calibration_of
from stemma.app.key_uses import KeyUses
from stemma.app.observing import Observers
from stemma.app.registry_files import load_registry, load_rules
from stemma.app.similarity import Prototypes, prototypes_of
from stemma.app.telemetry import observers_of
from stemma.app.traces import Retention, Traces, prune
from stemma.app.uses import Uses
from stemma.app.watched_models import WatchedChat, WatchedEmbedder
from stemma.config import Settings, load_settings
from stemma.core.extract import Extractor, extractor_version
from stemma.core.rules import Rules
from stemma.errors import UnknownKind
from stemma.models.chat import Bounds as ChatBounds
from stemma.models.chat import Chat
from stemma.models.chatting import open_chat
from stemma.models.embedding import Embedder, open_embedder
from stemma.models.ruler import Ruler, general_ruler, ruler_of
from stemma.records import Registry
from stemma.store import migrate, registry
from stemma.store.connection import Store
from stemma.store.folder import default_folder
from stemma.store.pool import Bounds
from stemma.store.transaction import Transaction
from stemma.text import utc

Clock = Callable[[], datetime]
TENANTS_KEPT = 256


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
    calibration: Calibration
    prototypes: Prototypes | None
    chat: Chat | None = None
    ruler: Ruler = field(default_factory=general_ruler)
    uses: Uses = field(default_factory=Uses)
    key_uses: KeyUses = field(default_factory=KeyUses)
    asks_for_keys: bool = False
    traces: Traces = field(default_factory=Traces)
    observers: Observers = field(default_factory=Observers)
    _registered: dict[str, tuple[str, Registry, Extractor]] = field(default_factory=dict)

    def registered(self, t: Transaction) -> tuple[Registry, Extractor]:
        """Return what the transaction's tenant has registered, and the extractor for it; read anew once it changed."""
        stamp = registry.stamp(t)
        known = self._registered.get(t.tenant)
        if known is None or known[0] != stamp:
            found = registry.registry_of(t, self.shipped)
            known = (stamp, found, self.extractor_of(found))
            if len(self._registered) >= TENANTS_KEPT:
                self._registered.clear()
            self._registered[t.tenant] = known
        return known[1], known[2]

    def extractor_of(self, registry: Registry) -> Extractor:
        """Return the extractor for what a tenant has registered; its version is part of every derivation."""
        # A gate that asks for similarity is skipped without prototypes, so the version then names no embedder.
        judge = self.embedder.id if self.embedder and self.prototypes else None
        similarity = self.prototypes.similarity if self.prototypes else None
        thresholds = registry.thresholds.get(judge, {}) if judge else {}
        return Extractor(extractor_version(self.rules, registry, judge), self.rules, registry, similarity, thresholds)

    def now(self) -> datetime:
        """Return the present instant by this runtime's clock, in UTC."""
        return utc(self.clock(), field="clock")

    def traces_pruned(self, tenant: str) -> int:
        """Delete a tenant's traces that are kept long enough, and say how many."""
        return prune(self.store, tenant, self.traces.retention, self.now())

    def close(self) -> None:
        """Write the use counters and the traces that wait, and leave the store."""
        try:
            self.uses.write(self.store)
            self.key_uses.write(self.store)
            self.traces.write(self.store)
        finally:
            self.store.close()
            if self.chat is not None:
                self.chat.close()
            self.observers.close()


def open_store(store: str | Path | None, settings: Settings) -> Store:
    """Open the store that is named, else the settings' one, else the user's own folder. It is not migrated yet."""
    bounds = Bounds(
        lock_seconds=settings.lock_seconds,
        statement_seconds=settings.statement_seconds,
        restore_seconds=settings.restore_seconds,
        connections=settings.connections,
    )
    return Store.open(store_target(store, settings), bounds=bounds)


def is_there(store: str | Path | None, settings: Settings) -> bool:
    """Say whether there is a store to open, and not one to be made; behind an address only opening it tells."""
    target = store_target(store, settings)
    return "://" in str(target) or Path(target).exists()


def store_target(store: str | Path | None, settings: Settings) -> str | Path:
    """Return the folder or the address of the store that is named, else the settings' one, else the user's own."""
    target = store if store is not None else settings.store
    return default_folder(Path.home()) if target is None else target


def open_runtime(
    store: str | Path | None = None,
    *,
    clock: Clock | None = None,
    settings: Settings | None = None,
    embedder: str | None = None,
    chat: str | None = None,
) -> Runtime:
    """Open a store (a folder or `postgresql://…`; default: the settings'), migrate it, and say what runs on it.

    Raises StoreError and its kin where the store cannot be used, EmbedderMissing where the embedder is not installed,
    InvalidSettings where no chat model can be named so.
    """
    settings = settings or load_settings()
    observers = observers_of(settings)
    opened = open_store(store, settings)
    try:
        migrate.apply(opened)
        reindex.bring_up_to_date(opened)
        chosen = open_embedder(embedder if embedder is not None else settings.embedder, api_key=settings.embedder_key)
        rules = load_rules()
        calibration = calibration_of(chosen.id if chosen else None)
        watched = WatchedEmbedder(chosen, observers) if chosen else None
        return Runtime(
            store=opened,
            settings=settings,
            clock=clock or system_clock,
            shipped=load_registry(None if settings.registry is None else Path(settings.registry)),
            rules=rules,
            embedder=watched,
            calibration=calibration,
            prototypes=prototypes_of(watched, calibration, rules),
            chat=_chat(settings, chat, observers),
            ruler=ruler_of(chosen),
            traces=Traces(Retention(settings.trace_days, settings.traces_kept)),
            observers=observers,
        )
    except BaseException:
        opened.close()
        raise


def _chat(settings: Settings, address: str | None, observers: Observers) -> Chat | None:
    bounds = ChatBounds(settings.chat_seconds, settings.chat_retries, settings.chat_answer_tokens)
    chat = open_chat(settings.chat if address is None else address, api_key=settings.chat_key, bounds=bounds)
    return WatchedChat(chat, observers) if chat else None


def require_kinds(runtime: Runtime, kinds: Iterable[str]) -> None:
    """Refuse a kind that is not registered by name: a misspelt one would find nothing, or make a kind of its own."""
    for kind in kinds:
        if kind not in runtime.shipped.kinds:
            known = ", ".join(sorted(runtime.shipped.kinds))
            raise UnknownKind(f"there is no kind {kind!r}; there are {known}", field="kind")
