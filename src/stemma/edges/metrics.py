"""What a server counts of its work, in Prometheus' terms. Labels are names of operations, stages, statuses: few, and
none is a subject, a tenant or a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from stemma import __version__
from stemma.app.backlog import Backlog
from stemma.app.observing import CHAT, COMPILE, EMBEDDINGS, STAGES, StageRecord, Step
from stemma.app.runtime import Runtime

_REQUEST_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_STAGE_SECONDS: Final = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1)
_COMPILE_SECONDS: Final = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300)
_MODEL_SECONDS: Final = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60)
_TOKENS: Final = {"input": "gen_ai.usage.input_tokens", "output": "gen_ai.usage.output_tokens"}
_TOO_MANY: Final = 429


class Metrics:
    """The figures of one server since it began. Listens to the runtime's steps, and is told of every answer."""

    def __init__(self, runtime: Runtime) -> None:
        """Begin to count."""
        # A second line for every figure, with when it began, is asked for by nobody.
        without_beginnings: Callable[[], None] = disable_created_metrics
        without_beginnings()
        self._registry = CollectorRegistry()
        self._answers = Answers(self._registry)
        self._work = Work(self._registry)
        self._registry.register(_Present(runtime))
        ProcessCollector(registry=self._registry)
        told = {"version": __version__, "embedder": runtime.embedder.id if runtime.embedder else "none"}
        build = Gauge("stemma_build", "What runs here; always 1", list(told), registry=self._registry)
        build.labels(**told).set(1)

    def began(self) -> None:
        """Count a request that is under way."""
        self._answers.under_way.inc()

    def answered(self, operation: str, status: int, seconds: float) -> None:
        """Count the answer of a request that was under way."""
        self._answers.under_way.dec()
        self._answers.count(operation, status, seconds)

    @contextmanager
    def watch(self, step: Step) -> Iterator[None]:
        """Count a step at its end."""
        try:
            yield
        finally:
            self._work.count(step)

    def staged(self, stages: Sequence[StageRecord]) -> None:
        """Count how long stages took."""
        self._work.count_stages(stages)

    def close(self) -> None:
        """Nothing waits: figures are fetched."""

    def written(self, accept: str) -> tuple[bytes, str]:
        """Write all figures, and say in which form: Prometheus' own, or OpenMetrics where it is asked for."""
        encode, media_type = choose_encoder(accept)
        return encode(self._registry), media_type


class Answers:
    """What is counted at the door."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register its figures."""
        self.under_way = Gauge("stemma_http_requests_in_progress", "Requests under way", registry=registry)
        self._requests = Counter(
            "stemma_http_requests", "Answers by operation and status", ["operation", "status"], registry=registry
        )
        self._seconds = Histogram(
            "stemma_http_request_seconds",
            "Time to the end of an answer",
            ["operation"],
            buckets=_REQUEST_SECONDS,
            registry=registry,
        )
        self._limited = Counter(
            "stemma_rate_limited_requests", "Requests over the limit of their key", registry=registry
        )

    def count(self, operation: str, status: int, seconds: float) -> None:
        """Count one answer."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)
        if status == _TOO_MANY:
            self._limited.inc()


class Work:
    """What is counted of the work behind every door."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register its figures."""
        self._stages = Histogram(
            "stemma_stage_seconds",
            "Time in each stage of a recall or bundle",
            ["stage"],
            buckets=_STAGE_SECONDS,
            registry=registry,
        )
        for name in STAGES:
            self._stages.labels(name)
        self._compiles = Counter(
            "stemma_compiles", "Compiles of one subject by outcome", ["outcome"], registry=registry
        )
        self._compile_seconds = Histogram(
            "stemma_compile_seconds", "Time of compiling one subject", buckets=_COMPILE_SECONDS, registry=registry
        )
        self._compiled = Counter("stemma_compiled", "What compiles made, by what it is", ["what"], registry=registry)
        self._model_seconds = Histogram(
            "stemma_model_call_seconds",
            "Time of a model's call",
            ["operation", "outcome"],
            buckets=_MODEL_SECONDS,
            registry=registry,
        )
        self._tokens = Counter("stemma_model_tokens", "Tokens of chat models", ["direction"], registry=registry)

    def count(self, step: Step) -> None:
        """Count one step."""
        outcome = "ok" if step.error is None else "error"
        if step.name == COMPILE:
            self._compiles.labels(outcome).inc()
            self._compile_seconds.observe(step.seconds)
            for name, count in step.facts.items():
                if not isinstance(count, str):
                    self._compiled.labels(name.removeprefix("stemma.")).inc(count)
        elif step.name in {CHAT, EMBEDDINGS}:
            self._model_seconds.labels(step.name, outcome).observe(step.seconds)
            for direction, name in _TOKENS.items():
                if isinstance(tokens := step.facts.get(name), int):
                    self._tokens.labels(direction).inc(tokens)

    def count_stages(self, stages: Sequence[StageRecord]) -> None:
        """Count how long each stage took."""
        for one in stages:
            self._stages.labels(one.name).observe(one.ms / 1000)


class _Present(Collector):
    """What is looked up when it is asked for."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._backlog = Backlog(runtime)

    def describe(self) -> Iterable[Metric]:
        """Name nothing at registration: the store need not answer by then."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Give the figures as they stand."""
        runtime = self._runtime
        yield CounterMetricFamily(
            "stemma_trace_violations",
            "What did not hold of a trace: entered = left + merged + dropped; must stay 0",
            value=runtime.traces.violations,
        )
        yield CounterMetricFamily(
            "stemma_traces_lost", "Traces dropped because the store took none for too long", value=runtime.traces.lost
        )
        usage = runtime.store.usage()
        connections = GaugeMetricFamily(
            "stemma_store_connections", "Connections to the store by state; `most` is the bound", labels=["state"]
        )
        for state, count in (("in_use", usage.in_use), ("idle", usage.idle), ("most", usage.most)):
            connections.add_metric([state], count)
        yield connections
        yield from self._waiting()

    def _waiting(self) -> Iterator[Metric]:
        waiting = self._backlog.now()
        if waiting is None:
            # Nothing is said rather than something that is not so.
            return
        yield GaugeMetricFamily(
            "stemma_uncompiled_episodes", "Episodes that wait for a compile, of all tenants", value=waiting.uncompiled
        )
        yield GaugeMetricFamily(
            "stemma_outstanding_vectors", "Texts that wait for a vector, of all tenants", value=waiting.outstanding
        )
