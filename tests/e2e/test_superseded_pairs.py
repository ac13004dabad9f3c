"""Fifty values that were replaced: no bundle holds one again, whoever told them (issue 5, R-43, R-45a, R-46)."""

from __future__ import annotations

import re
from typing import Any

from stemma import Stemma

PAIRS = 50
OLD, NEW = 4_000, 7_000


def sentence(place: int, amount: int) -> str:
    """State the limit of one place; every amount stands once in all that is told."""
    return f"The load limit of crane {place} is {amount} kg."


def episodes(amounts: int, at: str) -> list[dict[str, Any]]:
    """Tell every place's amount: by words for the even ones, by a claim for the odd."""
    told: list[dict[str, Any]] = []
    for place in range(PAIRS):
        amount = amounts + place
        one: dict[str, Any] = {"subject_id": "ana", "key": f"{at} {place}", "occurred_at": at}
        if place % 2:
            claim = {"key": f"limit_{place}", "value": f"{amount} kg", "text": sentence(place, amount)}
            told.append(one | {"claims": [claim]})
        else:
            told.append(one | {"text": sentence(place, amount)})
    return told


def test_no_bundle_holds_any_of_fifty_replaced_values(stemma: Stemma) -> None:
    """The nearest rival's bundles held the loser in 17 of 17; the winner answers here, and its former never."""
    for place in range(1, PAIRS, 2):
        stemma.put_claim_key(f"limit_{place}", cardinality="single")
    for amounts, at in ((NEW, "2026-02-20T09:00:00Z"), (OLD, "2026-01-10T09:00:00Z")):
        stemma.add_episodes(episodes(amounts, at))
        stemma.compile_memories("ana")
    held = stemma.list_memories("ana", status="superseded", limit=100).items
    assert sorted(int(re.findall(r"\d{4}", one.text)[0]) for one in held) == list(range(OLD, OLD + PAIRS))
    for place in range(PAIRS):
        for asked in ("What is the load limit of crane {}?", "Is the load limit of crane {} still {} kg?"):
            query = asked.format(place, OLD + place)
            bundle = stemma.bundle(query, subject_id="ana", budget_tokens=8_000)
            amounts = {int(found) for found in re.findall(r"\b\d{4}(?= kg)", bundle.text)}
            assert NEW + place in amounts, query
            assert amounts <= set(range(NEW, NEW + PAIRS)), query
