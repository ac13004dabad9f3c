"""A place, time or purpose that a remembered sentence begins with, put behind what it speaks of.

"En verano la piscina abre a las 10" is read as "la piscina abre a las 10 en verano". Where lists do not show the end of
what stands in front, the sentence stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from stemma.core.grouping import end_of_group, is_light, is_verb, leads
from stemma.core.language_table import Language
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, MONEY, NUMBER, WEEKDAY

_MOST_FRONT = 8
_MOST_SUBJECT = 7
_AMOUNTS = frozenset({MONEY, NUMBER, "percent", "duration", "mass", "length", "volume", "size", "power", "temperature"})


def fronts_behind(tokens: Sequence[Token], language: Language) -> list[Token]:
    """Put what a sentence begins with behind it, and an inverted verb behind its subject; else give it as it is."""
    end = len(tokens)
    while end and tokens[end - 1].kind is TokenKind.SIGN:
        end -= 1
    says, closing = list(tokens[:end]), tokens[end:]
    cut = _end_of_front(says, language)
    if not cut:
        return [*_beside_subject(says, language), *closing]
    front, rest = says[:cut], says[cut:]
    if rest[0].kind is TokenKind.SIGN:
        rest = rest[1:]
    if not _may_begin(rest, language):
        return list(tokens)
    return [*_beside_subject([*_subject_first(rest, language), *front], language), *closing]


def _beside_subject(says: Sequence[Token], language: Language) -> list[Token]:
    """Put what stands behind the value of a copula beside what has it: "the fee is 5 euros for members"."""
    words = language.words
    joint = next((at for at, token in enumerate(says[:_MOST_SUBJECT]) if token.text in words["copula"]), 0)
    value = joint + 1
    while value < len(says) and (leads(says[value], language) or says[value].text in language.late.partitives):
        value += 1
    behind = value + 1
    if not joint or behind >= len(says) or not is_light(says[0], language) or says[value].type not in _AMOUNTS:
        return list(says)
    rest = says[behind:]
    is_rate = any(token.text in language.late.unit_names or token.kind is not TokenKind.WORD for token in rest)
    if is_rate or not leads(rest[0], language) or any(is_verb(token, language) for token in rest):
        return list(says)
    return [*says[:joint], *rest, *says[joint:behind]]


def _end_of_front(says: Sequence[Token], language: Language) -> int:
    """Give the place behind what a sentence begins with, 0 where it begins with what it speaks of.

    What is written without blanks has particles instead, and its groups stand where they stand.
    """
    words = language.words
    first = says[0] if says else None
    if (
        first is None
        or language.comparing.is_unspaced
        or first.text in words["asides"]
        or phrase_at(says, 0, language.phrases["standing"])
    ):
        return 0
    lead = _lead(says, language)
    if not leads(first, language) or phrase_at(says, 0, language.comparing.fronts.phrases):
        # What is listed as a whole ends where it ends; only behind a preposition the end has to be found.
        return lead if 0 < lead < len(says) - 1 else 0
    if not language.words["definite_articles"]:
        # Nothing else shows where the next noun begins: "до Казани поезд …".
        end = end_of_group(says, 0, language)
        return end if 0 < end < len(says) - 1 and (_is_own(says[end], language) or _is_verb(says[end], language)) else 0
    for at in range(lead, min(_MOST_FRONT + 1, len(says) - 1)):
        token, before = says[at], says[at - 1]
        if token.raw in (",", "，", "、"):
            return at
        if token.kind is TokenKind.SIGN:
            return 0
        is_behind_noun = before.text not in words["prepositions"] and not is_light(before, language)
        if is_behind_noun and (_is_own(token, language) or is_light(token, language) or _is_verb(token, language)):
            return at
    return 0


def _lead(says: Sequence[Token], language: Language) -> int:
    """Give the fewest tokens that what stands in front takes: a preposition and its noun, a day, a listed phrase."""
    fronts = language.comparing.fronts
    if used := phrase_at(says, 0, fronts.phrases):
        return used
    if leads(says[0], language):
        return 2
    if says[0].text in fronts.adjuncts and says[0].kind is TokenKind.WORD:
        return 1
    moment = language.late.moment_leads | language.late.date_leads | language.words["articles"]
    weekday = next((at for at, token in enumerate(says[:3]) if token.type == WEEKDAY), -1)
    if 0 <= weekday < len(says) - 2:
        # "Every Friday we …", and not "Friday is our day off".
        every = moment | language.words["determiners"] | language.late.per.keys()
        is_led = all(token.text in every for token in says[:weekday])
        follower = says[weekday + 1]
        begins = _is_own(follower, language) or is_light(follower, language) or follower.raw in (",", "，", "、")
        return weekday + 1 if is_led and begins else 0
    dated = next((at for at, token in enumerate(says[:3]) if token.type == DATE), -1)
    return dated + 1 if dated >= 0 and all(token.text in moment for token in says[:dated]) else 0


def _is_own(token: Token, language: Language) -> bool:
    is_personal = any(token.text in language.words[name] for name in ("me", "we", "persons"))
    # Folded, "él" is the article.
    return is_personal and token.text not in language.words["determiners"]


def _is_verb(token: Token, language: Language) -> bool:
    """Say whether a verb stands here: a listed one, or one in our person."""
    if is_verb(token, language):
        return True
    endings = language.words["we_endings"]
    is_ours = any(token.text.endswith(end) and len(token.text) > len(end) + 1 for end in endings)
    return token.kind is TokenKind.WORD and is_ours and token.text not in language.closed and not token.is_capitalised


def _may_begin(rest: Sequence[Token], language: Language) -> bool:
    """Say whether a statement begins here: somebody or something, or its verb; no order, question or request."""
    if len(rest) < 2 or rest[0].kind not in (TokenKind.WORD, TokenKind.NAME):
        return False
    words = language.words
    return rest[0].text not in words["wh"] | words["conditional"] | words["answering"]


def _subject_first(rest: Sequence[Token], language: Language) -> list[Token]:
    """Put an inverted verb behind its subject: "kostet das Menü 7 Euro" is "das Menü kostet 7 Euro"."""
    is_inverted = is_verb(rest[0], language) and (is_light(rest[1], language) or _is_own(rest[1], language))
    if not is_inverted or (rest[0].text in language.own_verbs and not _is_own(rest[1], language)):
        return list(rest)
    end = 2 if _is_own(rest[1], language) else _end_of_subject(rest, language)
    return [*rest[1:end], rest[0], *rest[end:]]


def _end_of_subject(rest: Sequence[Token], language: Language) -> int:
    """Give the place behind the subject that follows its verb: before a value, a denial, an adverb, an object."""
    words = language.words
    stops = words["adverbs"] | words["negation"] | words["frequency"] | words["focus"] | words["no"]
    for at in range(2, len(rest)):
        token, before = rest[at], rest[at - 1]
        if token.kind in (TokenKind.VALUE, TokenKind.SIGN) or token.text in stops:
            return at - (leads(before, language) or before.text in language.late.date_leads) if at > 2 else at
        if is_light(token, language) and not leads(before, language) and not is_light(before, language):
            is_of = before.text in language.late.partitives or before.text in language.numerals.date_links
            if not is_of:
                return at
        if at == len(rest) - 1 and leads(token, language):
            return at
    return len(rest)
