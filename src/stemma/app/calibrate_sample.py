"""Candidates of the own store to label blind: what the gates accepted as a kind and what they refused, shuffled."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from stemma.app.models_calibrate import BlindLine, SampleRequest, SampleResult
from stemma.app.runtime import Runtime, require_kinds
from stemma.core import codec
from stemma.core.gate import Reason
from stemma.record_json import decode
from stemma.records import Content, GateRecord
from stemma.store import episodes, log, registry
from stemma.store.transaction import Transaction
from stemma.text import hash_parts

EPISODES_AT_ONCE = 500
SUBJECTS_AT_ONCE = 500
# What was never the user's own words, or was not judged at all, is nothing to ask a person about.
_NOT_SAID = frozenset({Reason.DELIVERED, Reason.SYSTEM, Reason.TOOL, Reason.CODE, Reason.TOO_MANY, Reason.TOO_LONG})


@dataclass(slots=True)
class _Drawn:
    """A sample of at most `most` of all that came by, each with the same chance."""

    most: int
    seen: int = 0
    kept: list[BlindLine] = field(default_factory=list)

    def offer(self, line: BlindLine, chance: random.Random) -> None:
        self.seen += 1
        if len(self.kept) < self.most:
            self.kept.append(line)
        elif (place := chance.randrange(self.seen)) < self.most:
            self.kept[place] = line


def sample(runtime: Runtime, tenant: str, request: SampleRequest) -> SampleResult:
    """Draw candidates by their gate records, as the present extractor judged them; nothing is written.

    Half are accepted as the kind and half refused, as far as there are so many; neither the text, the order nor the id
    of a line says which. Raises UnknownKind for a kind that is not registered.
    """
    require_kinds(runtime, [request.kind])
    chance = random.Random(request.seed)
    accepted, refused = _Drawn((request.size + 1) // 2), _Drawn(request.size // 2)
    version = runtime.store.run(tenant, lambda t: runtime.registered(t)[1].version, read_only=True)
    with runtime.store.transaction(tenant, read_only=True) as t:
        for line, passed in _candidates(t, version, request):
            (accepted if passed else refused).offer(line, chance)
    # An id is a hash, so their order says nothing either.
    lines = sorted([*accepted.kept, *refused.kept], key=lambda each: each.id)
    return SampleResult(
        kind=request.kind,
        extractor=version,
        accepted=len(accepted.kept),
        refused=len(refused.kept),
        of_accepted=accepted.seen,
        of_refused=refused.seen,
        lines=tuple(lines),
    )


def _candidates(t: Transaction, version: str, request: SampleRequest) -> Iterator[tuple[BlindLine, bool]]:
    for subject in _subjects(t):
        after: tuple[datetime, str] | None = None
        while heads := episodes.of_subject(t, subject, after=after, limit=EPISODES_AT_ONCE):
            ids = [head["episode_id"] for head in heads]
            yield from _judged(t, version, subject, ids, request)
            after = heads[-1]["recorded_at"], heads[-1]["episode_id"]


def _subjects(t: Transaction) -> Iterator[str]:
    after = ""
    while page := registry.subjects_page(t, after=after, limit=SUBJECTS_AT_ONCE):
        yield from (name for name, _ in page)
        after = page[-1][0]


def _judged(
    t: Transaction, version: str, subject: str, ids: list[str], request: SampleRequest
) -> Iterator[tuple[BlindLine, bool]]:
    """Yield every candidate of some episodes that asks for the kind, or that no gate gave a kind."""
    bodies = log.extractions(t, ids, version)
    said: dict[tuple[str, str], datetime] = {}
    for row in episodes.sayings_of(t, ids):
        name = row["episode_id"], row["content_hash"]
        said[name] = max(said.get(name, row["occurred_at"]), row["occurred_at"])
    for row in episodes.revisions_of(t, ids):
        name = row["episode_id"], row["content_hash"]
        if name not in bodies:
            continue
        content = decode(Content, row["content"])
        if content.remember is not None:
            # An explicit remember passes no gate.
            continue
        for gate in _asked(codec.from_json(bodies[name]).gates, request.kind):
            words = _words(content, gate)
            if words:
                key = hash_parts("sample", str(request.seed), *name, str(gate.message), str(gate.start), str(gate.end))
                line = BlindLine(id=key[:16], kind=request.kind, text=words, at=said.get(name), subject=subject)
                yield line, gate.passed


def _asked(gates: Iterable[GateRecord], kind: str) -> list[GateRecord]:
    return [
        each
        for each in gates
        if each.reason not in _NOT_SAID and (each.kind == kind or (each.kind is None and not each.passed))
    ]


def _words(content: Content, gate: GateRecord) -> str:
    text = content.text if gate.message is None else content.messages[gate.message].content
    return (text or "")[gate.start : gate.end].strip()
