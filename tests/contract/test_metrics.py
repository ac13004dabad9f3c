"""What `GET /metrics` tells, to whom, and that no word, subject or tenant stands in it (R-94, R-12)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from stemma.app.backlog import Backlog, Waiting
from stemma.app.operations import OPERATIONS
from stemma.app.runtime import open_runtime
from stemma.config import Settings
from stemma.core.trace import STAGES
from stemma.edges import http_open
from tests.contract.keyed import Keyed, fresh_address, fresh_runtime, refused
from tests.faults.embedding_server import embedding_server
from tests.stores import Server

SECRET = "Quixotic"
OTHERS = {"healthz", "readyz", "metrics", "openapi", "mcp", "none"}


@pytest.fixture
def door(served_server: Server) -> Iterator[Keyed]:
    """The door of an empty store."""
    with fresh_runtime(served_server) as runtime:
        yield Keyed(runtime)


def figures(door: Keyed, key: str | None = None) -> dict[str, float]:
    """Return every sample as it is written, `name{label="value"}`."""
    answer = door.ask("GET", "/metrics", key)
    assert (answer.status_code, answer.headers["content-type"][:10]) == (200, "text/plain")
    found = {}
    for family in text_string_to_metric_families(answer.text):
        for one in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(one.labels.items()))
            found[f"{one.name}{{{labels}}}" if labels else one.name] = one.value
    return found


def answers(door: Keyed, operation: str, status: int) -> float:
    """Return how often an operation was answered so."""
    return figures(door).get(f'stemma_http_requests_total{{operation="{operation}",status="{status}"}}', 0)


def test_requests_are_counted_by_operation_and_status(door: Keyed) -> None:
    """R-94: also what was refused before it was routed, and what no route takes."""
    for _ in range(3):
        door.ask("GET", "/v1/memories?subject_id=ana")
    door.ask("GET", "/v1/memories")
    door.ask("GET", "/v1/memories/none")
    door.ask("GET", "/v1/memories?subject_id=ana", headers={"Host": "evil.example"})
    door.ask("GET", f"/v1/{SECRET}")
    door.ask("PATCH", "/v1/memories")
    found = figures(door)
    counted = {name: value for name, value in found.items() if name.startswith("stemma_http_requests_total")}
    assert counted == {
        'stemma_http_requests_total{operation="list_memories",status="200"}': 3,
        'stemma_http_requests_total{operation="list_memories",status="422"}': 1,
        'stemma_http_requests_total{operation="list_memories",status="403"}': 1,
        'stemma_http_requests_total{operation="get_memory",status="404"}': 1,
        'stemma_http_requests_total{operation="none",status="404"}': 1,
        'stemma_http_requests_total{operation="none",status="405"}': 1,
    }
    assert found['stemma_http_request_seconds_count{operation="list_memories"}'] == 5
    assert found['stemma_http_request_seconds_bucket{le="+Inf",operation="list_memories"}'] == 5
    assert found["stemma_http_requests_in_progress"] == 1
    assert answers(door, "metrics", 200) == 1


def test_a_fault_is_counted_as_500(door: Keyed) -> None:
    """R-94: also an answer that the outermost handler gives."""
    door.runtime.clock = lambda: 1 / 0  # type: ignore[assignment,return-value]
    assert door.ask("GET", "/v1/memories?subject_id=ana").status_code == 500
    assert answers(door, "list_memories", 500) == 1


def test_stages_and_compiles_are_counted(door: Keyed) -> None:
    """R-94: each stage once a recall or bundle; what compiles made by the names of their answer."""
    door.ask("POST", "/v1/memories", json={"subject_id": "ana", "text": "I like tea."})
    for path in ("/v1/recall", "/v1/bundle"):
        assert door.ask("POST", path, json={"subject_id": "ana", "query": "tea"}).status_code == 200
    found = figures(door)
    counted = {name: value for name, value in found.items() if name.startswith("stemma_stage_seconds_count")}
    assert counted == {f'stemma_stage_seconds_count{{stage="{name}"}}': 2 for name in STAGES}
    assert (found['stemma_compiles_total{outcome="ok"}'], found["stemma_compile_seconds_count"]) == (1, 1)
    assert found['stemma_compiled_total{what="episodes_compiled"}'] == 1
    assert found['stemma_compiled_total{what="memories_created"}'] == 1
    assert found['stemma_compiled_total{what="memories_superseded"}'] == 0


@pytest.mark.parametrize("kind", ["embedded", "served"])
def test_what_waits_is_counted_of_all_tenants(request: pytest.FixtureRequest, kind: str) -> None:
    """R-94: the uncompiled backlog and the outstanding vectors, and the calls of the embedder."""
    server: Server = request.getfixturevalue(f"{kind}_server")
    with embedding_server({"tiny": 8}) as endpoint, fresh_address(server) as address:
        runtime = open_runtime(address, settings=Settings(embedder=f"{endpoint}#tiny"))
        door = Keyed(runtime)
        for tenant in ("default", "acme"):
            said = [{"subject_id": "ana", "text": f"I like {drink}."} for drink in ("tea", "coffee")]
            body = {"episodes": [*said, {"subject_id": "bob", "text": "I like tea."}]}
            key = door.key(tenant).key
            assert door.ask("POST", "/v1/episodes", key, json=body).status_code == 200
        found = figures(door, door.key("default").key)
        assert found["stemma_uncompiled_episodes"] == 6
        assert found["stemma_outstanding_vectors"] == 4
        door.ask("POST", "/v1/memories/compile", key, json={})
        # Another door counts anew; this one would use its count for some seconds more.
        found = figures(Keyed(runtime), door.key("default").key)
        assert found["stemma_uncompiled_episodes"] == 3
        assert found["stemma_outstanding_vectors"] == 2
        found = figures(door, door.key("default").key)
        assert found['stemma_model_call_seconds_count{operation="embeddings",outcome="ok"}'] >= 1
        runtime.close()


def test_a_connection_that_is_lent_out_is_told(door: Keyed) -> None:
    """R-94: pool use."""
    with door.runtime.store.transaction("default"), door.runtime.store.transaction("default"):
        found = figures(door)
        assert found['stemma_store_connections{state="in_use"}'] == 2
    found = figures(door)
    assert found['stemma_store_connections{state="in_use"}'] == 0
    assert found['stemma_store_connections{state="most"}'] == 6


def test_what_does_not_hold_of_a_trace_is_told(door: Keyed) -> None:
    """R-42, R-94: conservation failures."""
    assert figures(door)["stemma_trace_violations_total"] == 0
    door.runtime.traces.violations = 3
    assert figures(door)["stemma_trace_violations_total"] == 3


def test_requests_over_their_limit_are_counted(door: Keyed) -> None:
    """R-93, R-94."""
    limited = door.key("acme", rate_limit=1).key
    assert [door.ask("GET", "/v1/subjects", limited).status_code for _ in range(3)] == [200, 429, 429]
    found = figures(door, door.key("default").key)
    assert found["stemma_rate_limited_requests_total"] == 2
    assert found['stemma_http_requests_total{operation="list_subjects",status="429"}'] == 2


def test_where_there_are_keys_the_figures_are_for_an_admin_of_the_servers_own_tenant(door: Keyed) -> None:
    """R-12: they are of all tenants together, so no other tenant sees them."""
    assert door.ask("GET", "/metrics").status_code == 200
    own, reader, other = door.key("default"), door.key("default", ["read"]), door.key("acme")
    assert refused(door.ask("GET", "/metrics")) == (401, "key_missing")
    assert refused(door.ask("GET", "/metrics", reader.key)) == (403, "scope_missing")
    assert refused(door.ask("GET", "/metrics", other.key)) == (403, "forbidden")
    assert door.ask("GET", "/metrics", own.key).status_code == 200


def test_a_label_is_one_of_a_closed_list(door: Keyed) -> None:
    """R-94, R-12: whatever is asked, no subject, tenant, key or text is a label, and no caller makes a new one."""
    key = door.key(SECRET).key
    door.ask("POST", "/v1/memories", key, json={"subject_id": SECRET, "text": f"I like {SECRET} tea.", "key": SECRET})
    door.ask("GET", f"/v1/memories?subject_id={SECRET}", key)
    door.ask("GET", f"/v1/{SECRET}/{SECRET}", key)
    door.ask(SECRET.upper(), "/v1/memories", key)
    door.ask("PUT", f"/v1/corpora/{SECRET}/documents/{SECRET}", key, json={"text": SECRET})
    text = door.ask("GET", "/metrics", door.key("default").key).text
    assert SECRET.lower() not in text.lower()
    assert set(re.findall(r'operation="([^"]*)"', text)) <= {row.name for row in OPERATIONS} | OTHERS


def test_openmetrics_is_written_where_it_is_asked_for(door: Keyed) -> None:
    """R-94: what newer scrapers ask for first."""
    answer = door.ask("GET", "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert "stemma_compiles" in {family.name for family in openmetrics(answer.text)}


def test_a_store_that_does_not_answer_is_told_soon_and_the_process_lives(
    served_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-94: readiness names it in bounded time, and liveness does not depend on it."""
    monkeypatch.setattr(http_open, "PATIENCE_SECONDS", 0.1)
    with fresh_address(served_server) as address:
        runtime = open_runtime(address, settings=Settings(embedder="none", connections=2, restore_seconds=0.5))
        door = Keyed(runtime)
        with runtime.store.transaction("default"), runtime.store.transaction("default"):
            ready = door.ask("GET", "/readyz")
            assert (ready.status_code, ready.json()["code"]) == (503, "store_unavailable")
            assert ready.json()["detail"] == "the store did not answer within 0.1 s"
            assert door.ask("GET", "/healthz").json()["status"] == "ok"
            assert Backlog(runtime, patience_seconds=0.1).now() is None
        assert Backlog(runtime).now() == Waiting(0, 0)
        assert door.ask("GET", "/readyz").status_code == 200
        runtime.close()
