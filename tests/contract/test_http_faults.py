"""What the HTTP door answers when the store is gone, and when something unforeseen happens."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from datetime import datetime

import httpx
import psycopg
import pytest
import structlog
from psycopg import sql

from stemma.app.runtime import Runtime, open_runtime
from stemma.config import Settings
from stemma.edges import logs
from stemma.edges.http import create_app
from tests.stores import Server


@pytest.fixture
def runtime(address: str) -> Iterator[Runtime]:
    """A runtime that gives a lost store up soon."""
    opened = open_runtime(address, settings=Settings(embedder="none", restore_seconds=0.2))
    yield opened
    opened.close()


def test_a_lost_store_is_told_by_readiness_and_by_every_answer(
    runtime: Runtime, served_server: Server, address: str
) -> None:
    """API.md: /readyz; R-94: a retry can help, and the answer says so."""
    assert get(runtime, "/readyz").json() == {"status": "ok", "code": None, "detail": None}
    _drop(served_server, address)
    ready = get(runtime, "/readyz")
    assert (ready.status_code, ready.json()["code"]) == (503, "store_unavailable")
    assert get(runtime, "/healthz").status_code == 200
    answer = get(runtime, "/v1/subjects")
    assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
    assert answer.headers["retry-after"] == "1"


def test_a_schema_that_lacks_a_migration_is_not_ready(runtime: Runtime, address: str) -> None:
    """API.md: /readyz."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DELETE FROM schema_migrations WHERE number = (SELECT max(number) FROM schema_migrations)")
    ready = get(runtime, "/readyz")
    assert (ready.status_code, ready.json()["code"]) == (503, "migration_error")


def test_an_unforeseen_error_is_answered_under_its_request_id_and_not_in_its_words(
    runtime: Runtime, capsys: pytest.CaptureFixture[str]
) -> None:
    """R-94: the words of an error may quote a memory."""

    def broken() -> datetime:
        raise ValueError("whisper")

    runtime.clock = broken
    answer = get(runtime, "/v1/memories?subject_id=whisper", request_id="seen-8")
    told = answer.json()
    assert (answer.status_code, told["code"], answer.headers["x-request-id"]) == (500, "internal", "seen-8")
    assert "seen-8" in told["detail"]
    written = capsys.readouterr()
    assert "whisper" not in json.dumps(told) + written.out + written.err


def test_a_log_that_nobody_reads_takes_no_answer_with_it(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-94: whoever collected the lines has closed the pipe."""
    gone = io.StringIO()
    gone.close()
    monkeypatch.setattr("sys.stderr", gone)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    logs.set_up()
    # Under another name than loggers that have been used: those keep what they were made with.
    monkeypatch.setattr("stemma.edges.http._log", structlog.get_logger("unread"))
    monkeypatch.setattr("stemma.edges.http_observed._log", structlog.get_logger("unread"), raising=False)

    def broken() -> datetime:
        raise ValueError("whisper")

    runtime.clock = broken
    answer = get(runtime, "/v1/memories?subject_id=ana", request_id="seen-9")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")


def get(runtime: Runtime, path: str, request_id: str = "seen-1") -> httpx.Response:
    """Ask the door in this process."""

    async def ask() -> httpx.Response:
        door = httpx.ASGITransport(create_app(runtime), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=door, base_url="http://localhost") as client:
            return await client.get(path, headers={"X-Request-ID": request_id})

    return asyncio.run(ask())


def _drop(server: Server, address: str) -> None:
    name = address.rpartition("/")[2]
    with psycopg.connect(server.admin("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
