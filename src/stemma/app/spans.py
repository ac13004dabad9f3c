"""Steps as spans of OpenTelemetry: the one module that knows it, loaded where `STEMMA_SPANS` asks for spans.

Where the program has a tracer provider of its own the spans go there, else by OTLP to what the OTEL_* variables name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Final, Self

from opentelemetry import context, propagate, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from stemma import __version__
from stemma.app.observing import CHAT, EMBEDDINGS, Step
from stemma.app.watched_models import MODEL, OPERATION
from stemma.core.trace import StageRecord

REQUEST: Final = "request"
# A program that ends does not wait longer for a collector that is not there.
_FLUSH_SECONDS: Final = 2.0
_KINDS: Final = {REQUEST: SpanKind.SERVER, CHAT: SpanKind.CLIENT}
# What the conventions call the search for what is to stand in a prompt.
_RETRIEVALS: Final = frozenset({"recall", "bundle", "search_documents"})


@dataclass(frozen=True, slots=True)
class _Own:
    """A provider that nobody else uses, and where it sends."""

    provider: TracerProvider
    exporter: OTLPSpanExporter


class Spans:
    """Makes a span of each step. Attributes are the step's facts, and so never a text."""

    def __init__(self, provider: trace.TracerProvider, own: _Own | None = None) -> None:
        """Take where spans go; `own` is what is to be shut down at the end."""
        self._tracer = trace.get_tracer("stemma", __version__, provider)
        self._own = own

    @classmethod
    def open(cls) -> Self:
        """Send spans to the program's provider where it has set one, else by OTLP over HTTP."""
        found = trace.get_tracer_provider()
        if isinstance(found, TracerProvider):
            return cls(found)
        provider = TracerProvider(resource=Resource.create({"service.name": "stemma", "service.version": __version__}))
        exporter = OTLPSpanExporter()
        provider.add_span_processor(BatchSpanProcessor(exporter))
        return cls(provider, _Own(provider, exporter))

    @contextmanager
    def watch(self, step: Step) -> Iterator[None]:
        """Open a span, below that of the step around it, and close it with the step's facts."""
        above = propagate.extract(step.carrier) if step.carrier is not None else None
        span = self._tracer.start_span(step.name, context=above, kind=_KINDS.get(step.name, SpanKind.INTERNAL))
        token = None if step.is_apart else context.attach(trace.set_span_in_context(span, above))
        try:
            yield
        finally:
            if token is not None:
                context.detach(token)
            _finish(span, step)

    def staged(self, stages: Sequence[StageRecord]) -> None:
        """Note the stages as events of the span under way."""
        span = trace.get_current_span()
        for one in stages:
            told: dict[str, str | int | float] = {
                "stemma.stage": one.name,
                "stemma.entered": one.entered,
                "stemma.left": one.left,
            }
            told["stemma.ms"] = round(one.ms, 3)
            span.add_event("stemma.stage", told)

    def close(self) -> None:
        """Send what waits, for a bounded time."""
        if self._own is None:
            return
        # The library's own bounds are those of an export with all its retries: longer than a program may take to end.
        ending = Thread(target=self._own.provider.shutdown, name="spans", daemon=True)
        ending.start()
        ending.join(_FLUSH_SECONDS)
        if ending.is_alive():
            give_up: Callable[[], None] = self._own.exporter.shutdown
            give_up()


def _finish(span: Span, step: Step) -> None:
    if step.name in {CHAT, EMBEDDINGS} and MODEL in step.facts:
        span.update_name(f"{step.name} {step.facts[MODEL]}")
    elif step.name in _RETRIEVALS:
        span.set_attribute(OPERATION, "retrieval")
    elif step.name == REQUEST:
        # Named by method and route, as the conventions for HTTP have it; a path would name a subject.
        span.update_name(f"{step.facts.get('http.request.method', '')} {step.facts.get('http.route', '')}".strip())
    for name, fact in step.facts.items():
        listed = name == "gen_ai.response.finish_reason"
        span.set_attribute("gen_ai.response.finish_reasons" if listed else name, [str(fact)] if listed else fact)
    if step.error is not None:
        span.set_attribute("error.type", step.error)
        span.set_status(Status(StatusCode.ERROR))
    span.end()
