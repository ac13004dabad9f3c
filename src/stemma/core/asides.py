"""What a sentence says beside its main thing: in brackets, before a colon, on a condition; and what "it" was before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stemma.core.clauses import Clause
from stemma.core.fronts import is_finite, without_openers
from stemma.core.gate import asks_at
from stemma.core.language_table import Language
from stemma.core.reading import Reading
from stemma.core.sentences import Sentence, phrase_at
from stemma.core.tokens import Token, TokenKind

_FEWEST_ASIDE = 3
# "I run", "I start to": within so many words of a condition no order stands.
_MOST_VERB = 2
# Behind a pronoun and its copula the new value stands within so many words.
_MOST_BEFORE_VALUE = 3


def parted(sentence: Sentence, language: Language) -> list[Sentence]:
    """Give a request or question, and what it says in brackets of who it is about: "… to Ines (she's my aunt)".

    Any other sentence stays whole. What is to be worked on says nothing in brackets but who somebody is.
    """
    tokens = sentence.tokens
    begin = next((at for at, token in enumerate(tokens) if token.raw == "("), 0)
    end = next((at for at in range(begin + 1, len(tokens)) if tokens[at].raw == ")"), len(tokens)) if begin else 0
    inner = tokens[begin + 1 : end]
    if not begin or len(inner) < _FEWEST_ASIDE or not _is_request(sentence, language):
        return [sentence]
    words = language.words
    first = inner[0].text
    rest = without_openers(tokens, language)
    is_own = first in words["me"] or first in words["we"] or first in words["my"]
    is_who = first in words["persons"] and any(token.text in words["my"] for token in inner)
    is_work = phrase_at(rest, 0, language.phrases["text_work"]) > 0
    if not (is_who or (is_own and not is_work)):
        return [sentence]
    outer = replace(sentence, tokens=(*tokens[:begin], *tokens[end + 1 :]), end=tokens[begin - 1].end)
    aside = replace(sentence, tokens=tuple(inner), is_question=False, start=inner[0].start, end=inner[-1].end)
    return [outer, aside]


def _is_request(sentence: Sentence, language: Language) -> bool:
    rest = without_openers(sentence.tokens, language)
    if sentence.is_question or asks_at(rest, 0, language) or phrase_at(rest, 0, language.phrases["requests"]):
        return True
    first = rest[0].text
    words = language.words
    return (
        first in language.verbs or first in words["answering"] or phrase_at(rest, 0, language.phrases["text_work"]) > 0
    )


def anew(before: Clause | None, clause: Clause, language: Language) -> Clause:
    """Say of what "it" is something else now: "the limit was 200, it's 500", "we used to charge 40, it's 55 now"."""
    words = language.words
    tokens = [token for token in clause.tokens if token.kind is not TokenKind.SIGN]
    at = next((at for at, token in enumerate(tokens[:2]) if token.text in words["pronouns"]), len(tokens))
    if before is None or at + 2 >= len(tokens) or tokens[at + 1].text not in words["copula"]:
        return clause
    lead = tokens[at + 2 : at + 2 + _MOST_BEFORE_VALUE]
    value = next((token for token in lead if token.kind is TokenKind.VALUE), None)
    named = None if value is None else _named_before(before, value, tokens[at + 1 :], language)
    return clause if named is None else replace(clause, tokens=tuple(named))


def _named_before(before: Clause, value: Token, anew_tokens: Sequence[Token], language: Language) -> list[Token] | None:
    old = [token for token in before.tokens if token.kind is not TokenKind.SIGN]
    place = next((at for at, token in enumerate(old) if token.type == value.type and token.type), 0)
    for at, token in enumerate(old[:place]):
        if at and token.text in language.words["past_copula"]:
            return [*old[:at], *anew_tokens]
        if at and (used := phrase_at(old, at, language.phrases["used_to"])):
            return [*old[:at], *old[at + used : place], *anew_tokens[1:]]
    return None


def leads_on(clause: Clause, language: Language) -> bool:
    """Say whether a clause before a colon only leads on to what follows: "what I know: …", "where we stand: …"."""
    words = language.words
    tokens = without_openers(clause.tokens, language)
    asks = words["wh"] | words["relative"]
    at = next((at for at, token in enumerate(tokens[:2]) if token.text in asks), len(tokens))
    if at + 1 >= len(tokens) or any(token.text in words["negation"] for token in tokens):
        return False
    follower = tokens[at + 1].text
    is_own = follower in words["me"] or follower in words["we"] or follower in words["you"]
    looks = any(follower.endswith(end) and len(follower) > len(end) + 2 for end in words["verb_endings"])
    return is_own or (follower not in words["question"] and (is_finite(follower, language) or looks))


def is_happening(reading: Reading, language: Language) -> bool:
    """Say whether "whenever I …" tells what happens then, and orders nothing: "whenever I run it", "…, it crashes"."""
    words = language.words
    says, tokens = reading.says, reading.tokens
    used = phrase_at(tokens, 0, language.phrases["standing"])
    if not used or not any(token.text in words["me"] for token in tokens[used - 1 : used + 1]):
        return False
    comma = next((at for at, token in enumerate(says) if token.raw == ","), len(says) - 1)
    rest = says[comma + 1 :]
    if not rest:
        return not any(token.text in words["answering"] for token in tokens[used + _MOST_VERB :])
    subjects = words["others"] | words["me"] | words["definite"]
    if len(rest) > 1 and rest[1].text in words["meaning"]:
        # "Whenever I say …, I mean …" settles what a word stands for.
        return False
    return rest[0].text in subjects or (language.inverts and len(rest) > 1 and rest[1].text in subjects)
