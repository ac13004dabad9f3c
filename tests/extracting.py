"""Extraction for tests: the shipped rules, built once, and the shortest way to ask what a text declares."""

from __future__ import annotations

from functools import lru_cache

from stemma.app.registry_files import load_registry, load_rules
from stemma.core.extract import Extractor, extract, extractor_version
from stemma.core.gate import Similarity
from stemma.records import Candidate, Content, Extraction, Message, Registry, Remember, SaidBy, StatedClaim


@lru_cache(maxsize=1)
def shipped() -> Extractor:
    """Build the shipped extractor without an embedder."""
    rules, registry = load_rules(), load_registry()
    return Extractor(extractor_version(rules, registry, None), rules, registry)


def judged_by(similarity: Similarity) -> Extractor:
    """Build an extractor with a similarity of its own."""
    plain = shipped()
    version = extractor_version(plain.rules, plain.registry, "test@1")
    return Extractor(version, plain.rules, plain.registry, similarity)


def registry() -> Registry:
    """Give the shipped registry."""
    return shipped().registry


def read(text: str, speaker: str | None = None, said_by: SaidBy = SaidBy.USER) -> Extraction:
    """Extract a text."""
    return extract(Content(text=text), extractor=shipped(), speaker=speaker, said_by=said_by)


def read_turns(*turns: tuple[str, str] | tuple[str, str, str], speaker: str | None = None) -> Extraction:
    """Extract chat turns (role, text, name)."""
    messages = tuple(Message(*turn) for turn in turns)
    return extract(Content(messages=messages), extractor=shipped(), speaker=speaker)


def read_claims(*claims: StatedClaim, text: str | None = None) -> Extraction:
    """Extract structured claims, with prose beside them."""
    return extract(Content(text=text, claims=claims), extractor=shipped())


def remember(text: str, kind: str | None = None, importance: float | None = None) -> Candidate:
    """Give the one candidate of an explicit remember."""
    extraction = extract(Content(text=text, remember=Remember(kind, importance)), extractor=shipped())
    (candidate,) = extraction.candidates
    return candidate


def declared(text: str) -> Candidate:
    """Give the one candidate of a text that declares one thing."""
    (candidate,) = read(text).candidates
    return candidate


def summary(candidate: Candidate) -> tuple[str, str, str | None, str, str]:
    """Give what a table of expectations states: act, kind, claim key, value, polarity."""
    return (candidate.act.value, candidate.kind, candidate.claim_key, candidate.value, candidate.polarity.value)


def reasons(extraction: Extraction) -> list[str]:
    """Give the reasons of every refusal, in order."""
    return [record.reason for record in extraction.gates if not record.passed]
