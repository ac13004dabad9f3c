"""Clauses of a sentence: where a new subject begins, a shared one goes on, or a correction sets in. Judges none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stemma.core.fronts import is_finite, is_front, without_openers
from stemma.core.gate import asks_at
from stemma.core.language_table import Language
from stemma.core.sentences import Sentence, is_loose, phrase_at
from stemma.core.tokens import Token, TokenKind

_STRONG = frozenset(";:；：")
_WEAK = frozenset(",—–-，、")
# Where no blanks part the words, a comma parts clauses.
_UNSPACED = frozenset("，、")
_MOST_REPAIR = 4
# A clause that something else may follow without a sign, and a request, have so many words.
_FEWEST = 3
# A finite verb is looked for so many words behind what may be a new subject.
_REACH = 6
# A noun without an article has so many words.
_MOST_BARE = 3


@dataclass(frozen=True, slots=True)
class Clause:
    """A run of tokens that may make one statement.

    `subject` are tokens of an earlier clause that stand before it in thought ("I live here and *work* there");
    `repairs` marks a correction in mid-sentence ("no, Porto"), `contrasts` what is only set off (", not Lisbon"),
    `after_colon` what a label introduces, `is_apart` what a semicolon sets apart.
    """

    tokens: tuple[Token, ...]
    subject: tuple[Token, ...] = ()
    repairs: bool = False
    contrasts: bool = False
    after_colon: bool = False
    is_apart: bool = False


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where the next clause begins, and what it is."""

    after: int
    subject: tuple[Token, ...] = ()
    repairs: bool = False
    contrasts: bool = False
    after_colon: bool = False
    is_apart: bool = False


def clauses_of(sentence: Sentence, language: Language) -> list[Clause]:
    """Cut a sentence into clauses, in order; signs between them belong to none."""
    tokens = sentence.tokens
    found: list[Clause] = []
    now = _Cut(0)
    at = 0
    while at < len(tokens):
        cut = _cut_at(tokens, at, now.after, language) if at > now.after else None
        if cut is None:
            at += 1
            continue
        _append(found, tokens[now.after : at], now)
        now = cut
        at = cut.after
    _append(found, tokens[now.after :], now)
    return found


def _append(found: list[Clause], tokens: Sequence[Token], cut: _Cut) -> None:
    if trimmed := _trimmed(tokens):
        repairs = cut.repairs and bool(found)
        found.append(Clause(trimmed, cut.subject, repairs, cut.contrasts, cut.after_colon, cut.is_apart))


def _cut_at(tokens: Sequence[Token], at: int, begin: int, language: Language) -> _Cut | None:
    """Say what begins here if the present clause ends."""
    token = tokens[at]
    if token.kind is TokenKind.SIGN:
        if token.raw == ":" and phrase_at(tokens, begin, language.phrases["standing"]) == at - begin:
            return None
        if token.raw in _STRONG:
            return _Cut(at + 1, after_colon=token.raw in ":：", is_apart=token.raw in ";；")
        return _at_comma(tokens, at, begin, language) if token.raw in _WEAK else None
    if token.kind is not TokenKind.WORD:
        return None
    if used := phrase_at(tokens, at, language.phrases["because"]):
        return _Cut(at + used)
    if at - begin >= _FEWEST and _follows(tokens, at, language):
        return _Cut(at)
    if token.text in language.words["and"] and at + 1 < len(tokens):
        if _is_subject(tokens, _behind_front(tokens, at + 1, language), language):
            return _Cut(at + 1)
        if subject := _shared_subject(tokens, begin, at + 1, language):
            return _Cut(at + 1, subject)
    return None


def _at_comma(tokens: Sequence[Token], at: int, begin: int, language: Language) -> _Cut | None:
    after = at + 1
    phrases = language.phrases
    if tokens[at].raw in _UNSPACED and not is_front(tokens[begin:at], language):
        return _Cut(after)
    if (used := phrase_at(tokens, after, phrases["repair"])) and (cut := _repair(tokens, after + used, language)):
        return cut
    if phrase_at(tokens, after, phrases["denial"]):
        return _Cut(after)
    if _is_contrast(tokens, after, language):
        return _Cut(after, contrasts=True)
    if is_front(tokens[begin:at], language):
        return None
    if any(phrase_at(tokens, after, phrases[name]) for name in ("wrong", "standing", "result", "remembering")):
        return _Cut(after)
    if _requests(tokens, after, language):
        return _Cut(after)
    while after < len(tokens) and tokens[after].text in language.words["and"]:
        after += 1
    if (used := phrase_at(tokens, after, phrases["openers"])) and _is_subject(tokens, after + used, language):
        return _Cut(after)
    if _is_subject(tokens, _behind_front(tokens, after, language), language):
        return _Cut(after)
    if tokens[at].raw == "," and _is_bare(tokens, after, language):
        return _Cut(after)
    fronted = _behind_front(tokens, after, language)
    if language.pro_drop and after < fronted < len(tokens) and tokens[fronted].text in language.own_verbs:
        # "…, ahora trabajo en Vigo": the verb has its subject with it.
        return _Cut(after)
    if after > at + 1 and (subject := _shared_subject(tokens, begin, after, language)):
        return _Cut(after, subject)
    return None


