"""Blood groups as they are written, and their one canonical form. Knows no sentence."""

from __future__ import annotations

import re

_BLOOD = re.compile(
    r"\b(ab|a|b|o|0)\s*(\+|-|−|pos(?:itive|itiv|itif|itivo)?|neg(?:ative|ativ|atif|ativo)?)", re.IGNORECASE
)


def blood_group(text: str) -> str | None:
    """Give the canonical form of a blood group: `a+`, `ab-`, `0+`; None if the text names none."""
    match = _BLOOD.search(text)
    if match is None:
        return None
    letters = "0" if match[1].lower() == "o" else match[1].lower()
    return f"{letters}{'+' if match[2][0] in '+pP' else '-'}"
