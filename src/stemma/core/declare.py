"""What a clause declares: a form of the language file, a slot of a definite copula, or a plain present statement."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stemma.core.declaration import Declaration
from stemma.core.forms import FIRST, PAST, THIRD, Form, Variant, variants_for
from stemma.core.language_table import Language
from stemma.core.nominal import (
    FUTURE,
    NO_FORM,
    NOT_DURABLE,
    PAST_STATE,
    UNRESOLVED,
    Statement,
    find_statement,
    has_marker,
    is_perfect,
)
from stemma.core.objects import CHECKS, is_blank, is_blank_object
from stemma.core.own_world import own_world
from stemma.core.piece import Piece
from stemma.core.reading import Reading
from stemma.core.registry import SLOT_PREFIX
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, WEEKDAY, bare_name, canonical_of
from stemma.records import Act

# What a clause that no form knows may be refused for, and yet say something of the speaker's own world.
_OPEN = frozenset({NO_FORM, FUTURE, PAST_STATE, UNRESOLVED, NOT_DURABLE})
# "in 2017", "last year": the time of a tale, not the bounds of a stay.
_ONE_PHRASE = 2
EMPLOYER = "employer"


def declare(reading: Reading, language: Language, is_remembered: bool = False) -> Declaration | str:
    """Find what a clause declares, or give the closed reason why nothing.

    `is_remembered` takes a statement without subject as one about the user: "retries failed charges".
    """
    tokens = reading.tokens
    if not tokens or all(token.kind is not TokenKind.WORD for token in tokens):
        return "code" if any(token.raw.startswith("`") for token in tokens) else NO_FORM
    piece = Piece(reading, language)
    text, starts = _joined(tokens)
    if (found := _by_form(piece, text, starts, is_remembered)) is not None:
        return _in_time(found, reading)
    stated = _own_statement(piece) if reading.person is not None else _nominal(piece, reading)
    if is_remembered or stated not in _OPEN:
        return stated
    return own_world(piece, stated) or stated


def _in_time(found: Declaration, reading: Reading) -> Declaration | str:
    """Refuse what is only to come and says not when."""
    return FUTURE if reading.is_future and reading.window.valid_from is None else found


def _joined(tokens: Sequence[Token]) -> tuple[str, list[int]]:
    """Join the words that the patterns run over, with the place where each begins."""
    parts = [_shape(token) for token in tokens]
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        at += len(part) + 1
    return " ".join(parts), starts


def _shape(token: Token) -> str:
    if token.kind is TokenKind.VALUE:
        return f"#{token.type}"
    return "#name" if token.kind is TokenKind.NAME else token.text


def _by_form(piece: Piece, text: str, starts: list[int], is_remembered: bool) -> Declaration | None:
    """Try the forms in the order of the file: own ones where the subject is own, then the free ones."""
    reading, language = piece.reading, piece.language
    first = text.partition(" ")[0]
    persons = _persons(reading, language, is_remembered)
    if persons:
        for variant in variants_for(language.forms.own, first):
            if variant.person in persons and (found := _match(variant, piece, text, starts)) is not None:
                return found
    if reading.person is None:
        for variant in variants_for(language.forms.free, first):
            if (found := _match(variant, piece, text, starts)) is not None:
                return found
    return None


def _persons(reading: Reading, language: Language, is_remembered: bool) -> tuple[str, ...]:
    if reading.person is not None:
        return (reading.person, PAST)
    if is_remembered:
        return (THIRD, FIRST, PAST)
    return (FIRST, PAST) if language.pro_drop else ()


def _match(variant: Variant, piece: Piece, text: str, starts: list[int]) -> Declaration | None:
    match = variant.match(text)
    if match is None:
        return None
    form = variant.form
    groups = match.groupdict()
    value: tuple[Token, ...] = ()
    canonical: str | None = None
    if groups.get("value") is not None:
        begin = starts.index(match.start("value"))
        end = begin + match["value"].count(" ") + 1
        checked = CHECKS[form.value](piece, begin, end)
        if checked is None:
            return None
        value, canonical = checked
        if form.scope == EMPLOYER and (named := _without_firm(value, piece.language)) != value:
            value, canonical = named, canonical_of(named)
    elif form.claim_key is not None:
        return None
    kind = "habit" if form.name == "own" and piece.reading.is_frequent else form.kind
    act = Act.END if variant.person == PAST and form.act is Act.SAY else form.act
    window = piece.reading.window
    is_over = window.valid_from is not None and window.valid_to is not None and len(window.taken) <= _ONE_PHRASE
    if act is Act.END and is_over and form.act is Act.SAY and variant.person == PAST:
        # "In 2017 I worked in Piraeus" is a tale of then; "from 2010 to 2015" bounds a stay.
        return None
    return Declaration(
        name=form.name,
        kind=kind,
        act=act,
        value=value,
        claim_key=form.claim_key,
        scope=form.scope,
        canonical=canonical,
        frame=() if form.claim_key is not None else _frame_tokens(piece),
        keyword=_keyword(form, piece),
        window=form.window,
    )


def _without_firm(value: tuple[Token, ...], language: Language) -> tuple[Token, ...]:
    """Give an employer's name without the word for one: "شركة أرامكو" is أرامكو."""
    firms = language.comparing.roles.firms
    while len(value) > 1 and value[0].text in firms:
        value = value[1:]
    while len(value) > 1 and value[-1].text in firms:
        value = value[:-1]
    return value


