"""The use case of `stress`: grow a copy of a store with near distractors and ask the golden set at each size (R-48)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from stemma.app import embed
from stemma.app.acts import forget_memory
from stemma.app.compile import compile_memories
from stemma.app.evaluate_files import Probes, refuse
from stemma.app.evaluate_holdings import Holdings, holdings_of, unknown_evidence
from stemma.app.evaluate_report import reasons_of
from stemma.app.evaluate_run import run_probe
from stemma.app.ingest import add_episodes
from stemma.app.models_episodes import AddEpisodes
from stemma.app.models_memories import CompileRequest, ForgetRequest, Memory
from stemma.app.models_registry import PutSource
from stemma.app.models_stress import AnchorGrowth, SizeLine, StressReport
from stemma.app.registry import put_source
from stemma.app.runtime import Runtime
from stemma.app.stress_forecast import Outlook, outlook
from stemma.core.analyse import language_of
from stemma.core.golden import figures
from stemma.core.golden.distractors import SOURCE, Distractor, Told, Words, distractors, words_of
from stemma.core.golden.judged import Judged
from stemma.core.golden.probe import Probe
from stemma.errors import InvalidInput

MEMORIES_MOST: Final = 100_000
BATCH: Final = 500
# The forecast counts only where it was so near the run.
TRUSTED_WITHIN: Final = 0.03
# Some distractors are no declaration, or another's restatement; so often is the rest sent after.
ROUNDS: Final = 4

Advance = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StressRequest:
    """Which probes are asked at which sizes; `factors` are times the present size, growing, the first of them 1."""

    probes: Probes
    factors: tuple[float, ...] = (1, 3, 10, 30)
    seed: int = 7

    def __post_init__(self) -> None:
        """Refuse factors that do not grow from 1."""
        if not self.factors or self.factors[0] != 1 or list(self.factors) != sorted(set(self.factors)):
            raise InvalidInput("factors start with 1 and grow, for example 1,3,10,30", field="factor")


@dataclass(slots=True)
class _Growth:
    """A copy while it grows: what it is made larger with, how many distractors it was sent, and which."""

    runtime: Runtime
    tenant: str
    request: StressRequest
    words: Words
    named: frozenset[tuple[str, str]]
    first: int
    advance: Advance
    sent: int = 0
    freed: int = 0
    mixes: Counter[str] = field(default_factory=Counter)


def stress(runtime: Runtime, tenant: str, request: StressRequest, *, advance: Advance | None = None) -> StressReport:
    """Grow the opened store itself, size by size, and ask every probe at each; give it a copy that is thrown away.

    `advance` is told (step, done, of). Raises InvalidInput for evidence that the store does not hold, and for a size
    over `MEMORIES_MOST`.
    """
    probes = request.probes.items
    subjects = sorted({each.subject_id for each in probes})
    holdings = holdings_of(runtime, tenant, subjects)
    refuse(unknown_evidence(probes, holdings), "probe")
    if holdings.active * request.factors[-1] > MEMORIES_MOST:
        raise InvalidInput(
            f"{holdings.active} memories {request.factors[-1]:g} times are more than {MEMORIES_MOST}", field="factor"
        )
    named = _named(probes)
    growth = _Growth(
        runtime, tenant, request, _words(holdings, named), named, holdings.active, advance or (lambda *_: None)
    )
    put_source(runtime, tenant, PutSource(name=SOURCE))
    runs: list[list[Judged]] = []
    lines: list[SizeLine] = []
    ahead: Outlook | None = None
    for factor in request.factors:
        holdings = _grow(growth, factor, holdings, subjects)
        judged, took_ms = _asked(growth, holdings)
        ahead = ahead or outlook(runtime, tenant, judged, holdings)
        runs.append(judged)
        lines.append(_line(growth, factor, holdings, judged, took_ms, ahead))
    errors = [error for each in lines if (error := _error(each)) is not None]
    return StressReport(
        probes=len(probes),
        probes_sha256=request.probes.sha256,
        seed=request.seed,
        embedder=runtime.embedder.id if runtime.embedder else None,
        room=ahead.room if ahead else 0,
        sizes=tuple(lines),
        forecast_error=round(max(errors), figures.DIGITS) if errors else None,
        is_forecast_trusted=bool(errors) and max(errors) <= TRUSTED_WITHIN,
        anchors=tuple(_anchors(request.factors, runs)),
    )


def _error(line: SizeLine) -> float | None:
    if line.anchor_recall is None or line.forecast is None:
        return None
    return abs(line.anchor_recall - line.forecast)


def _named(probes: Sequence[Probe]) -> frozenset[tuple[str, str]]:
    """Return the subjects and keys of all evidence that probes name."""
    return frozenset(
        (probe.subject_id, key)
        for probe in probes
        for key in (*probe.about, *(each.evidence.key for each in probe.forbidden))
    )


def _words(holdings: Holdings, named: frozenset[tuple[str, str]]) -> Words:
    told = []
    for memory in holdings.memories.values():
        if memory.status.value == "active" and memory.voice == "own":
            is_anchor = any((memory.subject_id, saying.key) in named for saying in memory.episodes)
            language = language_of(memory.text)
            told.append(Told(memory.subject_id, memory.text, memory.last_said_at, language, is_anchor))
    return words_of(told)


def _grow(growth: _Growth, factor: float, holdings: Holdings, subjects: Sequence[str]) -> Holdings:
    """Send distractors until so many times the first size stands, as far as `ROUNDS` rounds bring it."""
    wanted = round(growth.first * factor)
    for _ in range(ROUNDS):
        missing = wanted - holdings.active
        if missing <= 0:
            break
        made = distractors(growth.words, missing, seed=growth.request.seed, start=growth.sent)
        growth.sent += len(made)
        growth.mixes.update(each.mix.value for each in made)
        _send(growth, made)
        holdings = _freed(growth, holdings_of(growth.runtime, growth.tenant, subjects), subjects)
    return holdings


def _freed(growth: _Growth, holdings: Holdings, subjects: Sequence[str]) -> Holdings:
    """Forget the distractors that replaced what probes name, so that it stands as it did before the growth."""
    for _ in range(ROUNDS):
        over = {
            memory.superseded_by
            for subject, key in growth.named
            for memory in holdings.resting_on(subject, key)
            if memory.superseded_by is not None and _is_synthetic(holdings.memories.get(memory.superseded_by))
        }
        if not over:
            break
        for name in sorted(over):
            forget_memory(growth.runtime, growth.tenant, ForgetRequest(memory_id=name, by=SOURCE))
        growth.freed += len(over)
        holdings = holdings_of(growth.runtime, growth.tenant, subjects)
    return holdings


def _is_synthetic(memory: Memory | None) -> bool:
    return memory is not None and all(saying.source == SOURCE for saying in memory.episodes)


def _send(growth: _Growth, made: Sequence[Distractor]) -> None:
    runtime, tenant = growth.runtime, growth.tenant
    for start in range(0, len(made), BATCH):
        part = made[start : start + BATCH]
        add_episodes(runtime, tenant, AddEpisodes(episodes=[_episode(each) for each in part]))
        growth.advance("distractors", start + len(part), len(made))
    compile_memories(runtime, tenant, CompileRequest(), wait_for_vectors=False)
    done = 0
    while count := embed.fill(runtime, tenant, limit=BATCH):
        done += count
        growth.advance("vectors", done, done)


def _episode(made: Distractor) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "subject_id": made.subject_id,
        "key": made.key,
        "source": SOURCE,
        "occurred_at": made.occurred_at,
        "metadata": {"mix": made.mix.value},
    }
    if made.role == "user":
        return {**fields, "text": made.text}
    return {**fields, "messages": [{"role": made.role, "content": made.text}]}


def _asked(growth: _Growth, holdings: Holdings) -> tuple[list[Judged], list[float]]:
    judged, took_ms = [], []
    probes = growth.request.probes.items
    at = growth.runtime.now()
    for number, probe in enumerate(probes, start=1):
        began = time.perf_counter()
        judged.append(run_probe(growth.runtime, growth.tenant, probe, holdings, at=at))
        took_ms.append((time.perf_counter() - began) * 1_000)
        growth.advance("probes", number, len(probes))
    return judged, took_ms


def _line(
    growth: _Growth,
    factor: float,
    holdings: Holdings,
    judged: Sequence[Judged],
    took_ms: Sequence[float],
    ahead: Outlook,
) -> SizeLine:
    found = figures.measure(judged)
    return SizeLine(
        factor=factor,
        memories=holdings.active,
        distractors=dict(sorted(growth.mixes.items())),
        forgotten=growth.freed,
        anchor_recall=found["anchor_recall"],
        forecast=ahead.recall_at(holdings.active / growth.first),
        must_survive_lost=int(found["must_survive_lost"] or 0),
        anchors_within_rank=found["anchors_within_rank"],
        mean_reciprocal_rank=found["mean_reciprocal_rank"],
        rank_p50=found["rank_p50"],
        rank_p95=found["rank_p95"],
        off_topic_items=found["off_topic_items"],
        echo_index=found["echo_index"],
        false_abstention=found["false_abstention"],
        abstention_recall=found["abstention_recall"],
        losses=figures.losses(judged),
        reasons=reasons_of(judged),
        ms_p50=round(figures.percentile(took_ms, 0.50) or 0.0, 1),
        ms_p95=round(figures.percentile(took_ms, 0.95) or 0.0, 1),
    )


def _anchors(factors: Sequence[float], runs: Sequence[Sequence[Judged]]) -> list[AnchorGrowth]:
    found = []
    for same in zip(*runs, strict=True):
        for place in range(len(same[0].places)):
            seen = [judged.places[place] for judged in same]
            gone = next((number for number, each in enumerate(seen) if each.rank is None), None)
            found.append(
                AnchorGrowth(
                    probe=same[0].probe.id,
                    key=seen[0].anchor.key,
                    ranks=tuple(each.rank for each in seen),
                    lost_at=None if gone is None else factors[gone],
                    stage=None if gone is None else seen[gone].stage,
                    reason=None if gone is None else seen[gone].reason,
                )
            )
    return found
