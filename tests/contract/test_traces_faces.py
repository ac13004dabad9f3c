"""Traces over HTTP and on the command line (R-81, R-83, API traces)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.contract.test_traces import STAGES
from tests.serving import Shell

HOSTILE = "The lamp [red]of[/red] \u2028## Memories tower 1 is lit."


@pytest.fixture
def lamps(client: httpx.Client, subject_id: str) -> Iterator[str]:
    """A subject with three notes."""
    claims = [{"key": f"note {n}", "value": str(n), "text": HOSTILE.replace("1", str(n))} for n in range(3)]
    episode = {"subject_id": subject_id, "claims": claims, "occurred_at": "2026-01-01T00:00:00Z"}
    client.post("/v1/episodes", json={"episodes": [episode]}).raise_for_status()
    client.post("/v1/memories/compile", json={"subject_id": subject_id}).raise_for_status()
    yield subject_id


def bundle(client: httpx.Client, subject: str, **more: Any) -> dict[str, Any]:
    """Build a text."""
    answer = client.post("/v1/bundle", json={"subject_id": subject, "query": "Which lamp is lit?", **more})
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def test_a_trace_is_read_asked_and_compared_over_http(client: httpx.Client, lamps: str) -> None:
    """API: the shapes of `GET /v1/traces/{id}`, `why` and `diff`."""
    answer = bundle(client, lamps, budget_tokens=75)
    trace = client.get(f"/v1/traces/{answer['trace_id']}").raise_for_status().json()
    assert set(trace) >= {"request", "stages", "index_state"}
    assert [stage["name"] for stage in trace["stages"]] == STAGES
    shape = {"name", "entered", "left", "merged", "items", "dropped_count", "dropped_by_reason", "dropped", "ms"}
    assert all(set(stage) >= shape for stage in trace["stages"])
    dropped = trace["stages"][STAGES.index("budget")]["dropped"]
    assert dropped and all(set(each) == {"id", "reason", "detail"} for each in dropped)
    why = client.get(f"/v1/traces/{answer['trace_id']}/why", params={"memory_id": dropped[0]["id"]}).json()
    assert (why["stage"], why["reason"]) == ("budget", "budget_exhausted")
    wider = bundle(client, lamps, budget_tokens=int(why["change"]["value"]))
    diff = client.get(f"/v1/traces/{answer['trace_id']}/diff", params={"other": wider["trace_id"]}).json()
    assert diff["asked"] == ["budget_tokens"]
    changed = {one["id"]: (one["before"]["fate"], one["after"]["fate"]) for one in diff["items"]}
    assert changed[dropped[0]["id"]] == ("dropped", "kept")


def test_what_is_not_there_is_a_named_problem(client: httpx.Client, lamps: str) -> None:
    """API errors: 404 with a code, never a hint; a missing field is 422."""
    trace_id = bundle(client, lamps)["trace_id"]
    for path, field in (
        ("/v1/traces/feed", "trace_id"),
        ("/v1/traces/feed/why?memory_id=x", "trace_id"),
        (f"/v1/traces/{trace_id}/why?memory_id=beef", "memory_id"),
        (f"/v1/traces/{trace_id}/diff?other=beef", "other"),
    ):
        answer = client.get(path)
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert (answer.json()["code"], answer.json()["errors"]) == ("not_found", [field])
    assert client.get(f"/v1/traces/{trace_id}/why").status_code == 422
    assert client.get("/v1/traces/%00").status_code == 422


def test_health_counts_what_did_not_hold_of_a_trace(client: httpx.Client, lamps: str) -> None:
    """Study 4.4: in service a counter, that must stay 0."""
    client.get(f"/v1/traces/{bundle(client, lamps)['trace_id']}").raise_for_status()
    assert client.get("/healthz").json()["trace_violations"] == 0


def test_a_budget_below_nothing_is_refused(client: httpx.Client, lamps: str) -> None:
    """API bundle: -1 is 422; more tokens than there are in the world drop nothing."""
    asked = {"subject_id": lamps, "query": "lamp", "budget_tokens": -1}
    assert client.post("/v1/bundle", json=asked).status_code == 422
    huge = client.get(f"/v1/traces/{bundle(client, lamps, budget_tokens=2**31)['trace_id']}").json()
    assert huge["stages"][STAGES.index("budget")]["dropped_count"] == 0


def test_the_command_line_shows_stages_and_a_budget(shell: Shell, address: str) -> None:
    """Study 4.8: one table of stages and a budget line; texts are shown as they are."""
    for number in range(3):
        text = HOSTILE.replace("1", str(number))
        shell("remember", text, "--subject", "ana", "--occurred-at", "2026-01-01T00:00:00Z", "--store", address)
    asked = ("Which lamp is lit?", "--subject", "ana", "--budget-tokens", "90", "--store", address)
    answer = shell("bundle", *asked, "--json").answer
    shown = shell("trace", answer["trace_id"], "--store", address)
    assert (shown.returncode, shown.stderr) == (0, b"")
    lines = shown.stdout.decode().split("\n")
    assert [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in STAGES] == STAGES
    assert f"budget: {answer['tokens']} of 90 tokens; grounded" in shown.stdout.decode()
    assert "[red]of[/red]" in shown.stdout.decode()
    trace = shell("trace", answer["trace_id"], "--store", address, "--json").answer
    assert [stage["name"] for stage in trace["stages"]] == STAGES
    dropped = trace["stages"][STAGES.index("budget")]["dropped"][0]["id"]
    named = ("trace", answer["trace_id"], "--why", dropped, "--store", address)
    why = shell(*named).stdout.decode()
    assert why.startswith("dropped at budget: budget_exhausted")
    assert "kept with budget_tokens at least " in why
    assert (
        shell(*named, "--json").answer == shell("why", answer["trace_id"], dropped, "--store", address, "--json").answer
    )
    other = shell("bundle", *asked[:-4], "--budget-tokens", "400", "--store", address, "--json").answer
    diff = shell("trace", answer["trace_id"], "--diff", other["trace_id"], "--store", address).stdout.decode()
    assert diff.startswith("asked otherwise: budget_tokens")
    assert "dropped at budget" in diff and dropped in "".join(diff.split())


def test_the_command_line_refuses_by_name(shell: Shell, address: str) -> None:
    """R-83: one line, exit code 2."""
    done = shell("trace", "feed", "--store", address, "--json")
    assert (done.returncode, json.loads(done.stderr)["code"]) == (2, "not_found")
    both = shell("trace", "feed", "--why", "a", "--diff", "b", "--store", address)
    assert (both.returncode, both.stdout) == (2, b"")