def _keyword(form: Form, piece: Piece) -> str:
    """Give the word whose sense the similarity step has to settle, "" where the form is plain."""
    if form.is_ambiguous:
        return piece.tokens[0].text
    ambiguous = piece.language.words["ambiguous"]
    return next((token.text for token in piece.tokens[:2] if token.text in ambiguous), "")


def _frame_tokens(piece: Piece) -> tuple[Token, ...]:
    reading = piece.reading
    if not reading.is_we:
        return reading.tokens
    we = next((token for token in reading.says if token.text in piece.language.words["we"]), None)
    return reading.tokens if we is None else (we, *reading.tokens)


def _own_statement(piece: Piece) -> Declaration | str:
    """Take a habit with any verb of the language ("I sail every Sunday"); any other own clause has no form."""
    reading, language = piece.reading, piece.language
    first = reading.tokens[0].text
    if first in language.words["copula"]:
        is_lasting = len(reading.tokens) > 2 and reading.tokens[1].text in language.words["lasting"]
        if is_lasting and not is_blank_object(piece, 2):
            return Declaration("occupation", "fact", reading.act, (), frame=_frame_tokens(piece))
        if reading.is_frequent and len(reading.tokens) > 2:
            return Declaration("habit", "habit", reading.act, (), frame=_frame_tokens(piece))
        if _is_called(reading.tokens[1:], language):
            return Declaration("self", "fact", reading.act, (), frame=_frame_tokens(piece))
        return NOT_DURABLE
    if first in language.words["past_copula"] or (first.endswith("ed") and first not in language.verbs):
        return PAST_STATE
    if first in language.words["perfect"]:
        return PAST_STATE if is_perfect(reading.tokens[1:], language) else NO_FORM
    is_verb = (
        first in language.verbs or first in language.own_verbs or (reading.person == THIRD and first in language.third)
    )
    if is_verb and reading.is_frequent and not is_blank_object(piece, 1):
        return Declaration("habit", "habit", reading.act, (), frame=_frame_tokens(piece))
    if reading.is_we and _is_our_way(piece):
        return Declaration("practice", "fact", reading.act, (), frame=_frame_tokens(piece))
    if first in language.verbs and _is_practice(piece):
        return Declaration("practice", "fact", reading.act, (), frame=_frame_tokens(piece))
    return NO_FORM


def _is_called(words: Sequence[Token], language: Language) -> bool:
    """Say whether "I am" is followed by what somebody is called or belongs to: "Marco", "Portuguese"."""
    known = language.words["transient"]
    names = [token.kind is TokenKind.WORD and token.is_capitalised and token.text not in known for token in words]
    return language.capitals and 1 <= len(names) <= 2 and all(names) and not all(token.raw.isupper() for token in words)


def _is_practice(piece: Piece) -> bool:
    """Say whether a present verb tells what is done again and again: "we tag releases", "I don't drive".

    A verb of the moment (see, click, mean) tells none, and alone only what is never done.
    """
    reading, language = piece.reading, piece.language
    words = language.words
    verb, rest = reading.tokens[0], reading.tokens[1:]
    if verb.text in words["passing_verbs"]:
        return False
    if not rest:
        return reading.is_negated
    is_definite = rest[0].text in words["definite_articles"] and not reading.is_we
    return (
        not is_definite and rest[0].text not in words["others"] and CHECKS["thing"](piece, 1, 1 + len(rest)) is not None
    )


def _is_our_way(piece: Piece) -> bool:
    """Say whether any verb in our person tells how we do something: with an amount, how often, or where we are."""
    reading, language = piece.reading, piece.language
    words = language.words
    verb, rest = reading.tokens[0], reading.tokens[1:]
    is_verb = any(verb.text.endswith(end) and len(verb.text) > len(end) + 1 for end in words["we_endings"])
    if not is_verb or not rest or verb.text in words["passing_verbs"] or verb.text in language.closed:
        return False
    if reading.is_future or reading.window.valid_from is not None or rest[0].text in words["others"]:
        return False
    is_measured = any(token.kind is TokenKind.VALUE and token.type != DATE for token in rest)
    is_here = any(token.text in words["here"] for token in reading.says)
    return is_measured or reading.is_frequent or is_here


