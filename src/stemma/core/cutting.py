"""Tokens of a text without blanks between words: listed words and endings, the rest sign by sign. Judges nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stemma.core.compare_words import CompareWords
from stemma.core.folding import fold
from stemma.core.language_table import Language
from stemma.core.numerals import Numerals
from stemma.core.tokens import Token, TokenKind, tokenise

_RUN = re.compile("[\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]+")
_KATAKANA = re.compile("[\u30a0-\u30ff]+")
_HANGUL = re.compile("[\uac00-\ud7a3]+")
_MOST_LISTED = 10
# What a plain and a polite ending put under the last vowel of a Korean stem: 뛰 and 뛴다, 뜁니다.
_JOINED = {fold("ㄴ다"): ("다", 4), fold("ㅂ니다"): ("니다", 17)}
_FIRST_SYLLABLE, _FINALS = 0xAC00, 28


def tokens_of(text: str, language: Language) -> list[Token]:
    """Cut a text as its language is written; signs that its file writes as others are exchanged."""
    if not language.comparing.is_unspaced:
        compare = language.comparing
        tokens = tokenise(text)
        if not compare.letters and not compare.last_letters and not compare.variants:
            return tokens
        return [token._replace(text=_as_listed(_exchanged(token.text, compare), language)) for token in tokens]
    found: list[Token] = []
    at = 0
    for match in _RUN.finditer(text):
        found.extend(_shifted(text[at : match.start()], at))
        found.extend(_run(match[0], match.start(), found, language))
        at = match.end()
    found.extend(_shifted(text[at:], at))
    return found


def _exchanged(word: str, compare: CompareWords) -> str:
    word = word.translate(compare.letters)
    for pattern, new in compare.variants:
        word = pattern.sub(new, word)
    return word


def _as_listed(word: str, language: Language) -> str:
    """Write the last letter of a word as the file does, where writers exchange it and only the other one is known."""
    other = language.comparing.last_letters.get(word[-1:])
    if other is None or word in language.vocabulary:
        return word
    changed = word[:-1] + other
    return changed if changed in language.vocabulary or changed in language.comparing.known else word


def _shifted(text: str, offset: int) -> Iterator[Token]:
    for token in tokenise(text):
        yield token._replace(start=token.start + offset, end=token.end + offset)


def _word(raw: str, start: int) -> Token:
    return Token(TokenKind.WORD, fold(raw), start, start + len(raw), raw)


def _run(run: str, start: int, before: list[Token], language: Language) -> Iterator[Token]:
    """Cut one run: the longest listed word at each place; Hangul by its endings; the rest by sign."""
    is_after_ideograph = False
    at = 0
    while at < len(run):
        if hangul := _HANGUL.match(run, at):
            is_counting = bool(before) and before[-1].kind is TokenKind.NUMBER and before[-1].end == start + at
            yield from _eojeol(hangul[0], start + at, is_counting, language)
            at = hangul.end()
            continue
        size = _listed(run, at, language)
        if size:
            is_after_ideograph = False
        elif katakana := _KATAKANA.match(run, at):
            size, is_after_ideograph = len(katakana[0]), False
        elif "\u3041" <= run[at] <= "\u309f":
            if is_after_ideograph:
                # What is inflected of a word whose stem is an ideograph: the stem alone is compared.
                at += 1
                continue
            size = 1
        else:
            size, is_after_ideograph = 1, True
        yield _word(run[at : at + size], start + at)
        at += size


def _listed(run: str, at: int, language: Language) -> int:
    lexicon = language.comparing.lexicon
    return next(
        (size for size in range(_MOST_LISTED, 0, -1) if fold(run[at : at + size]) in lexicon and at + size <= len(run)),
        0,
    )


def _eojeol(run: str, start: int, is_counting: bool, language: Language) -> Iterator[Token]:
    """Cut a word of Korean: the unit behind a number, a number in signs, stem and endings."""
    numerals = language.numerals
    known = {**numerals.units, **numerals.currencies}
    if is_counting:
        counted = (*known, *numerals.counters, *language.clock.hours, *language.clock.minutes, *numerals.label_units)
        size = max((len(unit) for unit in counted if fold(run).startswith(unit)), default=0)
        if size:
            yield _word(run[:size], start)
            if run[size:]:
                yield from _stemmed(run[size:], start + size, language)
            return
    if (size := _numeral(run, numerals)) > 1 or (size and _starts_unit(run[size:], numerals)):
        for place in range(size):
            yield _word(run[place], start + place)
        if run[size:]:
            yield from _eojeol(run[size:], start + size, True, language)
        return
    yield from _stemmed(run, start, language)


def _numeral(run: str, numerals: Numerals) -> int:
    size = 0
    while size < len(run) and (run[size] in numerals.numbers or run[size] in numerals.scales):
        size += 1
    return size


def _starts_unit(rest: str, numerals: Numerals) -> bool:
    return bool(rest) and any(rest.startswith(unit) for unit in (*numerals.units, *numerals.currencies))


def _stemmed(run: str, start: int, language: Language) -> Iterator[Token]:
    folded = fold(run)
    if folded in language.comparing.lexicon:
        yield _word(run, start)
        return
    for ending in language.comparing.endings:
        if folded.endswith(ending):
            if (joined := _joined(run, len(ending))) is not None:
                stem, said = joined
                cut = len(run) - len(_JOINED[said][0])
                yield Token(TokenKind.WORD, fold(stem), start, start + cut, run[:cut])
                yield Token(TokenKind.WORD, said, start + cut, start + len(run), run[cut:])
                return
            if len(ending) < len(run):
                yield from _stemmed(run[: -len(ending)], start, language)
            yield _word(run[len(run) - len(ending) :], start + len(run) - len(ending))
            return
    yield _word(run, start)


def _joined(run: str, size: int) -> tuple[str, str] | None:
    """Give stem and ending where the ending begins under the last vowel of the stem and no longer one is listed."""
    for said, (tail, final) in _JOINED.items():
        at = len(run) - len(tail) - 1
        is_here = size <= len(tail) and at >= 0 and run.endswith(tail) and _HANGUL.match(run[at]) is not None
        if is_here and (ord(run[at]) - _FIRST_SYLLABLE) % _FINALS == final:
            return run[:at] + chr(ord(run[at]) - final), said
    return None
