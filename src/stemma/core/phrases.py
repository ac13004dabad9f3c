"""Words that bound a statement in time, as symbolic moments. Without a clock: "this week" is the saying's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stemma.core import times
from stemma.core.language_table import Language, TimePhrase
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, NUMBER, WEEKDAY, WEEKDAYS

MIXED_PRECISION = "mixed_precision"
_UNIT_LETTERS = {"hour": "h", "day": "d", "week": "w", "month": "m", "year": "y"}
_MOST_UNITS = 5000
_HOLE = re.compile(r"\{(when2?|date|n|unit)([<>~]?)(end)?\}")


@dataclass(frozen=True, slots=True)
class Window:
    """The bounds that a clause states; `taken` are the positions of its words among the clause's tokens."""

    valid_from: str | None = None
    valid_to: str | None = None
    holds: bool = True
    taken: frozenset[int] = frozenset()
    flag: str | None = None


def find_window(tokens: Sequence[Token], language: Language, needs: frozenset[str]) -> Window:
    """Read the time phrases of a clause; `needs` says which kinds of phrase it can carry (own, present, perfect).

    The first phrase for each bound rules.
    """
    valid_from: str | None = None
    valid_to: str | None = None
    holds = True
    taken: set[int] = set()
    at = 0
    while at < len(tokens):
        phrases = language.time_phrases.get(tokens[at].text, ()) if tokens[at].kind is not TokenKind.NAME else ()
        for phrase in phrases:
            found = _match(phrase, tokens, at, language) if phrase.needs in needs else None
            if found is None:
                continue
            start, end, used = found
            if (start is not None and valid_from is not None) or (end is not None and valid_to is not None):
                continue
            valid_from, valid_to = start or valid_from, end or valid_to
            holds = holds and phrase.holds
            taken.update(range(at, at + used))
            at += used - 1
            break
        at += 1
    valid_from = _in_year_of(valid_from, valid_to)
    return Window(valid_from, valid_to, holds, frozenset(taken), window_flag(valid_from, valid_to))


def _in_year_of(valid_from: str | None, valid_to: str | None) -> str | None:
    """Give a beginning without its year that of its end: "from January to April 2025"."""
    start = re.fullmatch(r"(month:|date:)(\d\d(?:-\d\d)?)[<>~=]", valid_from or "")
    end = re.match(r"(?:month|day):(\d{4})-(\d\d(?:-\d\d)?)", valid_to or "")
    if start is None or end is None:
        return valid_from
    year = int(end[1]) - (start[2] > end[2])
    return f"{'month' if start[1] == 'month:' else 'day'}:{year:04}-{start[2]}"


def window_flag(valid_from: str | None, valid_to: str | None) -> str | None:
    """Name what is odd about two absolute bounds: empty, backwards, or of unlike precision and touching (F23)."""
    if valid_from is None or valid_to is None:
        return None
    start, end = _absolute(valid_from), _absolute(valid_to)
    if start is None or end is None:
        return None
    if start[0] != end[0] and (start[1].startswith(end[1]) or end[1].startswith(start[1])):
        return MIXED_PRECISION
    if end[1] < start[1]:
        return "invalid_interval"
    return times.EMPTY_INTERVAL if start == end else None


def _absolute(moment: str) -> tuple[str, str] | None:
    kind, _, text = moment.partition(":")
    return (kind, text) if kind in ("day", "month", "year") and re.fullmatch(r"\d{4}[-\d]*", text) else None


def _match(
    phrase: TimePhrase, tokens: Sequence[Token], at: int, language: Language
) -> tuple[str | None, str | None, int] | None:
    """Match a phrase at a position: its two bounds with the holes filled in, and the number of tokens."""
    holes: dict[str, Token | str] = {}
    here = at
    for word in phrase.words:
        if word == "{unit}":
            continue
        if here >= len(tokens):
            return None
        token = tokens[here]
        if word == "{n}":
            # Number and unit have been joined into one value: "two weeks".
            if (span := _span_of(token)) is None:
                return None
            holes["n"], holes["unit"] = span
        elif word.startswith("{"):
            if not _is_when(token, language) or (token.type == WEEKDAY and _is_habit(word, tokens, here, language)):
                return None
            holes[word.strip("{}")] = token
        elif token.text != word or token.kind not in (TokenKind.WORD, TokenKind.SIGN, TokenKind.VALUE):
            return None
        here += 1
    valid_from, valid_to = _filled(phrase.valid_from, holes), _filled(phrase.valid_to, holes)
    if not all(bound is None or times.is_moment(bound) for bound in (valid_from, valid_to)):
        return None
    return valid_from, valid_to, here - at


def _is_when(token: Token, language: Language) -> bool:
    """Say whether a token names one moment: a date, a year, a weekday, but not "Fridays"."""
    if token.kind is not TokenKind.VALUE or token.text in language.numerals.weekday_plurals:
        return False
    if token.type == NUMBER:
        return re.fullmatch(r"(?:1[89]|20|21)\d\d", token.canonical) is not None
    return token.type in (DATE, WEEKDAY)


def _is_habit(hole: str, tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a weekday is one of many: "on Sunday evenings"; behind an article where that says so ("le mardi")."""
    return hole == "{date}" or phrase_at(tokens, at + 1, language.phrases["frequency"]) > 0


def _span_of(token: Token) -> tuple[str, str] | None:
    """Give count and unit letter of a duration in whole units: 14 day → ("14", "d")."""
    if token.kind is not TokenKind.VALUE or token.type != "duration":
        return None
    number, _, base = token.canonical.partition(" ")
    if base == "ms" and number.isdecimal() and int(number) % 3_600_000 == 0:
        number, base = str(int(number) // 3_600_000), "hour"
    letter = _UNIT_LETTERS.get(base)
    if letter is None or not number.isdecimal() or not 1 <= int(number) <= _MOST_UNITS:
        return None
    return number, letter


def _filled(template: str | None, holes: dict[str, Token | str]) -> str | None:
    if template is None:
        return None

    def fill(match: re.Match[str]) -> str:
        hole = holes.get(match[1], "")
        return hole if isinstance(hole, str) else _moment(hole, match[2] or "~", bool(match[3]))

    return _HOLE.sub(fill, template)


def _moment(token: Token, side: str, is_end: bool) -> str:
    """Write the moment that a date or weekday names: its start, or the start of what follows it."""
    text = token.canonical
    if is_end and side == ">":
        # "Until the end of March", said in March, is the end of this one.
        side = "="
    if token.type == WEEKDAY:
        base, unit = f"weekday:{WEEKDAYS.index(text) + 1}{side if side in '<=' else '>'}", "d"
    elif text.startswith("--"):
        base, unit = (f"date:{text[2:]}{side}", "d") if len(text) == 7 else (f"month:{text[2:]}{side}", "m")
    elif "T" in text:
        return f"abs:{text}"
    else:
        base, unit = {4: (f"year:{text}", "y"), 7: (f"month:{text}", "m")}.get(len(text), (f"day:{text}", "d"))
    return f"{base}+1{unit}" if is_end else base
