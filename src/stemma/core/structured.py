"""Structured claims of an episode as candidates. Reads no prose: beside claims, text and messages are evidence only."""

from __future__ import annotations

from datetime import datetime

from stemma.core import times
from stemma.core.blood import blood_group
from stemma.core.claims import OWN
from stemma.core.folding import fold
from stemma.core.registry import kind_of_claim
from stemma.core.rules import Rules
from stemma.core.tokens import tokenise
from stemma.core.values import canonical_of, read_values
from stemma.errors import InvalidInterval
from stemma.records import Act, Candidate, GateRecord, Registry, StatedClaim

GATE = "window"


def candidates_of(
    claims: tuple[StatedClaim, ...], registry: Registry, rules: Rules
) -> tuple[list[Candidate], list[GateRecord]]:
    """Turn stated claims into candidates, one each, in their order, with a record for each odd window.

    The span is the whole `text`, since no words were read. A claim with `valid_from` counts at that alone.
    """
    candidates: list[Candidate] = []
    records: list[GateRecord] = []
    for place, claim in enumerate(claims):
        text = claim.text or f"{claim.key}: {claim.value}"
        kind = claim.kind or kind_of_claim(registry, claim.key)
        try:
            flag = times.check_window(claim.valid_from, claim.valid_to)
        except InvalidInterval as error:
            records.append(GateRecord(GATE, False, error.code, 0, len(text), kind=kind))
            continue
        if flag is not None:
            records.append(GateRecord(GATE, True, flag, 0, len(text), kind=kind))
        candidates.append(
            Candidate(
                place=place,
                act=Act.SAY,
                voice=OWN,
                kind=kind,
                value=canonical_value(claim.key, claim.value, rules),
                shown=claim.value,
                text=text,
                start=0,
                end=len(text),
                claim_key=claim.key,
                polarity=claim.polarity,
                valid_from=_moment(claim.valid_from),
                valid_to=_moment(claim.valid_to),
                holds_when_said=claim.valid_from is None,
                confidence=claim.confidence,
                importance=claim.importance,
            )
        )
    return candidates, records


def canonical_value(key: str, value: str, rules: Rules) -> str:
    """Give the form of a stated value that is compared: 2.90% is 2.9%, 1,000 is 1000, Lisbon is lisbon.

    A value is short and speaks for no language by itself: numbers, months and units are read as English writes them
    unless its words say otherwise.
    """
    if key == "blood_group" and (group := blood_group(value)) is not None:
        return group
    tokens = tokenise(value)
    language = rules.language(tokens, value, rules.default) or rules.default
    return canonical_of(read_values(tokens, language)) or " ".join(fold(value).split())


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else times.absolute(moment)
