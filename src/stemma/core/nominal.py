"""Plain present statements with a nominal subject: "Stripe charges 2.9%", "Rowan is on Payments". Finds the verb."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from stemma.core.fronts import is_finite
from stemma.core.language_table import Language
from stemma.core.sentences import holds_phrase, phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, TIME, WEEKDAY

PAST_STATE, UNRESOLVED, ADDRESSED = "past_state", "unresolved_subject", "addressed"
NOT_DURABLE, NO_FORM, HYPOTHETICAL, FUTURE = "not_durable", "no_declaration_form", "hypothetical", "future"
_MOST_SUBJECT = 8
_MOST_GENERIC = 2
_PARTICIPLE = re.compile(r"(?:\w{0,6}ge|ver|be|er|ent|zer|miss)\w{2,20}(?:t|en)|\w{2,20}iert")
_PERFECT_ENDS = ("é", "ée", "és", "ées", "ado", "ido")
_TIMES = (DATE, TIME, WEEKDAY)
_AMOUNTS = ("percent", "money", "duration")


@dataclass(frozen=True, slots=True)
class Statement:
    """A nominal statement: where its verb stands in `tokens`, and whether that is a copula."""

    tokens: tuple[Token, ...]
    verb: int
    is_copula: bool

    @property
    def subject(self) -> tuple[Token, ...]:
        """Give the tokens before the verb."""
        return self.tokens[: self.verb]

    @property
    def complement(self) -> tuple[Token, ...]:
        """Give the tokens after the verb."""
        return self.tokens[self.verb + 1 :]


def find_statement(tokens: Sequence[Token], signs: frozenset[int], language: Language, had_do: bool) -> Statement | str:
    """Find subject and finite verb of a plain present statement, or say why it is none.

    `signs` are the ends of tokens that a sign follows; `had_do` tells that a negation has left a bare verb.
    """
    words = language.words
    if _is_named_by_a_verb(tokens, language):
        tokens = [tokens[0]._replace(kind=TokenKind.NAME), *tokens[1:]]
    first = tokens[0]
    if first.text in words["others"] and not _is_noun_behind(tokens, language):
        return UNRESOLVED
    if first.text in words["you"] or first.text in words["yours"]:
        return ADDRESSED
    if first.kind is TokenKind.VALUE and len(tokens) > 1 and is_finite(tokens[1].text, language):
        return UNRESOLVED
    if first.text in words["transient"] and first.text not in words["determiners"]:
        return NO_FORM
    if len(first.raw) == 1 and first.raw.islower() and first.text not in words["determiners"]:
        # "x is 5": a variable, not a thing.
        return NO_FORM
    if first.kind is TokenKind.WORD and not _may_begin(tokens, language):
        return NO_FORM
    is_order = _is_order(tokens, language)
    for at in range(1, min(len(tokens) - 1, _MOST_SUBJECT)):
        token = tokens[at]
        if token.kind is not TokenKind.WORD:
            continue
        if token.text in words["wh"] or token.text in words["relative"] or token.text in _speakers(language):
            return NO_FORM
        if token.text in words["past_copula"]:
            return PAST_STATE
        if token.text in words["modal"] and not token.is_capitalised:
            return HYPOTHETICAL
        if token.text in words["future"]:
            return FUTURE
        if token.end in signs or tokens[at - 1].end in signs:
            # A list or an apposition: what follows is no verb of what stands before.
            return NO_FORM
        if _is_finite(tokens, at, language, had_do):
            if is_order and at > 1:
                return NO_FORM
            return _stated(tokens, at, language)
    return NO_FORM


def _is_named_by_a_verb(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether a sentence begins with a name that is a verb as well: "Paddle charges 2.9%"."""
    if len(tokens) < 3 or tokens[0].kind is not TokenKind.WORD or not tokens[0].is_capitalised:
        return False
    is_amount = tokens[2].kind is TokenKind.VALUE and tokens[2].type in _AMOUNTS
    return is_amount and tokens[0].text in language.verbs and tokens[1].text in language.third


