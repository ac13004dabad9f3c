"""A statement that no form declares, made ready to be compared: plainer wording, finished events, slots of a copula."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from stemma.core.compare_words import is_past
from stemma.core.declare import Declaration
from stemma.core.language_table import Language
from stemma.core.reading import Reading
from stemma.core.registry import REMEMBER_KIND, SLOT_PREFIX
from stemma.core.roles import NO_COPULA, code_of, role_key, role_of
from stemma.core.sections import Phrase
from stemma.core.sentences import phrase_at
from stemma.core.tokens import Token, TokenKind
from stemma.core.values import DATE, IDENTITY, NUMBER, WEEKDAY, canonical_of
from stemma.records import Act

EVENT, RELATIONSHIP, HABIT = "event", "relationship", "habit"
# A date of a day: with its month, with or without its year.
_DAY = re.compile(r"-\d\d-\d\d$")
_ROUNDS = 4
_MOST_TITLE = 7
_LEAST_ORDER = 4
_MOST_FRONT = 3
# Whose kin somebody is and a name: "أخي سامي".
_NAMED = 2
# What a courtesy taken off the front leaves behind.
_COMMAS = frozenset(",，、،")


def plainer(tokens: Sequence[Token], language: Language) -> list[Token]:
    """Write a text to be remembered as plainly as its language's file can: phrases replaced, titles made sentences.

    In the file `^` is the beginning, `#` any number in figures, `*ed` any word with that end, `~ing` a listed verb in
    that form; `*` puts back what those stood for, `~` the verb's base form, `~s` its third person.
    """
    found = _without_clitic(_named_after(_titled(tokens, language), language), language)
    for _ in range(_ROUNDS):
        before = [token.text for token in found]
        found = _replaced(found, language)
        if [token.text for token in found] == before:
            break
    return found


def _replaced(tokens: Sequence[Token], language: Language) -> list[Token]:
    found: list[Token] = []
    at = 0
    lasts = any(token.text in language.comparing.since for token in tokens)
    while at < len(tokens):
        for old, new in _candidates(language.comparing.plainer, tokens, at):
            if lasts and old[0] in language.words["perfect"] and new == ("*",):
                # "I have lived in Porto since 2019" tells of today.
                continue
            kept = _matched(tokens, at, old, language)
            if kept is not None:
                found.extend(_written(tokens[at : at + len(old)], new, kept, language))
                at += len(old)
                break
        else:
            found.append(tokens[at])
            at += 1
    while len(found) > 1 and found[0].raw in _COMMAS:
        del found[0]
    return found if found else list(tokens)


def _candidates(
    table: Mapping[str, Sequence[tuple[Phrase, Phrase]]], tokens: Sequence[Token], at: int
) -> Sequence[tuple[Phrase, Phrase]]:
    listed = [*table.get(tokens[at].text, ()), *table.get("~ing", ())]
    if at == 0:
        listed += [(old[1:], new) for old, new in table.get("^", ()) if len(old) > 1]
    return sorted(listed, key=lambda pair: (-len(pair[0]), any(word[0] in "#*~" for word in pair[0])))


def _matched(tokens: Sequence[Token], at: int, old: Phrase, language: Language) -> Sequence[Token] | None:
    """Give the tokens that the phrase's open elements stand for, None where it does not stand here."""
    if at + len(old) > len(tokens):
        return None
    kept: list[Token] = []
    for place, word in enumerate(old, start=at):
        token = tokens[place]
        if _is_open_to(word, tokens, place, language):
            kept.append(token)
        elif token.kind is TokenKind.NAME or token.text != word:
            return None
    return kept


