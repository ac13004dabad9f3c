"""Spans of OpenTelemetry: which there are, what stands in them, and that no word of a memory does (R-94)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from stemma import Stemma
from stemma.app.observing import Observers, Step
from stemma.app.spans import Spans
from stemma.app.telemetry import observers_of
from stemma.config import Settings
from stemma.core.trace import STAGES
from stemma.errors import InvalidSettings, NotFound
from tests.chat_server import ChatServer, Written
from tests.contract.keyed import Keyed
from tests.serving import fork_server

SECRET = "Quixotic"


@pytest.fixture
def sent() -> InMemorySpanExporter:
    """Where the spans go."""
    return InMemorySpanExporter()


@pytest.fixture
def memory(address: str, chat: ChatServer, sent: InMemorySpanExporter) -> Iterator[Stemma]:
    """A store whose spans are kept, with a model that answers."""
    chat.says("Audit logs are kept for 90 days [1].")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(sent))
    with Stemma(address, embedder="none", chat=chat.address) as opened:
        opened.runtime.observers.add(Spans(provider))
        yield opened


def spans(sent: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    """Return what was sent by name, the last of each."""
    return {one.name: one for one in sent.get_finished_spans()}


def test_a_recall_is_a_retrieval_with_its_stages_in_order(memory: Stemma, sent: InMemorySpanExporter) -> None:
    """R-94, R-42: each stage is an event with what entered and what left."""
    memory.remember("ana", f"I like {SECRET} tea.")
    memory.recall("ana", f"{SECRET} tea")
    found = spans(sent)["recall"]
    assert found.attributes is not None
    assert found.attributes["gen_ai.operation.name"] == "retrieval"
    stages = [dict(event.attributes or {}) for event in found.events]
    assert [one["stemma.stage"] for one in stages] == list(STAGES)
    assert (stages[2]["stemma.entered"], stages[-1]["stemma.left"]) == (1, 1)


def test_a_compile_stands_below_what_asked_for_it_and_tells_its_counts(
    memory: Stemma, sent: InMemorySpanExporter
) -> None:
    """R-94: compile spans."""
    memory.remember("ana", f"I like {SECRET} tea.")
    above, compiled = spans(sent)["remember"], spans(sent)["compile_subject"]
    assert compiled.attributes is not None
    assert compiled.parent is not None
    assert compiled.parent.span_id == above.context.span_id
    assert (compiled.attributes["stemma.episodes_compiled"], compiled.attributes["stemma.memories_created"]) == (1, 1)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_call_of_a_model_has_the_attributes_of_the_conventions(
    memory: Stemma, sent: InMemorySpanExporter, chat: ChatServer, streamed: bool
) -> None:
    """R-94: GenAI conventions, whole and as a stream."""
    memory.put_document("ops", "logs", text="Audit logs are kept for 90 days.")
    if streamed:
        list(memory.stream_answer("How long are audit logs kept?", corpora=["ops"]))
    else:
        memory.answer_from_documents("How long are audit logs kept?", corpora=["ops"])
    found = spans(sent)["chat tiny"]
    assert found.kind is SpanKind.CLIENT
    assert dict(found.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "tiny",
        "gen_ai.request.temperature": 0.0,
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 321,
        "gen_ai.usage.output_tokens": 12,
        "server.address": f"127.0.0.1:{chat.port}",
    }


def test_what_fails_is_told_by_its_code(memory: Stemma, sent: InMemorySpanExporter, chat: ChatServer) -> None:
    """R-94: the words of an error may quote a memory, so the code stands alone."""
    chat.gives(Written(401))
    memory.put_document("ops", "logs", text="Audit logs are kept for 90 days.")
    memory.answer_from_documents("How long are audit logs kept?", corpora=["ops"])
    with pytest.raises(NotFound):
        memory.get_memory(SECRET)
    for name, code in (("chat tiny", "chat_refused"), ("get_memory", "not_found")):
        found = spans(sent)[name]
        assert found.attributes is not None
        assert (found.attributes["error.type"], found.status.status_code) == (code, StatusCode.ERROR)
        assert found.status.description is None
        assert found.events == ()


def test_no_word_of_a_memory_stands_in_a_span(memory: Stemma, sent: InMemorySpanExporter) -> None:
    """R-94: neither texts nor subjects nor queries."""
    memory.remember(f"{SECRET} subject", f"I like {SECRET} tea.", key=f"{SECRET}:1")
    memory.recall(f"{SECRET} subject", f"{SECRET} tea")
    memory.put_document(f"{SECRET} corpus", f"{SECRET}.md", text=f"{SECRET} logs are kept for 90 days.", title=SECRET)
    memory.answer_from_documents(f"How long are {SECRET} logs kept?", corpora=[f"{SECRET} corpus"])
    memory.bundle(f"{SECRET} tea", subject_id=f"{SECRET} subject")
    told = [json.loads(one.to_json()) for one in sent.get_finished_spans()]
    assert {"remember", "recall", "bundle", "put_document", "chat tiny"} <= {one["name"] for one in told}
    assert SECRET not in json.dumps(told)


def test_without_the_setting_nobody_listens() -> None:
    """R-94: off and free by default."""
    assert not observers_of(Settings()).are_there
    assert not Observers().are_there


def test_the_setting_without_the_extra_is_a_named_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-94: an optional extra."""
    monkeypatch.delitem(sys.modules, "stemma.app.spans")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(InvalidSettings, match=r"pip install 'stemma-memory\[otel\]'") as raised:
        observers_of(Settings(spans=True))
    assert raised.value.fields == ("spans",)