def _nominal(piece: Piece, reading: Reading) -> Declaration | str:
    language = piece.language
    if reading.is_order:
        return NO_FORM
    found = find_statement(reading.tokens, piece.sign_ends, language, reading.had_do)
    if isinstance(found, str):
        return found
    if (slot := _slot(found, piece)) is not None:
        return slot
    if not found.complement or is_blank(found.complement, language):
        return UNRESOLVED if found.complement else NO_FORM
    is_event = any(token.text in language.words["events"] for token in found.subject)
    # An hour alone says when something takes place again and again, or anew: "the standup starts at 9:15".
    has_date = any(token.type in (DATE, WEEKDAY) for token in found.complement)
    is_dated = has_date or reading.window.valid_from is not None
    return Declaration(
        name="statement",
        kind="event" if is_event and is_dated else "fact",
        act=reading.act,
        value=(),
        frame=found.tokens,
        subject=found.verb,
        window="to" if is_event else "both",
    )


def _slot(statement: Statement, piece: Piece) -> Declaration | None:
    """Infer a slot from a definite copula: "our main database is X" (design: D-25).

    Only where what follows is a value or a name as a whole, or where the noun says that it has one value.
    """
    language = piece.language
    words = language.words
    subject, complement = statement.subject, statement.complement
    if _is_inverted(statement, language):
        subject, complement = complement, subject
    begins = subject[0].text in words["definite"]
    owner = any(token.text in words["possessive"] for token in subject)
    if not statement.is_copula or not (begins or owner) or not 1 <= len(subject) - begins <= 5 or not complement:
        return None
    noun = subject[1:] if begins else subject
    complement = _bare_complement(complement, language, owner)
    is_article = len(complement) > 1 and complement[0].text in words["articles"]
    if is_article and all(each.kind is not TokenKind.VALUE and _names(each, language) for each in complement[1:]):
        # "A nossa fila é o RabbitMQ": the article of a name.
        complement = complement[1:]
    if any(token.kind is TokenKind.VALUE for token in noun) or complement[0].text in words["determiners"]:
        return None
    is_marked = has_marker(noun, language)
    is_typed = all(token.kind is TokenKind.VALUE for token in complement)
    is_named = len(complement) <= 3 and all(_names(token, language) for token in complement)
    is_short = len(complement) <= 4 and not any(
        token.text in words["prepositions"] or token.text in words["wh"] for token in complement
    )
    if not (is_typed or is_named or (is_marked and is_short)):
        return None
    key = " ".join(bare_name(token.text) for token in noun).replace(" '", "'")
    is_kin = _is_kin(noun, language)
    is_liking = any(token.text in words["liking"] for token in noun)
    return Declaration(
        name="slot",
        kind="relationship" if is_kin else "preference" if is_liking else "fact",
        act=piece.reading.act,
        value=complement,
        claim_key=f"{SLOT_PREFIX}{key}",
        canonical=canonical_of(complement),
    )


def _is_kin(noun: Sequence[Token], language: Language) -> bool:
    """Say whether a noun phrase speaks of kin themselves, not of what is theirs: "my sister", "my son's bedtime"."""
    relatives = language.phrases["relatives"]
    if language.comparing.fronts.noun_first:
        return any(phrase_at(noun, at, relatives) for at in (0, 1) if at < len(noun))
    end = next((at for at, token in enumerate(noun) if token.text in language.words["prepositions"]), len(noun))
    return any(at + phrase_at(noun[:end], at, relatives) == end for at in range(end) if noun[at].text in relatives)


def _bare_complement(complement: tuple[Token, ...], language: Language, has_owner: bool) -> tuple[Token, ...]:
    """Leave out what only stands beside the value of a slot: "still Postgres", "on 4 May"."""
    adverbs = language.words["adverbs"]
    while len(complement) > 1 and complement[0].text in adverbs:
        complement = complement[1:]
    while len(complement) > 1 and complement[-1].text in adverbs:
        complement = complement[:-1]
    leads = language.late.moment_leads | language.words["articles"]
    is_dated = has_owner and complement[-1].type in (DATE, WEEKDAY)
    return complement[-1:] if is_dated and all(token.text in leads for token in complement[:-1]) else complement


def _is_inverted(statement: Statement, language: Language) -> bool:
    """Say whether the slot stands behind the copula: "vim is my favourite editor"."""
    subject, complement = statement.subject, statement.complement
    words = language.words
    if not 2 <= len(complement) <= 4 or len(subject) > 3 or complement[0].text not in words["definite"]:
        return False
    if subject[0].text in words["determiners"] or any(token.text in words["prepositions"] for token in complement):
        return False
    return has_marker(complement[1:], language)


def _names(token: Token, language: Language) -> bool:
    if token.kind is not TokenKind.WORD:
        return True
    return token.is_capitalised or re.search(r"\d", token.text) is not None


__all__ = ["Declaration", "declare"]
