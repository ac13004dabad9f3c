"""Days of one month told as a range, written out as two dates: "from 3 to 7 August" is from 3 August to 7 August."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stemma.core.numerals import Numerals
from stemma.core.tokens import Token, TokenKind, word_at

_DASHES = frozenset("-–—‐‑")
_DAY = re.compile(r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?")
_YEAR = re.compile(r"[12]\d{3}")


def with_day_ranges(tokens: Sequence[Token], numerals: Numerals) -> list[Token]:
    """Give each day of a range its month and year; a dash between them becomes the language's own words."""
    if not numerals.ranges or not any(token.text in numerals.months for token in tokens):
        return list(tokens)
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        written = _range_at(tokens, at, found, numerals) if tokens[at].kind is TokenKind.NUMBER else None
        if written is None:
            found.append(tokens[at])
            at += 1
            continue
        found.extend(written[0])
        at += written[1]
    return found


def _range_at(
    tokens: Sequence[Token], at: int, before: Sequence[Token], numerals: Numerals
) -> tuple[list[Token], int] | None:
    """Write out the range whose first day stands here, with the number of tokens it takes."""
    first, here = _day(tokens, at)
    if not first or here >= len(tokens):
        return None
    lead = before[-1].text if before else ""
    links, led = _links(tokens, here, lead, numerals)
    last, end = _day(tokens, here + max(1, len(links)))
    if not links or not last:
        return None
    lead_words = [_word(first[0], word) for word in led]
    behind = _month_behind(tokens, end, numerals)
    if not behind:
        return None
    copied = [_silent(token, first[-1]) for token in behind]
    return [*lead_words, *first, *copied, *links, *last, *behind], end + len(behind) - at


def _links(tokens: Sequence[Token], at: int, lead: str, numerals: Numerals) -> tuple[Sequence[Token], Sequence[str]]:
    """Give what stands between two days, and what has to be put before the first: nothing where a lead is there."""
    for own_lead, *links in sorted(numerals.ranges, key=lambda phrase: -len(phrase)):
        if lead == own_lead and [token.text for token in tokens[at : at + len(links)]] == links:
            return tokens[at : at + len(links)], ()
    if tokens[at].raw not in _DASHES:
        return (), ()
    own_lead, own_link = numerals.ranges[0][:2]
    has_lead = any(lead == phrase[0] for phrase in numerals.ranges)
    return [_word(tokens[at], own_link)], () if has_lead else (own_lead,)


def _day(tokens: Sequence[Token], at: int) -> tuple[Sequence[Token], int]:
    """Give the tokens of a day, "3" or "3.", and the place behind them; none where no day stands."""
    if at >= len(tokens) or tokens[at].kind is not TokenKind.NUMBER or not _DAY.fullmatch(tokens[at].text):
        return (), at
    has_point = at + 1 < len(tokens) and tokens[at + 1].raw == "." and tokens[at + 1].start == tokens[at].end
    return tokens[at : at + 1 + has_point], at + 1 + has_point


def _month_behind(tokens: Sequence[Token], at: int, numerals: Numerals) -> Sequence[Token]:
    """Give the tokens of month and year behind a day: "August 2026", "de agosto de 2026"."""
    here = at
    while here < at + 2 and word_at(tokens, here) in numerals.date_links:
        here += 1
    if word_at(tokens, here) not in numerals.months:
        return ()
    end = here + 1
    while end < here + 3 and (word_at(tokens, end) in numerals.date_links or _is_comma(tokens, end)):
        end += 1
    if end < len(tokens) and _YEAR.fullmatch(tokens[end].text):
        return tokens[at : end + 1]
    return tokens[at : here + 1]


def _is_comma(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].raw == ","


def _silent(token: Token, beside: Token) -> Token:
    """Give a token again beside another one, without a place in the text of its own."""
    return token._replace(start=beside.end, end=beside.end)


def _word(at: Token, text: str) -> Token:
    return at._replace(kind=TokenKind.WORD, text=text, raw=text, end=at.start)
