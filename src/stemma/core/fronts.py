"""What may stand before the subject of a clause: openers of a turn, words of time; and bringing the subject first."""

from __future__ import annotations

from collections.abc import Sequence

from stemma.core.language_table import Language
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind

_MOST_FRONT = 6


def without_openers(says: Sequence[Token], language: Language) -> Sequence[Token]:
    """Take words that only open a turn off the front, with the signs behind them; never all of it."""
    at = 0
    phrases = language.phrases["openers"]
    doubtful = language.doubtful_openers
    while at < len(says) and says[at].text in phrases and (used := phrase_at(says, at, phrases)):
        is_answer = at + used < len(says) and says[at + used].kind is TokenKind.SIGN
        if says[at].text in doubtful and used == 1 and not is_answer:
            # "No vivo en Lisboa" denies and "si vivo" supposes; "no, vivo …" and "sí, vivo …" answer and state.
            break
        at += used
        while at < len(says) and says[at].kind is TokenKind.SIGN and says[at].raw in ",:;-–—!，、：！":
            at += 1
    return says[at:] if at < len(says) else says


def is_front(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether what stands before a comma only opens the sentence or says when: "From May, I live in Porto"."""
    words = language.words
    rest = without_openers(tokens, language)
    if phrase_at(tokens, 0, language.phrases["openers"]) == len(tokens):
        return True
    first = rest[0]
    mine = words["me"] | words["we"] | words["others"] | words["you"]
    if len(rest) > _MOST_FRONT or any(token.text in mine or is_finite(token.text, language) for token in rest):
        return False
    begins = first.text in words["prepositions"] or first.text in language.time_phrases or first.kind is TokenKind.VALUE
    return begins or phrase_at(rest, 0, language.phrases["fronted"]) > 0


def is_finite(word: str, language: Language) -> bool:
    """Say whether a word is a verb that has its subject near: a copula, or a third person."""
    return word in language.words["copula"] or word in language.words["past_copula"] or word in language.third


def subject_first(says: Sequence[Token], language: Language) -> list[Token]:
    """Take openers off and move what stands before the subject to the end, so that both orders are one frame."""
    rest = without_openers(says, language)
    if phrase_at(rest, 0, language.phrases["standing"]):
        return list(rest)
    for at, token in enumerate(rest[: _MOST_FRONT + 1]):
        if token.raw == "," and 0 < at < len(rest) - 1 and is_front(rest[:at], language):
            return [*rest[at + 1 :], *rest[:at]]
    if language.inverts and (at := _inverted_at(rest, language)):
        return [*rest[at:], *rest[:at]]
    if at := _behind_preposition(rest, language):
        return [*rest[at:], *rest[:at]]
    if at := _own_verb_at(rest, language):
        return [*rest[at:], *rest[:at]]
    return _own_subject_first(list(rest), language)


def _inverted_at(says: Sequence[Token], language: Language) -> int:
    """Give the place of an own verb with its subject behind it, if something else stands first; else 0."""
    words = language.words
    subjects = words["me"] | words["we"]
    for at in range(min(len(says) - 1, _MOST_FRONT + 1)):
        text = says[at].text
        if at and text in language.own_verbs and says[at + 1].text in subjects:
            return at
        if text in subjects or text in words["wh"] or text in words["conditional"] or is_finite(text, language):
            return 0
    return 0


def _behind_preposition(says: Sequence[Token], language: Language) -> int:
    """Give the place of an own subject behind a few words that a preposition leads, 0 where there is none."""
    words = language.words
    if says[0].text not in words["prepositions"] or says[0].text in words["asides"]:
        return 0
    own = words["me"] | words["we"] | words["my"]
    for at, token in enumerate(says[:_MOST_FRONT]):
        is_verb = at > 1 and (is_finite(token.text, language) or token.text in language.own_verbs)
        if is_verb or token.kind is TokenKind.SIGN:
            return 0
        if at > 1 and token.text in own and says[at - 1].text not in words["prepositions"] | words["and"]:
            return at if len(says) > at + 1 else 0
    return 0


def _own_verb_at(says: Sequence[Token], language: Language) -> int:
    """Give the place of our verb behind how often we do it ("los lunes por la noche doy clases"), 0 without it."""
    if not language.pro_drop or not phrase_at(says, 0, language.phrases["frequency"]):
        return 0
    places = range(2, min(len(says) - 1, _MOST_FRONT + 1))
    return next((at for at in places if says[at].text in language.own_verbs), 0)


def _own_subject_first(says: list[Token], language: Language) -> list[Token]:
    """Bring an own subject to the front over words that only say when: "every Friday I call my mother"."""
    words = language.words
    is_often = says[0].text in words["frequency"]
    for at, token in enumerate(says[: _MOST_FRONT + 1]):
        is_verb = language.pro_drop and at > 0 and token.text in language.own_verbs
        if is_verb or token.text in words["me"] or token.text in words["we"]:
            return says if at == 0 else [*says[at:], *says[:at]]
        timely = (
            token.kind is TokenKind.VALUE or token.text in words["frequency"] or token.text in words["prepositions"]
        )
        if (
            not timely
            and not is_often
            and not (at > 0 and token.text in words["determiners"])
            and token.text not in words["fronted"]
        ):
            break
    return says