def _is_open_to(word: str, tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether an open element of a phrase stands for the token at a place."""
    token = tokens[at]
    if word == "#":
        return token.kind is TokenKind.NUMBER or token.text in language.numerals.numbers
    if token.kind is not TokenKind.WORD:
        return False
    if word == "~ing":
        return _is_progressive(tokens, at, language)
    return word[0] == "*" and token.text.endswith(word[1:])


def _is_progressive(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Say whether a verb in -ing tells what somebody does, not what a sentence speaks of: "heating is on"."""
    word, follower = tokens[at].text, tokens[at + 1].text if at + 1 < len(tokens) else ""
    words = language.words
    is_noun = follower in words["copula"] | words["past_copula"] | words["modal"] | words["perfect"]
    return word in language.ing and word not in words["lasting"] and not is_noun


def _written(old: Sequence[Token], new: Phrase, kept: Sequence[Token], language: Language) -> Iterator[Token]:
    for word in new:
        if word == "*":
            yield kept[0]
        elif word == "~":
            yield kept[0]._replace(text=language.ing[kept[0].text])
        elif word == "~s":
            base = language.ing[kept[0].text]
            yield kept[0]._replace(text=next((form for form, of in language.third_of.items() if of == base), base))
        else:
            kind = TokenKind.NUMBER if word.isdecimal() else TokenKind.WORD
            raw = next((token.raw for token in old if token.text == word), word)
            yield old[0]._replace(kind=kind, text=word, raw=raw, end=old[-1].end)


def _named_after(tokens: list[Token], language: Language) -> list[Token]:
    """Write out the verb in "my manager's Julia Stern": nothing but a name follows, to the end."""
    for at, token in enumerate(tokens[1:-1], start=1):
        if token.text in language.words["possessive"] and language.comparing.colon:
            rest = [each for each in tokens[at + 1 :] if each.kind is not TokenKind.SIGN]
            if all(each.is_capitalised or each.kind is TokenKind.NAME for each in rest):
                copula = language.comparing.colon[-1]
                return [*tokens[:at], token._replace(text=copula, raw=copula), *tokens[at + 1 :]]
    return tokens


def _without_clitic(tokens: list[Token], language: Language) -> list[Token]:
    """Write the pronoun that an order carries as a word of its own: "tutéame", "no me tutees"."""
    first = tokens[0]
    for clitic in language.comparing.clitics:
        cut = len(first.text) - len(clitic)
        if (
            first.kind is TokenKind.WORD
            and first.text.endswith(clitic)
            and cut >= _LEAST_ORDER
            and len(first.raw) > cut
        ):
            middle = first.start + cut
            pronoun = first._replace(text=clitic, raw=first.raw[cut:], start=middle)
            return [pronoun, first._replace(text=first.text[:cut], raw=first.raw[:cut], end=middle), *tokens[1:]]
    return tokens


def _titled(tokens: Sequence[Token], language: Language) -> list[Token]:
    """Write "Refund window: 30 days" as a sentence."""
    article, copula = (*language.comparing.colon, "", "")[:2]
    at = next((at for at, token in enumerate(tokens[:_MOST_TITLE]) if token.raw in (":", "：")), 0)
    head = tokens[:at]
    is_title = 0 < at < len(tokens) - 1 and all(token.kind is TokenKind.WORD for token in head)
    if not copula or not is_title or (at == 1 and head[0].text in language.words["labelled"]):
        return list(tokens)
    colon = tokens[at]._replace(kind=TokenKind.WORD, text=copula, raw=copula)
    has_article = not article or head[0].text in language.words["determiners"]
    led = [] if has_article else [head[0]._replace(text=article, raw=article, end=head[0].start)]
    return [*led, *head, colon, *tokens[at + 1 :]]


def standing(tokens: Sequence[Token], language: Language) -> list[Token]:
    """Mark an order on how to answer as a standing one, as ingest knows it: "answer in metric units"."""
    phrase = language.comparing.standing
    words = language.words
    front = 0
    skipped = words["frequency"] | words["negation"] | words["do"] | language.comparing.order_pronouns
    while front < min(_MOST_FRONT, len(tokens)) and tokens[front].text in skipped:
        front += 1
    if not phrase or front >= len(tokens) or tokens[front].text not in words["answering"]:
        return list(tokens)
    if tokens[front].raw.lower() in words["prepositions"]:
        # Folded, the order "dê" is the preposition "de".
        return list(tokens)
    first = tokens[0]
    led = [first._replace(kind=TokenKind.WORD, text=word, raw=word, end=first.start) for word in phrase]
    return [*led, *tokens]


def undeclared(reading: Reading, says: Sequence[Token], language: Language) -> Declaration:
    """Give the declaration of a clause without a form: a slot, an event, or its own words as a note.

    The values of an event that is over name it: another year is another event, and none contests the other (R-35).
    """
    tokens = reading.tokens or tuple(says)
    if (slot := _slot(reading, language)) is not None:
        return slot
    written = _written_words(reading)
    if reading.person is not None and not _is_owner(reading, language):
        tokens = tuple(map(_named_weekday, tokens))
    is_named = is_past(written, language.comparing) or _is_plan(reading, language)
    if is_named:
        tokens = _all_named(reading, tokens)
    dated = any(token.type in (DATE, WEEKDAY) for token in reading.says)
    is_event = dated and any(pattern.search(written) for pattern in language.comparing.events)
    window = "both"
    if tokens and tokens[-1].type == IDENTITY and reading.window.taken:
        # "On 3 February in Hall B": what bounds nothing here is told with the rest, and not left out.
        window, tokens = "none", tokens if is_named else _with_times(reading, tokens)
    kind = EVENT if is_event else REMEMBER_KIND
    return Declaration("note", kind, reading.act, (), frame=tuple(tokens), is_ordered=True, window=window)


def over(found: Declaration, reading: Reading, language: Language) -> Declaration:
    """Give a declaration of an event that is over with its values as part of its name; any other as it is."""
    if not found.frame:
        return found
    slot = _slot(reading, language) if found.kind == RELATIONSHIP else None
    is_marked = not language.comparing.slot_markers.isdisjoint(token.text for token in reading.tokens)
    if slot is not None and is_marked and all(map(_is_name, slot.value)):
        # "Mein Hausarzt ist jetzt Dr. Kolb": of brothers there may be several, of these one has one.
        return slot
    if found.kind == HABIT and _is_always(reading, language):
        # "I always park here", "I never do" and "I do" are of one kind.
        found = replace(found, kind="fact")
    if not is_past(_written_words(reading), language.comparing):
        if found.kind == EVENT and _is_of_one(reading, language):
            # "The board meeting is on 12 March": it has one day, and another day is the same one moved.
            found = replace(found, kind="fact")
        # "I swim on Mondays": somebody who does so on Tuesdays as well takes nothing back.
        is_own = reading.person is not None or (language.pro_drop and found.frame[0].text in language.own_verbs)
        if is_own and found.claim_key is None and any(map(_is_day, found.frame)):
            # "Tengo dentista el 3 de mayo": another day is another time.
            found = replace(found, frame=tuple(_named(each) if _is_day(each) else each for each in found.frame))
        if found.kind == RELATIONSHIP and _is_told(found.frame, language):
            # How many of them there are is one number, and what they do is no name of theirs.
            found = replace(found, kind="fact")
        return replace(found, frame=tuple(map(_named_weekday, found.frame))) if is_own else found
    return replace(found, frame=_all_named(reading, found.frame), window="none")


def filled(says: Sequence[Token], reading: Reading, language: Language) -> Declaration | None:
    """Give the slot of a role that somebody fills: "our accountant is Rosa Beltrán"; None where nobody does."""
    if reading.window.taken or reading.is_future:
        return None
    found = role_of(reading.tokens if reading.act is Act.END or reading.is_negated else says, language)
    if found is None and (found := code_of(says, language)) is None:
        return None
    noun, name = found
    key = f"{SLOT_PREFIX}{role_key(noun, language)}"
    return Declaration("slot", "fact", reading.act, tuple(name), claim_key=key, canonical=canonical_of(name))


def _is_always(reading: Reading, language: Language) -> bool:
    """Say whether "always" is all that a statement tells of how often."""
    frequency, always = language.phrases["frequency"], language.comparing.always
    often = [token for at, token in enumerate(reading.tokens) if phrase_at(reading.tokens, at, frequency)]
    plurals = language.numerals.weekday_plurals
    return all(token.text in always for token in often) and not any(each.text in plurals for each in reading.tokens)


def _is_of_one(reading: Reading, language: Language) -> bool:
    """Say whether a statement of the day of one thing begins with what points at it: the, our.

    A weekday is one behind a copula: "the stand-up is on Monday", and no "on Mondays".
    """
    words = language.words
    pointing = words["definite"] | words["definite_articles"] | words["my"]
    has_day = any(map(_is_day, reading.says)) or _is_on_weekday(reading.says, language)
    return has_day and reading.person is None and bool(reading.says) and reading.says[0].text in pointing


def _is_on_weekday(says: Sequence[Token], language: Language) -> bool:
    """Say whether a statement ends with a copula and one weekday."""
    last = [token for token in says if token.kind is not TokenKind.SIGN][-_MOST_FRONT - 1 :]
    if not last or last[-1].type != WEEKDAY or last[-1].text in language.numerals.weekday_plurals:
        return False
    return any(token.text in language.words["copula"] for token in last)


def _all_named(reading: Reading, tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Make the values of an event that is over names, those of its time phrase among them."""
    return tuple(_named(token) for token in _with_times(reading, tokens))


def _is_plan(reading: Reading, language: Language) -> bool:
    """Say whether somebody does something on one day: another day is another time, and not the same one moved."""
    is_own = reading.person is not None or any(word.text in language.comparing.going for word in reading.says)
    return is_own and any(token.type == DATE and _DAY.search(token.canonical) for token in reading.says)


def _with_times(reading: Reading, tokens: Sequence[Token]) -> tuple[Token, ...]:
    times = [token for token in reading.says if token.kind is TokenKind.VALUE and token not in tokens]
    return (*tokens, *times)


def _written_words(reading: Reading) -> str:
    return " ".join(token.raw.lower() for token in reading.says if token.kind in (TokenKind.WORD, TokenKind.NAME))


def _is_owner(reading: Reading, language: Language) -> bool:
    """Say whether a personal word says only whose something is: 우리 before a noun."""
    marks = language.comparing.roles.subject_marks
    return bool(marks) and len(reading.says) > 1 and reading.says[1].text not in marks


def _is_told(frame: Sequence[Token], language: Language) -> bool:
    """Say whether kin are told of rather than named; without a copula a third word shows it."""
    is_long = NO_COPULA in language.comparing.roles.copulas and len(frame) > _NAMED
    return is_long or any(token.type == NUMBER for token in frame)


def _is_day(token: Token) -> bool:
    return token.type == DATE and _DAY.search(token.canonical) is not None


def _named_weekday(token: Token) -> Token:
    return _named(token) if token.type == WEEKDAY else token


def _named(token: Token) -> Token:
    """Make a value part of the name of what it stands beside."""
    if token.kind is not TokenKind.VALUE:
        return token
    return token._replace(kind=TokenKind.NAME, text=token.canonical, type=IDENTITY, canonical="")


def _slot(reading: Reading, language: Language) -> Declaration | None:
    """Infer a slot where the noun says that it has one value, or is owned and named in capitals (design: D-25)."""
    compare = language.comparing
    if not compare.slots:
        return None
    tokens = [token for token in reading.tokens if token.kind is not TokenKind.SIGN]
    text = " ".join(token.text for token in tokens)
    for pattern in compare.slots:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        begin = text[: match.start("value")].count(" ")
        value = tokens[begin : begin + match["value"].count(" ") + 1]
        noun = match["noun"].split(" ")
        is_marked = not compare.slot_markers.isdisjoint(noun)
        is_named = all(token.kind is not TokenKind.WORD or _is_name(token) for token in value)
        if is_marked or is_named:
            key = f"{SLOT_PREFIX}{' '.join(word for word in noun if word not in language.drop)}"
            return Declaration("slot", "fact", reading.act, tuple(value), claim_key=key, canonical=canonical_of(value))
    return None


def _is_name(token: Token) -> bool:
    return token.is_capitalised or (token.raw.isascii() and not token.raw.islower())
