"""The lines that fence what was delivered into a prompt, and where a text holds such a fence. Cuts nothing itself."""

from __future__ import annotations

import re

OPEN = "[[stemma:delivered]]"
CLOSE = "[[/stemma:delivered]]"

# Quoting programs escape brackets and spread blanks; the words stay.
_MARK = re.compile(r"\\?\[\s*\\?\[\s*(/?)\s*stemma\s*:\s*delivered\s*\\?\]\s*\\?\]", re.IGNORECASE)


def delivered_spans(text: str) -> list[tuple[int, int]]:
    """Give the spans [start, end) that were delivered, in order, from the text alone.

    Fences nest. One that is never closed runs to the end of the text, and a close without its opening from the
    beginning (or from the last fence): half a quotation is a quotation still.
    """
    if "stemma" not in text.lower():
        return []
    spans: list[tuple[int, int]] = []
    depth, start = 0, 0
    for mark in _MARK.finditer(text):
        if not mark.group(1):
            start = mark.start() if depth == 0 else start
            depth += 1
            continue
        if depth <= 1:
            begin = start if depth else (spans[-1][1] if spans else 0)
            spans.append((begin, mark.end()))
        depth = max(depth - 1, 0)
    if depth:
        spans.append((start, len(text)))
    return spans


def defused(text: str) -> str:
    """Take the force out of every fence mark in a text that is to be delivered, so that it can close nothing."""
    return _MARK.sub(lambda mark: f"({mark.group(1)}stemma delivered)", text)
