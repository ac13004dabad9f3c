"""What a server does beside answering, for every tenant: compile, make vectors, write counters and traces, prune."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Final

import structlog
from starlette.concurrency import run_in_threadpool

from stemma.app import embed, sessions
from stemma.app.compile import Tally, compile_subject, subjects_with_news
from stemma.app.runtime import Runtime
from stemma.edges.logs import raised_at
from stemma.edges.rounds import PUT_OFF_SECONDS, Round
from stemma.errors import StemmaError

# Few at a time: a server that ends waits for those at hand.
VECTORS_AT_ONCE: Final = 8
VECTOR_REST_SECONDS: Final = 1.0
USES_REST_SECONDS: Final = 5.0
PRUNE_REST_SECONDS: Final = 3_600.0
# A look at thousands of tenants that found nothing rests longer than it took, so that idle servers stay idle.
REST_FOR_EACH_SECOND: Final = 20.0
LONGEST_REST_SECONDS: Final = 60.0

_log = structlog.get_logger("stemma.background")


@dataclass(frozen=True, slots=True)
class Chore:
    """Something done again and again: `work` says how much it did; after nothing it rests for `rest_seconds`."""

    name: str
    work: Callable[[], int]
    rest_seconds: float
    pause_seconds: float = 0.0
    # Set at the end, so that a long piece of work ends with the step at hand.
    ending: Event = field(default_factory=Event)


def chores(runtime: Runtime, *, compile_every_seconds: float) -> list[Chore]:
    """List what there is to do for the tenants; `compile_every_seconds` 0 leaves compiling to callers."""
    ending = Event()
    found = [
        Chore("uses", partial(runtime.uses.write, runtime.store), USES_REST_SECONDS, USES_REST_SECONDS),
        Chore("traces", partial(runtime.traces.write, runtime.store), USES_REST_SECONDS, USES_REST_SECONDS),
        Chore("keys", partial(runtime.key_uses.write, runtime.store), USES_REST_SECONDS, USES_REST_SECONDS),
        _round("old_traces", runtime, Runtime.traces_pruned, ending, (PRUNE_REST_SECONDS, PRUNE_REST_SECONDS)),
        _round("old_sessions", runtime, sessions.prune, ending, (PRUNE_REST_SECONDS, PRUNE_REST_SECONDS)),
    ]
    if runtime.embedder is not None:
        fill = partial(embed.fill, limit=VECTORS_AT_ONCE)
        found.append(_round("vectors", runtime, fill, ending, (VECTOR_REST_SECONDS, 0.0)))
    if compile_every_seconds:
        every = compile_every_seconds
        found.append(_round("compile", runtime, partial(_compile, ending), ending, (every, every)))
    return found


def _round(
    name: str, runtime: Runtime, work: Callable[[Runtime, str], int], ending: Event, seconds: tuple[float, float]
) -> Chore:
    rest, pause = seconds
    return Chore(name, Round(name, runtime, work, ending.is_set), rest, pause, ending)


@contextlib.asynccontextmanager
async def running(todo: list[Chore]) -> AsyncIterator[None]:
    """Do the chores for the length of the block; the step under way at its end is finished, and no other begun."""
    tasks = [asyncio.create_task(_repeat(one), name=one.name) for one in todo]
    for task in tasks:
        task.add_done_callback(_tell_end)
    try:
        yield
    finally:
        for one in todo:
            one.ending.set()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def rest_after(chore: Chore, *, done: int, took_seconds: float) -> float:
    """Return the seconds to wait after a round: little where there was something to do, else at least its rest."""
    if done:
        return chore.pause_seconds
    return max(chore.rest_seconds, min(took_seconds * REST_FOR_EACH_SECOND, LONGEST_REST_SECONDS))


async def _repeat(chore: Chore) -> None:
    while True:
        started = time.monotonic()
        try:
            done = await run_in_threadpool(chore.work)
        except StemmaError as error:
            # What was to be done is still marked as to be done, so it is only put off.
            _log.warning("put_off", chore=chore.name, code=error.code, retryable=error.retryable)
            await asyncio.sleep(PUT_OFF_SECONDS)
        else:
            await asyncio.sleep(rest_after(chore, done=done, took_seconds=time.monotonic() - started))


def _tell_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("chore_ended", chore=task.get_name(), error=type(error).__name__, raised_at=raised_at(error))


def _compile(ending: Event, runtime: Runtime, tenant: str) -> int:
    made = Tally()
    for subject in subjects_with_news(runtime, tenant):
        if ending.is_set():
            break
        made.add(compile_subject(runtime, tenant, subject, is_over=ending.is_set))
    if made.episodes:
        _log.info("compiled", episodes=made.episodes, created=made.counts.created)
    return made.episodes
