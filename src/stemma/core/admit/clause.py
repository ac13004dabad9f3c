"""The clause of a passage that a query asks for: an excerpt is never more of an episode than that (SPEC R-45a)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from stemma.core.analyse import terms

# A point behind a figure or a single letter ends no clause: "bis 30. April", "J. Doe".
_END = re.compile(r"(?:(?<!\d)(?<!\b\w)\.|[!?…;])[\"')\]»”’]*(?=\s)|[。！？；｡][」』”]*|\n+")


def best_clause(text: str, query: AbstractSet[str]) -> tuple[int, int]:
    """Give the span [start, end) of the clause that holds most of the query's terms, the first of equals.

    White space at its edges is not part of it. A text without words is one clause.
    """
    spans = list(clauses(text))
    if not spans:
        return 0, len(text)
    return max(spans, key=lambda span: (len(query & set(terms(text[span[0] : span[1]]))), -span[0]))


def clauses(text: str) -> Iterator[tuple[int, int]]:
    """Give the spans of a text's clauses in order, cut behind closing signs, semicolons and line ends."""
    begin = 0
    for end in (*(match.end() for match in _END.finditer(text)), len(text)):
        piece = text[begin:end]
        start = begin + len(piece) - len(piece.lstrip())
        stop = begin + len(piece.rstrip())
        if start < stop:
            yield start, stop
        begin = end
