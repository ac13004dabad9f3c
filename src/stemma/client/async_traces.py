"""The traces' part of the async client: a method for each row of the table that speaks of them."""

# `scripts/async-client` wrote this from app/stemma_traces.py; edit that one.

from __future__ import annotations

from stemma.app import models_traces as wire
from stemma.app.models_figures import DAYS_DEFAULT, Figures
from stemma.client.async_asking import AsyncAsking
from stemma.core.figures_over_time import HUB_SHARE


class AsyncTracesFace(AsyncAsking):
    """How answers came about."""

    async def get_trace(self, trace_id: str) -> wire.TraceView:
        """Read how an answer came about, stage by stage."""
        return await self._run("get_trace", wire.TraceView, {"trace_id": trace_id})

    async def why(self, trace_id: str, memory_id: str) -> wire.WhyView:
        """Say why a memory, a passage or an episode is in an answer, or why not."""
        return await self._run("why", wire.WhyView, {"trace_id": trace_id, "memory_id": memory_id})

    async def diff_traces(self, trace_id: str, other: str) -> wire.TraceDiff:
        """Say what differs between two answers."""
        return await self._run("diff_traces", wire.TraceDiff, {"trace_id": trace_id, "other": other})

    async def figures(
        self, *, subject_id: str | None = None, days: int = DAYS_DEFAULT, hub_share: float = HUB_SHARE
    ) -> Figures:
        """Count day by day how memories were founded, judged and given; of one subject, or of all."""
        return await self._run("figures", Figures, {"subject_id": subject_id, "days": days, "hub_share": hub_share})
