"""A running Stemma as far as the log needs one: a store, a clock that a test sets, and short ways to send episodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg import sql

from stemma.app.calibration import calibration_of
from stemma.app.erase import erase
from stemma.app.ingest import add_episodes
from stemma.app.models_base import EpisodeOutcome
from stemma.app.models_episodes import AddEpisodes
from stemma.app.models_erase import EraseReceipt, EraseRequest
from stemma.app.models_transfer import ImportResult
from stemma.app.registry_files import load_registry, load_rules
from stemma.app.runtime import Runtime
from stemma.app.transfer import export_log, import_log
from stemma.config import Settings
from stemma.store.connection import Store

START = datetime(2026, 11, 1, 12, tzinfo=UTC)


@dataclass(slots=True, repr=False)
class Door:
    """One opened store with a clock of its own; `send` answers what became of each episode."""

    store: Store
    clock: datetime = START
    tenant: str = "default"
    settings: Settings = field(default_factory=Settings)
    runtime: Runtime = field(init=False)

    def __post_init__(self) -> None:
        """Open everything that a use case needs, without an embedder."""
        self.runtime = Runtime(
            store=self.store,
            settings=self.settings,
            clock=lambda: self.clock,
            shipped=load_registry(),
            rules=load_rules(),
            embedder=None,
            calibration=calibration_of(None),
            prototypes=None,
        )

    def later(self, **span: float) -> None:
        """Move the clock on."""
        self.clock += timedelta(**span)

    def send(self, *episodes: Any, idempotency_key: str | None = None) -> list[EpisodeOutcome]:
        """Send one batch."""
        request = AddEpisodes.model_validate({"episodes": list(episodes)})
        return list(add_episodes(self.runtime, self.tenant, request, idempotency_key=idempotency_key).results)

    def outcomes(self, *episodes: Any) -> list[str]:
        """Send one batch and give the outcomes alone."""
        return [one.outcome.value for one in self.send(*episodes)]

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Give every row of a table of this tenant with its place on disk, so that a rewritten row is seen."""
        with self.store.transaction(self.tenant, read_only=True) as t:
            query = sql.SQL("SELECT *, xmin::text, ctid::text FROM {} ORDER BY ctid").format(sql.Identifier(table))
            return t.connection.execute(query).fetchall()

    def erase(self, subject: str, key: str | None = None) -> EraseReceipt:
        """Erase a subject or one of its keys."""
        named = {"subject_id": subject} | ({"episode_key": key} if key is not None else {})
        return erase(self.runtime, self.tenant, EraseRequest.model_validate(named))

    def export(self) -> str:
        """Give the whole log as its export tells it."""
        lines: list[str] = []
        export_log(self.runtime, self.tenant, lines.append)
        return "".join(lines)

    def take(self, exported: str) -> ImportResult:
        """Import an export."""
        return import_log(self.runtime, self.tenant, exported.splitlines(keepends=True))
