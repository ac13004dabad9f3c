"""What calls an earlier statement wrong, and what only retells one (design: D-18, D-19; case F20)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stemma.core.language_table import Language
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import canonical_of

_MOST_NAME = 3


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is called wrong: the words of a retold statement, else a named value, else simply the last statement."""

    retold: tuple[Token, ...] = ()
    value: str = ""


def is_correction(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether a clause only announces a correction: "Correction", "I stand corrected"."""
    used = phrase_at(tokens, 0, language.phrases["correction"])
    return used > 0 and used >= len(tokens) - 1


def is_retold(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether a clause retells what was said before: "you told me I keep bees". Retelling is no saying."""
    words = [token for token in tokens if token.kind is not TokenKind.SIGN]
    return phrase_at(words, _after_openers(words, language), language.phrases["own_attribution"]) > 0


def wrong_of(
    tokens: Sequence[Token], before: Sequence[Token], is_in_correction: bool, language: Language
) -> Wrong | None:
    """Say what a clause calls wrong, or None. `before` is the clause before it in the sentence.

    "not mine" speaks of an earlier statement only inside an announced correction: elsewhere it is a contrast.
    """
    words = [token for token in tokens if token.kind is not TokenKind.SIGN]
    phrases = language.phrases
    at = _after_openers(words, language)
    if not words:
        return None
    if is_in_correction and phrase_at(words, at, phrases["denial"]):
        return Wrong()
    if used := phrase_at(words, at, phrases["false_attribution"]):
        return Wrong(tuple(words[at + used :])) if len(words) > at + used else None
    used = phrase_at(words, at, phrases["wrong"])
    if used and used >= len(words) - at - 1:
        return Wrong(_retold(before, language))
    return _named_wrong(words, language)


def _named_wrong(words: Sequence[Token], language: Language) -> Wrong | None:
    """Read "Porto was wrong": a value named by itself."""
    for at in range(1, min(len(words), _MOST_NAME + 1)):
        used = phrase_at(words, at, language.phrases["was_wrong"])
        if used and at + used == len(words):
            name = words[:at]
            is_name = all(token.kind is not TokenKind.WORD or token.is_capitalised for token in name)
            known = name[0].text in language.words["others"] or name[0].text in language.words["determiners"]
            return Wrong(value=canonical_of(name)) if is_name and not known else None
    return None


def _retold(before: Sequence[Token], language: Language) -> tuple[Token, ...]:
    words = [token for token in before if token.kind is not TokenKind.SIGN]
    at = _after_openers(words, language)
    used = phrase_at(words, at, language.phrases["own_attribution"])
    return tuple(words[at + used :]) if used else ()


def _after_openers(words: Sequence[Token], language: Language) -> int:
    at = 0
    while at < len(words) - 1 and (used := phrase_at(words, at, language.phrases["openers"])):
        if phrase_at(words, at, language.phrases["wrong"]) or at + used >= len(words):
            break
        at += used
    return at
