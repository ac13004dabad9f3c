"""The use case of compile: extract what is new, derive it and apply it (SPEC R-30).

A few contents are extracted in the transaction that derives them; more, or what a model is asked about, before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

from stemma.app import derivation, embed
from stemma.app.derivation import Extracted, MissingError
from stemma.app.models_memories import CompileRequest, CompileResult
from stemma.app.observing import COMPILE
from stemma.app.runtime import Runtime
from stemma.core import codec
from stemma.core.extract import Extractor, extract
from stemma.core.plan import Counts
from stemma.errors import StemmaError
from stemma.records import Content, Extraction, GateRecord, LogEpisode
from stemma.store import log
from stemma.store.transaction import Transaction

GROUPS_AT_ONCE = 2_000
# So many contents take some tens of milliseconds, less than to read everything once before the lock and once behind it.
FEW = 16
SUBJECTS_AT_ONCE = 500
# A compile waits for the vectors of its first new memories, so that what was just said is found by meaning too.
VECTORS_AT_ONCE = 32
VECTOR_SECONDS = 3.0
# About a second of the default model.
VECTOR_CHARACTERS = 2_000
EMPTY_HASH = "0" * 64


@dataclass(slots=True)
class Tally:
    """What one compile did to one subject, added up over its steps."""

    counts: Counts = field(default_factory=Counts)
    episodes: int = 0
    parked: int = 0
    state_hash: str = EMPTY_HASH

    def add(self, other: Tally) -> None:
        """Take in what came later."""
        summed = {
            each.name: getattr(self.counts, each.name) + getattr(other.counts, each.name) for each in fields(Counts)
        }
        self.counts = Counts(**summed)
        self.episodes += other.episodes
        self.parked += other.parked
        self.state_hash = other.state_hash


def compile_memories(
    runtime: Runtime, tenant: str, request: CompileRequest, *, wait_for_vectors: bool = True
) -> CompileResult:
    """Derive one subject, or every subject with something new; a second compile changes nothing.

    It then waits, for a bounded time, for the vectors of the first new memories.
    """
    total = Tally()
    if request.subject_id is not None:
        total = compile_subject(runtime, tenant, request.subject_id)
    else:
        for subject in subjects_with_news(runtime, tenant):
            total.add(compile_subject(runtime, tenant, subject))
    if wait_for_vectors and total.counts.created:
        first_vectors(runtime, tenant)
    return _result(total, one=request.subject_id is not None)


def first_vectors(runtime: Runtime, tenant: str) -> None:
    """Make the vectors of the first new memories, a few at a time, as long as patience lasts; the rest come later.

    So do those of what cannot be cut into passages: patience is asked between texts, not within one.
    """
    until = time.monotonic() + VECTOR_SECONDS
    made = 0
    while made < VECTORS_AT_ONCE and time.monotonic() < until:
        new = embed.fill(runtime, tenant, limit=4, longest=VECTOR_CHARACTERS)
        if not new:
            return
        made += new


def subjects_with_news(runtime: Runtime, tenant: str) -> list[str]:
    """Return every subject of a tenant that has something no compile has seen."""

    def page(after: str) -> list[str]:
        def read(t: Transaction) -> list[str]:
            version = runtime.registered(t)[1].version
            return log.subjects_with_news(t, version, after, SUBJECTS_AT_ONCE)

        return runtime.store.run(tenant, read, read_only=True)

    found: list[str] = []
    while listed := page(found[-1] if found else ""):
        found.extend(listed)
    return found


def compile_subject(
    runtime: Runtime, tenant: str, subject: str, *, is_over: Callable[[], bool] = lambda: False
) -> Tally:
    """Derive what is new in one subject, in steps of some thousand episodes, each one transaction.

    Once `is_over` says so no further step is begun; what is left is still marked as new.
    """
    with runtime.observers.step(COMPILE) as step:
        total = _compiled(runtime, tenant, subject, is_over)
        step.tell(**{f"stemma.{name}": count for name, count in _counted(total).items()})
    return total


def _compiled(runtime: Runtime, tenant: str, subject: str, is_over: Callable[[], bool]) -> Tally:
    total = Tally()
    while not is_over():
        news = runtime.store.run(tenant, lambda t: derivation.news(t, runtime, subject), read_only=True)
        if news is None:
            break
        total.state_hash = news.state_hash.hex()
        if not news.is_there:
            break
        try:
            total.add(_step(runtime, tenant, subject, news))
        except MissingError as many:
            _keep(runtime, tenant, news.extractor.version, _extracted(news.extractor, many.missing))
    return total


def _step(runtime: Runtime, tenant: str, subject: str, news: derivation.News) -> Tally:
    # What is read of extractions is of this extractor: it may not outlive the news that named it.
    extractor, extracted = news.extractor, Extracted()

    def few(t: Transaction, missing: Sequence[derivation.Missing]) -> derivation.Extractions:
        if len(missing) > FEW or extractor.similarity is not None:
            raise MissingError(missing)
        made = _extracted(extractor, missing)
        _put(t, extractor.version, made, runtime.now())
        return {(each.key, content_hash): made[each.episode_id, content_hash] for each, content_hash, _ in missing}

    done = runtime.store.run(
        tenant,
        lambda t: derivation.step(t, news, subject, GROUPS_AT_ONCE, extracted, few, runtime.now()),
        lock=subject,
    )
    return Tally(done.counts, done.episodes, done.parked, done.state_hash.hex())


def _extracted(extractor: Extractor, missing: Sequence[derivation.Missing]) -> dict[tuple[str, str], Extraction]:
    return {
        (each.episode_id, content_hash): extract_content(extractor, each, content)
        for each, content_hash, content in missing
    }


def extract_content(extractor: Extractor, episode: LogEpisode, content: Content) -> Extraction:
    """Extract one content; one that cannot be is parked with its reason, and the rest of the subject goes on."""
    try:
        return extract(
            content,
            extractor=extractor,
            speaker=content.speaker or episode.speaker,
            said_by=content.said_by or episode.said_by,
        )
    except (StemmaError, ValueError, ArithmeticError, LookupError, RecursionError) as error:
        reason = GateRecord(derivation.PARKED_GATE, False, type(error).__name__, 0, 0)
        return Extraction(extractor.version, (), (reason,))


def _keep(runtime: Runtime, tenant: str, version: str, made: Mapping[tuple[str, str], Extraction]) -> None:
    at = runtime.now()
    runtime.store.run(tenant, lambda t: _put(t, version, made, at))


def _put(t: Transaction, version: str, made: Mapping[tuple[str, str], Extraction], at: datetime) -> None:
    bodies = {name: codec.to_json(each) for name, each in made.items()}
    log.put_extractions(t, bodies, extractor=version, recorded_at=at)


def _result(tally: Tally, *, one: bool) -> CompileResult:
    return CompileResult(**_counted(tally), state_hash=tally.state_hash if one else None)


def _counted(tally: Tally) -> dict[str, int]:
    counts = tally.counts
    return {
        "episodes_compiled": tally.episodes,
        "memories_created": counts.created,
        "memories_restated": counts.restated,
        "memories_superseded": counts.superseded,
        "memories_retracted": counts.retracted,
        "memories_reinstated": counts.reinstated,
        "memories_quarantined": counts.quarantined,
        "episodes_parked": tally.parked,
        "conflicts_opened": counts.conflicts_opened,
    }
