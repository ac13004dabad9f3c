"""Whether this process lives and whether its store can be used. Nothing of a tenant is read."""

from __future__ import annotations

from typing import Literal

from stemma.app.models_base import AnswerModel
from stemma.app.runtime import Runtime
from stemma.errors import StoreError, StoreUnavailable
from stemma.store import migrate


class Health(AnswerModel):
    """`ok`, or what is missing."""

    status: Literal["ok", "unavailable"]
    code: str | None = None
    detail: str | None = None


class Alive(Health):
    """The process answers; `trace_violations` counts what did not hold of a trace since it began, and must stay 0."""

    trace_violations: int = 0


def live(runtime: Runtime) -> Alive:
    """Say that the process answers."""
    return Alive(status="ok", trace_violations=runtime.traces.violations)


def slow(seconds: float) -> Health:
    """Say that the store has not answered yet."""
    detail = f"the store did not answer within {seconds:g} s"
    return Health(status="unavailable", code=StoreUnavailable.code, detail=detail)


def ready(runtime: Runtime) -> Health:
    """Say whether the store answers and its schema is the one this code knows."""
    try:
        found = migrate.status(runtime.store)
    except StoreError as error:
        return Health(status="unavailable", code=error.code, detail=error.detail)
    if found.pending:
        lacking = f"the store lacks {len(found.pending)} migrations; run `stemma migrate`"
        return Health(status="unavailable", code="migration_error", detail=lacking)
    return Health(status="ok")
