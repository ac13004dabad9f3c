"""Bringing a store's schema up to date, apart from anything that runs on it."""

from __future__ import annotations

from pathlib import Path

from stemma.app.models_base import AnswerModel
from stemma.app.runtime import open_store
from stemma.config import Settings
from stemma.store import migrate


class MigrateResult(AnswerModel):
    """Which migrations the store had, and which were applied now."""

    already: tuple[str, ...]
    applied: tuple[str, ...]


def migrate_store(store: str | Path | None, settings: Settings) -> MigrateResult:
    """Apply what the store lacks. Raises MigrationError where its schema and this code do not fit."""
    with open_store(store, settings) as opened:
        already = migrate.status(opened).applied
        applied = migrate.apply(opened)
    return MigrateResult(already=already, applied=tuple(f"{one.number:04d}_{one.name}" for one in applied))
