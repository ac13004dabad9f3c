"""The rows of the operation table for traces: how an answer came about, and why something is in it or not."""

from __future__ import annotations

from typing import Final

from stemma.app import models_traces, trace_views
from stemma.app.operation import Command, Operation, Scope

TRACES: Final[tuple[Operation, ...]] = (
    Operation(
        name="get_trace",
        method="GET",
        path="/v1/traces/{trace_id}",
        request=models_traces.TraceById,
        answer=models_traces.TraceView,
        function=trace_views.get_trace,
        scope=Scope.READ,
        example={"trace_id": "7f3a"},
        command=Command("trace", ("trace_id",), "stemma trace 7f3a… --why 91c0…"),
    ),
    Operation(
        name="why",
        method="GET",
        path="/v1/traces/{trace_id}/why",
        request=models_traces.WhyRequest,
        answer=models_traces.WhyView,
        function=trace_views.why,
        scope=Scope.READ,
        example={"trace_id": "7f3a", "memory_id": "91c0"},
        command=Command("why", ("trace_id", "memory_id"), "stemma why 7f3a… 91c0…"),
    ),
    Operation(
        name="diff_traces",
        method="GET",
        path="/v1/traces/{trace_id}/diff",
        request=models_traces.DiffRequest,
        answer=models_traces.TraceDiff,
        function=trace_views.diff_traces,
        scope=Scope.READ,
        example={"trace_id": "7f3a", "other": "c41d"},
        command=Command("diff", ("trace_id", "other"), "stemma diff 7f3a… c41d…"),
    ),
)
