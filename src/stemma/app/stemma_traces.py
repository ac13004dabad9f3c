"""The traces' part of the Python face: a method for each row of the table that speaks of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from stemma.app import models_traces as wire
from stemma.app.models_base import AnswerModel

Answer = TypeVar("Answer", bound=AnswerModel)


class TracesFace:
    """What `Stemma` says of how its answers came about."""

    def get_trace(self, trace_id: str) -> wire.TraceView:
        """Read how an answer came about, stage by stage."""
        return self._run("get_trace", wire.TraceView, {"trace_id": trace_id})

    def why(self, trace_id: str, memory_id: str) -> wire.WhyView:
        """Say why a memory, a passage or an episode is in an answer, or why not."""
        return self._run("why", wire.WhyView, {"trace_id": trace_id, "memory_id": memory_id})

    def diff_traces(self, trace_id: str, other: str) -> wire.TraceDiff:
        """Say what differs between two answers."""
        return self._run("diff_traces", wire.TraceDiff, {"trace_id": trace_id, "other": other})

    def _run(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        raise NotImplementedError
