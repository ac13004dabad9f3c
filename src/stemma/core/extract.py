"""Content to extraction: structured claims, one explicit memory, or declarations found in text and messages. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from stemma.core import structured
from stemma.core.analyse import ANALYSER_VERSION
from stemma.core.candidates import Source
from stemma.core.claims import ASSISTANT, OWN, named_voice
from stemma.core.folding import fold
from stemma.core.gate import MOST_CANDIDATES, MOST_RECORDS, Reason, Similarity, gate_of
from stemma.core.passage import Passage, Step, steps_of
from stemma.core.remember import remembered
from stemma.core.rules import Rules, function_words
from stemma.records import Candidate, Content, Extraction, GateRecord, Message, Registry, SaidBy
from stemma.text import hash_parts

CODE_VERSION = "heuristic-5"
NO_EMBEDDER = "no_embedder"
_ROLES = {"system": Reason.SYSTEM, "developer": Reason.SYSTEM, "tool": Reason.TOOL, "function": Reason.TOOL}


@dataclass(frozen=True, slots=True)
class Extractor:
    """Everything an extraction depends on beside the content: one version, one result.

    `similarity(text, kind)` is calibrated similarity to the kind's prototypes; without it that step is skipped and
    recorded `no_embedder`. `thresholds` are those of its embedder, by kind; one that is not named has the default.
    """

    version: str
    rules: Rules
    registry: Registry
    similarity: Similarity | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)


def extractor_version(rules: Rules, registry: Registry, embedder_id: str | None) -> str:
    """Name what an extraction depends on: code, analyser, gate and kind tables, embedder or `no_embedder`.

    Of the registry only what an extraction reads is in it: the names of the kinds, the kind of each claim key, and the
    embedder's thresholds.
    """
    kinds = [f"kind {name}" for name in sorted(registry.kinds)]
    keys = [f"key {name} {key.kind}" for name, key in sorted(registry.claim_keys.items())]
    thresholds = registry.thresholds.get(embedder_id, {}) if embedder_id is not None else {}
    from_which = [f"threshold {name} {value!r}" for name, value in sorted(thresholds.items())]
    digest = hash_parts(rules.digest, *kinds, *keys, *from_which)[:12]
    return f"{CODE_VERSION}+{ANALYSER_VERSION}+g{digest}+{embedder_id or NO_EMBEDDER}"


def extract(
    content: Content, *, extractor: Extractor, speaker: str | None = None, said_by: SaidBy = SaidBy.USER
) -> Extraction:
    """Extract the candidates of one content, with a gate record for every clause that was judged.

    Claims in the payload rule out any reading of the prose beside them. `speaker` is the episode's: a message of a user
    with another name speaks for that name.
    """
    if content.claims:
        stated, flags = structured.candidates_of(content.claims, extractor.registry, extractor.rules)
        return Extraction(extractor.version, tuple(stated), tuple(flags))
    if content.remember is not None:
        candidate, record = remembered(content, extractor.rules, extractor.registry)
        return Extraction(extractor.version, (candidate,) if candidate else (), (record,))
    found: list[Candidate] = []
    records: list[GateRecord] = []
    for step in _steps(content, extractor, speaker, said_by):
        candidate = step.candidate
        if len(records) >= MOST_RECORDS:
            records.append(_rest(step.record, content))
            break
        if candidate is not None and len(found) >= MOST_CANDIDATES:
            records.append(
                replace(step.record, gate=gate_of(Reason.TOO_MANY), passed=False, reason=Reason.TOO_MANY.value)
            )
            continue
        records.append(step.record)
        if candidate is not None:
            found.append(replace(candidate, place=len(found)))
    return Extraction(extractor.version, tuple(found), tuple(records))


def _rest(record: GateRecord, content: Content) -> GateRecord:
    """Give one record for all that was not judged any more: from the clause at hand to the end of its text."""
    text = content.text if record.message is None else content.messages[record.message].content
    reason = Reason.TOO_MANY
    return GateRecord(gate_of(reason), False, reason.value, record.start, len(text or ""), message=record.message)


def _steps(content: Content, extractor: Extractor, speaker: str | None, said_by: SaidBy) -> Iterator[Step]:
    if content.text is not None:
        # An agent's "I" is the agent; what it reports of the user or the world is told to the user's memory.
        own = ASSISTANT if said_by is SaidBy.AGENT else OWN
        yield from steps_of(_passage(content.text, None, OWN, own, extractor))
    several = _names(content.messages)
    for at, message in enumerate(content.messages):
        reason = _ROLES.get(message.role.lower())
        if reason is not None:
            record = GateRecord(gate_of(reason), False, reason.value, 0, len(message.content), message=at)
            yield Step(None, record)
            continue
        voice = _voice(message, speaker, several)
        yield from steps_of(_passage(message.content, at, voice, voice, extractor))


def _passage(text: str, message: int | None, voice: str, own_voice: str, extractor: Extractor) -> Passage:
    source = Source(text, message, voice)
    return Passage(source, own_voice, extractor.rules, extractor.similarity, extractor.thresholds)


def _names(messages: tuple[Message, ...]) -> frozenset[str]:
    return frozenset(fold(message.name) for message in messages if message.name and message.role.lower() == "user")


def _voice(message: Message, speaker: str | None, names: frozenset[str]) -> str:
    """Say whose words a message is: every role but the user's speaks for itself, and so does another named person.

    Without a speaker of the episode one name throughout is the user; of several, each is somebody.
    """
    if message.role.lower() != "user":
        return ASSISTANT
    if message.name is None:
        return OWN
    name = fold(message.name)
    if (speaker is not None and name == fold(speaker)) or (speaker is None and len(names) == 1):
        return OWN
    return named_voice(name)


__all__ = ["Extractor", "Rules", "Similarity", "extract", "extractor_version", "function_words"]