def _is_order(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether a sentence may begin as an order ("escape table names …") rather than with what it speaks of.

    A word that is a verb as well counts as a noun only right before its verb: "support is available until 18:00".
    """
    first = tokens[0]
    words = language.words
    if first.kind is not TokenKind.WORD or first.text in words["labels"] or first.text in words["determiners"]:
        return False
    if language.third_of.get(first.text) in words["noun_verbs"]:
        # "Deploys to production need two approvals", but "escapes table names".
        return len(tokens) > 1 and tokens[1].text not in words["prepositions"]
    if first.text in language.third_of or first.text in words["participles"]:
        return True
    return first.text in language.verbs or (first.text.endswith("ed") and first.text not in words["plural_subjects"])


def has_marker(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether a noun phrase says that it has one value: main, favourite, default."""
    return holds_phrase(tokens, language.phrases["slot_markers"])


def _speakers(language: Language) -> frozenset[str]:
    return language.words["me"] | language.words["we"] | language.words["you"]


def _is_noun_behind(tokens: Sequence[Token], language: Language) -> bool:
    """Say whether a pronoun is a determiner: "this dog" but not "it costs"."""
    return len(tokens) > 2 and _is_noun(tokens[1], language) and tokens[1].text not in language.third


def _may_begin(tokens: Sequence[Token], language: Language) -> bool:
    first = tokens[0]
    words = language.words
    if first.text in words["determiners"] or first.text in words["plural_subjects"]:
        return True
    return _is_noun(first, language) and first.text not in words["prepositions"]


def _is_noun(token: Token, language: Language) -> bool:
    """Say whether a word can stand for a thing: no closed word, and a verb only where it is a noun as well."""
    if token.kind is TokenKind.NAME:
        return True
    if token.kind is not TokenKind.WORD:
        return False
    words = language.words
    word = token.text
    base = language.third_of.get(word, word)
    if base in language.verbs and not (
        base in words["noun_verbs"] or word in words["labels"] or word in words["events"]
    ):
        return False
    return word not in language.closed


def _is_finite(tokens: Sequence[Token], at: int, language: Language, had_do: bool) -> bool:
    """Say whether the word at a place can be the finite verb of what stands before it."""
    words = language.words
    word, before = tokens[at].text, tokens[_head(tokens, at, language)]
    follower = tokens[at + 1]
    if word in words["copula"] and at > 1 and _is_determined(tokens, at, language):
        # "The gate code is 4471": behind an article even what could be a verb is a noun.
        return True
    if at == 1 and before.text in language.third_of and word in language.verbs and word not in words["noun_verbs"]:
        # "Tickets get closed", "invoices go out": two verbs in a row begin no order.
        return True
    if not _can_be_head(before, language):
        return False
    if word in words["copula"]:
        return True
    is_followed_by_verb = follower.kind is TokenKind.WORD and (
        follower.text in words["copula"] or follower.text in words["past_copula"] or follower.text in words["modal"]
    )
    if is_followed_by_verb:
        return False
    if word in words["perfect"] or word in words["fact_modal"]:
        return True
    if word in language.third:
        is_bare = tokens[0].text not in words["determiners"]
        if is_bare and language.third_of[word] in words["more_noun"] and not _takes_object(follower, language):
            return False
        # "the team charges" but not "the charges": a noun in the plural can follow what is no noun alone.
        return _is_noun(before, language)
    if word in language.verbs:
        is_led = at > 2 and tokens[1].text in words["prepositions"] and _is_plural(tokens[0], language)
        return had_do or _is_plural(before, language) or is_led
    return _is_unlisted_verb(tokens, at, language)


def _is_determined(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a noun phrase with an article ends right before a place."""
    words = language.words
    before = tokens[at - 1]
    is_noun = before.kind is TokenKind.WORD and before.text not in language.closed
    return tokens[0].text in words["definite"] and is_noun and before.text not in words["possessive"]


def _is_unlisted_verb(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Take a word that no list knows for a verb where it looks like one and what follows says how often or when."""
    word, follower = tokens[at].text, tokens[at + 1]
    words = language.words
    looks = any(word.endswith(ending) and len(word) > len(ending) + 2 for ending in words["verb_endings"])
    if not looks or word in language.closed or tokens[at].is_capitalised or tokens[0].text not in words["definite"]:
        return False
    is_timed = follower.text in words["frequency"] or phrase_at(tokens, at + 1, language.phrases["frequency"]) > 0
    is_dated = follower.text in words["prepositions"] and at + 2 < len(tokens) and tokens[at + 2].type in _TIMES
    return at > 1 and (is_timed or is_dated or follower.type in _TIMES)


def _takes_object(follower: Token, language: Language) -> bool:
    """Say whether what follows can be the object of a verb: "release notes for …" has none."""
    return follower.text not in language.words["prepositions"] and follower.text not in language.words["and"]


def _head(tokens: Sequence[Token], at: int, language: Language) -> int:
    head = at - 1
    while head > 0 and (
        tokens[head].text in language.words["adverbs"]
        or tokens[head].text in language.words["frequency"]
        or tokens[head].text in language.words["focus"]
    ):
        head -= 1
    return head


def _can_be_head(token: Token, language: Language) -> bool:
    if token.kind is TokenKind.VALUE:
        return True
    if token.text in language.words["possessive"]:
        return False
    return _is_noun(token, language) and not (token.text.endswith("ed") and not token.is_capitalised)


def _is_plural(token: Token, language: Language) -> bool:
    word = token.text
    if word in language.words["plural_subjects"]:
        return True
    return token.kind is TokenKind.WORD and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _stated(tokens: Sequence[Token], at: int, language: Language) -> Statement | str:
    words = language.words
    head = _head(tokens, at, language)
    # A determiner inside the subject belongs to an imperative ("fix the parser"), save behind a preposition.
    for place in range(1, head + 1):
        before = tokens[place - 1].text
        inside = tokens[place].kind is TokenKind.WORD and tokens[place].text in words["determiners"]
        is_whole = place == 1 and before in words["quantifiers"]
        if inside and not is_whole and before not in words["prepositions"] and before not in words["and"]:
            return NO_FORM
    between = tokens[head + 1 : at]
    kept = [token for token in between if token.text in words["frequency"]]
    rest = [*tokens[: head + 1], tokens[at], *tokens[at + 1 :], *kept]
    statement = Statement(tuple(rest), head + 1, tokens[at].text in words["copula"])
    if all(token.text in words["prepositions"] - words["lasting"] for token in statement.complement):
        # "The letter opens with …": what was quoted there is cut, and nothing is said.
        return NO_FORM
    if statement.subject[0].text in words["demonstratives"] and statement.subject[-1].text not in words["grounded"]:
        return UNRESOLVED
    if tokens[at].text in words["perfect"] and is_perfect(statement.complement, language):
        return PAST_STATE
    return NOT_DURABLE if _is_passing(statement, language) or _is_general(statement, language) else statement


def is_perfect(complement: Sequence[Token], language: Language) -> bool:
    """Say whether a participle follows, so that what stands before it only carries the perfect."""
    words = language.words
    rest = [
        token for token in complement if token.text not in words["adverbs"] and token.text not in words["frequency"]
    ]
    return bool(rest) and (rest[0].text in words["participles"] or rest[0].text.endswith("ed"))


def tells_of(found: Sequence[Token], language: Language) -> bool:
    """Say whether a perfect tells a tale: the participle follows at once, or stands last where verbs do ("benutzt")."""
    last = found[-1]
    is_last = language.inverts and not last.is_capitalised and _PARTICIPLE.fullmatch(last.text) is not None
    return is_last or (not language.inverts and found[0].raw.endswith(_PERFECT_ENDS))


def _is_general(statement: Statement, language: Language) -> bool:
    """Say whether a statement gives an opinion or a truth about life at large rather than a fact of this subject."""
    words = language.words
    subject, complement = statement.subject, statement.complement
    verb = statement.tokens[statement.verb].text
    if language.third_of.get(verb, verb) in words["impressions"]:
        return True
    if phrase_at(complement, 0, language.phrases["evaluating"]):
        return True
    has_value = any(token.kind in (TokenKind.VALUE, TokenKind.NAME) for token in complement)
    if not has_value and any(token.text in words["addressing"] for token in complement):
        return True
    first = subject[0]
    if _is_knowledge(statement, language) or _is_talk(subject, language):
        return True
    if statement.is_copula and subject[-1].text in words["generic"] and complement[0].text in words["my"]:
        # "Chocolate is my therapist".
        return True
    if (
        first.text in words["my"]
        and complement
        and complement[0].text in words["my"]
        and not has_marker(complement, language)
    ):
        return True
    if first.text in language.ing and len(subject) > 1 and not has_value:
        return True
    if (
        statement.is_copula
        and len(subject) == len(complement) == 1
        and not has_value
        and not complement[0].is_capitalised
        and complement[0].text not in words["lasting"]
    ):
        # "Time is money".
        return True
    is_bare_plural = first.text not in words["determiners"] and len(subject) <= 2 and _is_plural(subject[-1], language)
    is_specific = has_value or any(
        token.is_capitalised or token.text in words["frequency"] or token.text in words["definite"]
        for token in complement
    )
    return is_bare_plural and not is_specific


def _is_knowledge(statement: Statement, language: Language) -> bool:
    """Say whether a statement is of the world at large: of people, what anything is made of, countries, "a year …".

    What names something of the speaker's speaks of that.
    """
    words = language.words
    tokens = statement.tokens
    if any(
        token.text in words["my"] or token.text in words["we"] or token.text in words["addressing"] for token in tokens
    ):
        return False
    if holds_phrase(tokens, language.phrases["world"]):
        return True
    subject = statement.subject
    first = subject[0].text
    if first in words["articles"] and first not in words["definite_articles"]:
        return True
    bare = [token for token in subject if token.text not in words["articles"]]
    if language.bare_generics and len(bare) < len(subject):
        return False
    known = words["generic"] | words["people"]
    if not language.bare_generics and len(bare) < len(subject):
        return len(bare) <= _MOST_GENERIC + 1 and bare[0].text in known
    return 0 < len(bare) <= _MOST_GENERIC and bare[-1].text in known


def _is_talk(subject: Sequence[Token], language: Language) -> bool:
    """Say whether a subject is of the talk itself: "my question", "my favourite part of your answer"."""
    words = language.words
    if any(token.text in words["you"] or token.text in words["yours"] for token in subject):
        return True
    return subject[0].text in words["my"] and subject[-1].text in words["talk_nouns"]


def _is_workpiece(subject: Sequence[Token], language: Language) -> bool:
    """Say whether a subject is the piece of work at hand alone: "my query returns …", "my variable is …"."""
    words = language.words
    return len(subject) == _MOST_GENERIC and subject[0].text in words["my"] and subject[1].text in words["workpieces"]


def _is_passing(statement: Statement, language: Language) -> bool:
    """Say whether a copula joins what lasts no longer than the moment: "is running", "is late"."""
    rest = statement.complement
    if len(rest) > 1 and rest[1].type == "duration" and rest[1].canonical.endswith(" ms") and rest[0].text == "in":
        return True
    if not statement.is_copula and _is_workpiece(statement.subject, language):
        return True
    # What is somebody's favourite lasts, though it be green, which a build is for a moment.
    if not statement.is_copula or any(token.text in language.words["lasting"] for token in statement.subject):
        return False
    articles = language.words["definite_articles"]
    if _is_workpiece(statement.subject, language):
        return True
    bare = [token for token in statement.subject if token.text not in articles]
    plain = [token for token in bare if token.text not in language.words["my"]]
    says_what = any(token.kind is not TokenKind.WORD or token.is_capitalised for token in statement.complement)
    if len(plain) == 1 < len(bare) and plain[0].text in language.words["vague_nouns"] and not says_what:
        return True
    if len(bare) == 1 and bare[0].text in language.words["vague_nouns"]:
        # "The log is full"; a tide log is a thing of its own.
        return True
    complement = [token for token in statement.complement if token.text not in language.words["adverbs"]]
    if not complement:
        return True
    first = complement[0].text
    is_remark = (
        statement.subject[0].text in articles
        and len(complement) == 1
        and first not in language.words["lasting"]
        and not has_marker(statement.subject, language)
    )
    if is_remark and complement[0].kind is TokenKind.WORD and not complement[0].is_capitalised:
        # "The printer is jammed", "the coffee is weak": a remark on what is there.
        return True
    if len(complement) > 1 and complement[1].type == "duration" and complement[1].canonical.endswith(" ms"):
        # "Our demo is in ten minutes".
        return complement[0].kind is TokenKind.WORD
    if first in language.ing and first not in language.words["lasting"]:
        return True
    return first in language.words["transient"] and len(complement) <= 2