def test_a_request_over_http_joins_the_callers_trace_and_names_its_route_alone(
    memory: Stemma, sent: InMemorySpanExporter
) -> None:
    """R-94: `traceparent`; a path names documents and subjects, so the template stands in its place."""
    door = Keyed(memory.runtime)
    above = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    door.ask("PUT", f"/v1/corpora/{SECRET}/documents/{SECRET}", json={"text": SECRET}, headers=above)
    door.ask("GET", f"/v1/memories/{SECRET}", headers={"traceparent": "nonsense"})
    put, got = (one for one in sent.get_finished_spans() if one.kind is SpanKind.SERVER)
    route = "/v1/corpora/{corpus}/documents/{external_id:path}"
    assert (put.name, f"{put.context.trace_id:032x}") == (f"PUT {route}", "0af7651916cd43dd8448eb211c80319c")
    assert put.parent is not None
    assert f"{put.parent.span_id:016x}" == "b7ad6b7169203331"
    attributes = {"http.request.method": "PUT", "http.response.status_code": 200, "http.route": route}
    assert dict(put.attributes or {}) == attributes
    inner = spans(sent)["put_document"]
    assert inner.parent is not None
    assert inner.parent.span_id == put.context.span_id
    assert (got.name, got.parent, got.status.status_code) == ("GET /v1/memories/{memory_id}", None, StatusCode.UNSET)


@pytest.mark.timeout(20)
def test_a_collector_that_is_not_there_holds_up_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-94: what waits is given up after two seconds, and not after all retries of an export."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    gone = Spans.open()
    with gone.watch(Step("recall")):
        pass
    gone.close()
    # The thread that exports is not waited for once it was told to give up; the test's own bound is for one that hangs.


def test_a_server_sends_its_spans_to_a_collector(address: str, tmp_path: Path) -> None:
    """R-94: by OTLP over HTTP, at the latest when it ends."""
    taken: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        thread = Thread(target=collector.serve_forever, daemon=True)
        thread.start()
        named = {
            "STEMMA_SPANS": "true",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_address[1]}",
        }
        running = fork_server(address, tmp_path / "log", **named)
        with running.client() as client:
            said = {"subject_id": SECRET, "text": f"I like {SECRET} tea."}
            assert client.post("/v1/memories", json=said).status_code == 200
        assert running.stop() == 0
        assert SECRET not in running.log.read_text()
        collector.shutdown()
        thread.join()
    told = b"".join(taken)
    assert b"POST /v1/memories" in told
    assert b"compile_subject" in told
    assert SECRET.encode() not in told