def _follows(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a conclusion begins here without a comma: "I'm vegan so no cheese", but not "so tired"."""
    words = language.words
    if tokens[at].text not in words["result"] or at + 2 >= len(tokens):
        return False
    before, after = tokens[at - 1], tokens[at + 1].text
    is_degree = before.text in language.closed or before.text in language.own_verbs or before.text in words["others"]
    return not is_degree and after not in words["wh"] and after not in words["intensified"]


def _requests(tokens: Sequence[Token], after: int, language: Language) -> bool:
    """Say whether a request or question of its own begins here; a tag ("…, right?") makes none."""
    if len(tokens) - after < _FEWEST or tokens[after].kind is not TokenKind.WORD:
        return False
    words = language.words
    is_tag = len(tokens) - after <= _FEWEST and tokens[after + 1].text in words["pronouns"]
    return not is_tag and (
        phrase_at(tokens, after, language.phrases["requests"]) > 0 or asks_at(tokens, after, language)
    )


def _repair(tokens: Sequence[Token], after: int, language: Language) -> _Cut | None:
    """Take a few words at the end, without a subject of their own, for what is said anew: "no, Porto"."""
    if after < len(tokens) and tokens[after].raw == ",":
        after += 1
    is_short = after < len(tokens) and len(tokens) - after <= _MOST_REPAIR
    return _Cut(after, repairs=True) if is_short and not _is_subject(tokens, after, language) else None


def _is_contrast(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether what follows only says what it is not: ", not Lisbon" at the end."""
    is_short = 1 < len(tokens) - at <= _MOST_REPAIR
    return (
        is_short
        and tokens[at].text in language.words["contrast"]
        and not any(is_finite(token.text, language) for token in tokens[at:])
    )


def _is_subject(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a clause of its own can begin here: a personal subject, or a noun phrase and a verb to come."""
    if at >= len(tokens) - 1:
        return False
    words = language.words
    first = tokens[at]
    if first.kind is not TokenKind.WORD:
        return False
    if first.text in words["me"] or first.text in words["we"]:
        return True
    if first.text in words["nobody"]:
        return True
    if first.text in words["mine_alone"]:
        return is_finite(tokens[at + 1].text, language)
    if first.text in words["others"] or first.text in words["you"]:
        return tokens[at + 1].kind is TokenKind.WORD and is_finite(tokens[at + 1].text, language)
    starts = first.text in words["definite"] or (first.is_capitalised and language.capitals)
    return starts and any(
        token.kind is TokenKind.WORD and is_finite(token.text, language) for token in tokens[at + 1 : at + _REACH]
    )


def _behind_front(tokens: Sequence[Token], at: int, language: Language) -> int:
    """Give the place behind words that only say when: "but these days it's …"."""
    return at + phrase_at(tokens, at, language.phrases["fronted"])


def _is_bare(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a noun without its article begins a statement here: "…, new place is in Leeds", "…, mum is vegan"."""
    words = language.words
    if at + 2 >= len(tokens):
        return False
    if phrase_at(tokens, at, language.phrases["bare_kin"]) and is_finite(tokens[at + 1].text, language):
        return True
    for place in range(at, min(at + _MOST_BARE + 1, len(tokens) - 1)):
        token = tokens[place]
        if place > at and token.text in words["copula"]:
            return True
        if token.kind is not TokenKind.WORD or token.text in language.closed or token.text in words["others"]:
            return False
    return False


def _shared_subject(tokens: Sequence[Token], begin: int, at: int, language: Language) -> tuple[Token, ...]:
    """Give the own subject of the present clause if a verb that can take it begins here, and no `to` before.

    A language that leaves its pronouns out lends nothing: the verb has its person with it.
    """
    if at + 1 >= len(tokens) or at - begin < 3 or tokens[at].text not in language.own_verbs:
        return ()
    if any(token.text in language.words["infinitive"] for token in tokens[begin:at]):
        return ()
    first = next((token for token in without_openers(tokens[begin:at], language)), tokens[begin])
    is_mine = first.text in language.words["me"] or first.text in language.words["we"]
    return (first,) if is_mine else ()


def _trimmed(tokens: Sequence[Token]) -> tuple[Token, ...]:
    start, end = 0, len(tokens)
    while start < end and tokens[start].kind is TokenKind.SIGN and tokens[start].raw not in "(+":
        start += 1
    while end > start and is_loose(tokens[start:end]):
        end -= 1
    return tuple(tokens[start:end])
