"""Conversations over HTTP and on the command line (R-43, R-81, R-83)."""

from __future__ import annotations

import json
from urllib.parse import quote

import httpx

from tests.serving import Shell


def test_a_reset_over_http(client: httpx.Client, subject_id: str) -> None:
    """API errors: the old id is 409 `session_closed` as a problem document; an id may hold any character."""
    session = f"{subject_id} talk/7 é"
    asked = {"subject_id": subject_id, "query": "lamp", "session_id": session}
    answer = client.post("/v1/bundle", json=asked).raise_for_status().json()
    trace = client.get(f"/v1/traces/{answer['trace_id']}").raise_for_status().json()
    assert trace["request"]["session_id"] == session
    path = f"/v1/sessions/{quote(session, safe='')}/reset"
    fresh = client.post(path).raise_for_status().json()
    assert set(fresh) == {"session_id"}
    for refused in (
        client.post("/v1/bundle", json=asked),
        client.post("/v1/recall", json=asked),
        client.post(path),
    ):
        assert refused.status_code == 409
        assert refused.headers["content-type"] == "application/problem+json"
        assert (refused.json()["code"], refused.json()["errors"]) == ("session_closed", ["session_id"])
    client.post("/v1/bundle", json={**asked, **fresh}).raise_for_status()
    assert client.post("/v1/bundle", json={**asked, "session_id": ""}).status_code == 422


def test_a_reset_on_the_command_line(shell: Shell, address: str) -> None:
    """R-83: the new id is told; the old one is refused by name with exit code 2."""
    asked = ("bundle", "lamp", "--subject", "ana", "--store", address, "--session-id")
    assert shell(*asked, "talk").returncode == 0
    fresh = shell("reset-session", "talk", "--store", address, "--json").answer["session_id"]
    assert shell(*asked, fresh).returncode == 0
    for command in ((*asked, "talk"), ("reset-session", "talk", "--store", address)):
        done = shell(*command, "--json")
        assert (done.returncode, done.stdout) == (2, b"")
        assert json.loads(done.stderr)["code"] == "session_closed"
    shown = shell("reset-session", fresh, "--store", address).stdout.decode()
    assert shown.startswith("session id: ")
