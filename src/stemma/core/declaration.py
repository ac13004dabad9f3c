"""What one clause declares, as data: its kind, act, and the words of its value or frame. Finds nothing itself."""

from __future__ import annotations

from dataclasses import dataclass

from stemma.core.tokens import Token
from stemma.records import Act


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared thing: a claim key with the tokens of its value, or the tokens of a frame with its subject's length.

    `keyword` is the word that made it a candidate of its kind; `window` the bounds it takes (both, from, to, none);
    `is_ordered` that the subject is not known, so that the order of all its words is part of what it is.
    """

    name: str
    kind: str
    act: Act
    value: tuple[Token, ...]
    claim_key: str | None = None
    scope: str = ""
    canonical: str | None = None
    frame: tuple[Token, ...] = ()
    subject: int = 0
    keyword: str = ""
    window: str = "both"
    is_ordered: bool = False
