"""Which clauses of a sentence are asserted: all, none, or those before a question or a supposition sets in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stemma.core.asides import leads_on
from stemma.core.clauses import Clause, clauses_of
from stemma.core.fronts import is_finite
from stemma.core.gate import Reason, asks_at, sentence_gate
from stemma.core.language_table import Language
from stemma.core.sentences import Sentence, phrase_at

# What unmakes one clause and leaves those before it; the rest unmakes the sentence wherever it stands.
_LOCAL = frozenset(
    {Reason.QUESTION, Reason.HYPOTHETICAL, Reason.CONDITIONAL, Reason.NEGATION_UNCLEAR, Reason.NO_DECLARATION_FORM}
)
# A hedge of so few words at the end speaks of what stands before it: "…, I think".
_MOST_HEDGE = 3
_MOST_OPENING = 4


@dataclass(frozen=True, slots=True)
class Judged:
    """The asserted clauses of a sentence; the reason why others are not, and the span of these."""

    clauses: tuple[Clause, ...]
    reason: Reason | None = None
    rest: tuple[int, int] | None = None


def judge(sentence: Sentence, language: Language) -> Judged:
    """Part a sentence into what it asserts and what it asks or supposes."""
    reason = sentence_gate(sentence, sentence.tokens, language)
    if reason is Reason.THIRD_PARTY:
        return _before_report(sentence, language)
    if reason is not None and reason not in _LOCAL:
        return Judged((), reason)
    clauses = clauses_of(sentence, language)
    if reason is None:
        return Judged(tuple(clauses))
    if not clauses:
        return Judged((), reason)
    first = next((at for at, each in enumerate(clauses) if _gate(each, language) is not None), len(clauses))
    is_aside = reason is Reason.NEGATION_UNCLEAR or leads_on(clauses[0], language)
    is_aside = is_aside or phrase_at(sentence.tokens, 0, language.phrases["conditional"]) > 0
    if is_aside and first == 0 and len(clauses) > 1 and clauses[1].after_colon:
        # An aside before a colon supposes nothing of what it leads to: "in case you wonder: …".
        sound = clauses[1:]
        is_sound = all(_gate(each, language) is None for each in sound) and not sentence.is_question
        return Judged(tuple(sound), reason, _span(clauses[:1])) if is_sound else Judged((), reason)
    if first == 0 and reason is Reason.QUESTION and _only_opens(sentence, clauses, language):
        return Judged(tuple(clauses[1:]), reason, _span(clauses[:1]))
    if first == 0 and (apart := _apart(clauses, language)):
        return Judged(apart, reason, _span([each for each in clauses if each not in apart]))
    own = language.words["me"] | language.words["we"] | language.words["my"]
    is_concluded = first == 0 and reason is Reason.CONDITIONAL and _is_concluded(clauses[0], language)
    if is_concluded and len(clauses) > 1 and clauses[1].tokens[0].text in own and _gate(clauses[1], language) is None:
        return Judged(tuple(clauses[1:2]), reason, _span(clauses[:1]))
    if first == 0 and (named := _named(clauses, language)) is not None:
        return Judged((named,), reason, _span([each for each in clauses if each is not named]))
    rest = clauses[first:]
    if not rest or first == 0 or not _stands_alone(sentence, rest, language):
        return Judged((), reason)
    return Judged(tuple(clauses[:first]), reason, _span(rest))


def _apart(clauses: Sequence[Clause], language: Language) -> tuple[Clause, ...]:
    """Give what stands behind a semicolon: what is supposed or asked before it is not supposed of this."""
    first = next((at for at, each in enumerate(clauses) if each.is_apart), len(clauses))
    rest = clauses[first:]
    return tuple(rest) if all(_gate(each, language) is None for each in rest) else ()


def _is_concluded(clause: Clause, language: Language) -> bool:
    """Say whether a condition has what follows from it in itself: "if it has stairs I won't book it"."""
    words = language.words
    own = words["me"] | words["we"]
    tokens = clause.tokens
    places = [at for at in range(3, len(tokens) - 1) if tokens[at].text in own]
    return any(tokens[at + 1].text in words["future"] | words["modal"] | words["fact_modal"] for at in places)


def _named(clauses: Sequence[Clause], language: Language) -> Clause | None:
    """Give a clause that says who somebody is: "if Oskar writes, be nice, he's my father-in-law"."""
    words = language.words
    for clause in clauses[1:]:
        tokens = clause.tokens
        is_who = len(tokens) > 3 and tokens[0].text in words["persons"] and tokens[1].text in words["copula"]
        if is_who and tokens[2].text in words["my"] and _gate(clause, language) is None:
            return clause
    return None


def _only_opens(sentence: Sentence, clauses: Sequence[Clause], language: Language) -> bool:
    """Say whether a few words in the form of a question only open a statement: "isn't it obvious, we are closed …"."""
    words = language.words
    if sentence.is_question or len(clauses) < 2 or len(clauses[0].tokens) > _MOST_OPENING:
        return False
    first = clauses[1].tokens[0].text
    is_own = first in words["me"] or first in words["we"] or first in words["my"]
    is_led = clauses[0].tokens[0].text in words["wh"]
    return is_own and not is_led and all(_gate(each, language) is None for each in clauses[1:])


def _before_report(sentence: Sentence, language: Language) -> Judged:
    """Keep what stands before a report of something else: "call me Kit, nobody says …", "…, my doctor says it's …".

    A report without words of its own ("…, she said") speaks of what stands before it.
    """
    clauses = clauses_of(sentence, language)
    first = next((at for at, each in enumerate(clauses) if _gate(each, language) is not None), 0)
    is_other = first > 0 and _gate(clauses[first], language) is Reason.THIRD_PARTY
    if not is_other or not _reports_else(clauses[first], language):
        return Judged((), Reason.THIRD_PARTY)
    return Judged(tuple(clauses[:first]), Reason.THIRD_PARTY, _span(clauses[first:]))


def _reports_else(clause: Clause, language: Language) -> bool:
    tokens = clause.tokens
    reports = language.phrases["attribution"]
    at = next((at for at in range(len(tokens)) if phrase_at(tokens, at, reports)), 0)
    rest = tokens[at + phrase_at(tokens, at, reports) :]
    if not at or not rest:
        return False
    return tokens[0].text in language.words["nobody"] or any(is_finite(token.text, language) for token in rest)


def _gate(clause: Clause, language: Language) -> Reason | None:
    plain = Sentence(clause.tokens, False, clause.tokens[0].start, clause.tokens[-1].end, 0)
    return sentence_gate(plain, clause.tokens, language)


def _stands_alone(sentence: Sentence, rest: Sequence[Clause], language: Language) -> bool:
    """Say whether what is not asserted leaves alone what stands before it."""
    last = rest[-1]
    asks = asks_at(last.tokens, 0, language) or _requests(last, language) or _asks_you(last, language)
    if sentence.is_question and not asks:
        return False
    return len(rest) > 1 or len(rest[0].tokens) > _MOST_HEDGE


def _asks_you(clause: Clause, language: Language) -> bool:
    """Say whether a clause asks by its tone alone: "…, tu vois une plage ?"."""
    return clause.tokens[0].text in language.words["you"] and len(clause.tokens) > _MOST_HEDGE


def _requests(clause: Clause, language: Language) -> bool:
    return clause.tokens[0].text in language.phrases["requests"]


def _span(clauses: Sequence[Clause]) -> tuple[int, int]:
    return clauses[0].tokens[0].start, clauses[-1].tokens[-1].end
