"""What a language says of two wordings of one statement: past events, plainer wordings, signs for one another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemma.core.folding import fold
from stemma.core.front_words import FrontWords, parse_front_words
from stemma.core.role_words import RoleWords, parse_role_words
from stemma.core.sections import Phrase, list_of, phrase_of, table_of
from stemma.errors import InvalidLanguage

# `<name>` and `<a2>` in a rewording: some words, at most five, or one more than the figure.
_SOME = re.compile(r"(?<!\?P)<([a-z]+)(\d?)>")
_SIGNS_OR_WORDS = re.compile(r"\\.|\(\?P<\w+>|\(\?[:!=]|<\w+>|[^\s()|?\\<>{}\[\]+*.^$]+")


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A closed choice: `words` by what each is written as, what stands directly before, behind and anywhere near one.

    Behind, `$` is the end of the statement; `pointing` asks for a statement that begins with "the", "our"; beside a
    word of `unless` nothing is chosen: one may like both.
    """

    words: Mapping[str, str]
    before: frozenset[str]
    after: frozenset[str]
    near: frozenset[str]
    unless: frozenset[str]
    pointing: bool


@dataclass(frozen=True, slots=True, eq=False)
class CompareWords:
    """The section `comparing` of a language file, compiled.

    `whole` are compared as written and not by their stem, `marked` of them with their accents; `since` keeps a perfect
    from being a past; `directions` are function words that tell two ways apart before a noun; behind `thresholds` an
    amount in the subject is still a value; before `label_followers` a number names the noun behind which it stands;
    `not_values` stand in no value of a claim. Of what stands behind `listing` verbs, and of one thing behind a verb of
    `having`, there may be several; `beside` says that a job is one beside another.

    `letters` writes a sign as another, and `variants` what a pattern finds, before any list is looked up; `lexicon`
    and `endings` cut what is written without blanks; `past` and `not_past` are patterns over the words of a clause
    as written, joined by blanks; `plainer` replaces phrases of an explicit remember.
    """

    letters: Mapping[int, str]
    variants: tuple[tuple[re.Pattern[str], str], ...]
    last_letters: Mapping[str, str]
    is_unspaced: bool
    has_plain_letters: bool
    own_letters: frozenset[str]
    lexicon: frozenset[str]
    endings: tuple[str, ...]
    past: tuple[re.Pattern[str], ...]
    not_past: tuple[re.Pattern[str], ...]
    plainer: Mapping[str, tuple[tuple[Phrase, Phrase], ...]]
    conjugated: Mapping[str, str]
    spellings: tuple[tuple[re.Pattern[str], str], ...]
    events: tuple[re.Pattern[str], ...]
    slots: tuple[re.Pattern[str], ...]
    slot_markers: frozenset[str]
    colon: tuple[str, ...]
    going: frozenset[str]
    standing: Phrase
    speaking: frozenset[str]
    always: frozenset[str]
    order_pronouns: frozenset[str]
    clitics: tuple[str, ...]
    known: frozenset[str]
    whole: frozenset[str]
    marked: frozenset[str]
    since: frozenset[str]
    directions: frozenset[str]
    thresholds: frozenset[str]
    label_followers: frozenset[str]
    not_values: frozenset[str]
    having: frozenset[str]
    listing: frozenset[str]
    beside: frozenset[str]
    fronts: FrontWords
    roles: RoleWords
    reworded: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]
    choices: tuple[Choice, ...]


def parse_compare(mapping: Mapping[str, Any], code: str) -> CompareWords:
    """Validate and fold the section, or raise InvalidLanguage naming the field."""
    section = table_of(mapping, "comparing", code)
    where = f"{code}.comparing"
    plainer: dict[str, list[tuple[Phrase, Phrase]]] = {}
    for old, new in table_of(section, "plainer", where).items():
        words = phrase_of(old)
        plainer.setdefault(words[0], []).append((words, phrase_of(new)))
    conjugated = {
        fold(form): fold(base)
        for base, forms in table_of(section, "conjugated", where).items()
        for form in forms.split()
    }
    whole = list_of(section, "whole", where)
    folded = [fold(word) for word in whole]

    def listed(name: str) -> frozenset[str]:
        return frozenset(map(fold, list_of(section, name, where)))

    return CompareWords(
        letters=str.maketrans(dict(table_of(section, "letters", where))),
        variants=_spellings(section, "variants", where),
        last_letters=dict(table_of(section, "last_letters", where)),
        has_plain_letters=bool(section.get("has_plain_letters", False)),
        own_letters=frozenset(str(section.get("own_letters", ""))),
        is_unspaced=bool(section.get("is_unspaced", False)),
        lexicon=_lexicon(section, where),
        endings=tuple(sorted(map(fold, list_of(section, "endings", where)), key=lambda each: (-len(each), each))),
        past=_patterns(section, "past", where),
        not_past=_patterns(section, "not_past", where),
        plainer={first: tuple(sorted(each, key=lambda pair: -len(pair[0]))) for first, each in plainer.items()},
        conjugated=conjugated,
        spellings=_spellings(section, "spellings", where),
        events=_patterns(section, "events", where),
        slots=_patterns(section, "slots", where),
        slot_markers=frozenset(map(fold, list_of(section, "slot_markers", where))),
        colon=tuple(map(fold, list_of(section, "colon", where))),
        going=frozenset(map(fold, list_of(section, "going", where))),
        standing=phrase_of(str(section.get("standing", ""))),
        order_pronouns=frozenset(map(fold, list_of(section, "order_pronouns", where))),
        always=frozenset(map(fold, list_of(section, "always", where))),
        clitics=tuple(map(fold, list_of(section, "clitics", where))),
        speaking=frozenset(map(fold, (*list_of(mapping, "drop", code), *list_of(mapping, "function", code)))),
        whole=frozenset(folded),
        marked=frozenset(word for word in whole if folded.count(fold(word)) > 1),
        since=listed("since"),
        directions=listed("directions"),
        thresholds=listed("thresholds"),
        label_followers=listed("label_followers"),
        not_values=listed("not_values"),
        having=listed("having"),
        listing=listed("listing"),
        beside=listed("beside"),
        fronts=parse_front_words(section, where),
        roles=parse_role_words(section, where),
        reworded=_rewordings(section, where),
        choices=_choices(section, where),
        known=_known(mapping, section, code) | conjugated.keys(),
    )


def _known(mapping: Mapping[str, Any], section: Mapping[str, Any], code: str) -> frozenset[str]:
    """Give the words of a language that its lists of fronts, verbs, roles, aliases and plainer wordings hold."""
    where = f"{code}.comparing"
    named = [word for listed in table_of(mapping, "aliases", code).values() for word in listed]
    phrases = [word for old, new in table_of(section, "plainer", where).items() for word in f"{old} {new}".split()]
    listed = _words(section, where, ("fronts", "verbs", "roles", "common"))
    return listed | frozenset(map(fold, (*named, *filter(str.isalpha, phrases))))


def _lexicon(section: Mapping[str, Any], where: str) -> frozenset[str]:
    """Give the words that are one piece of a text without blanks: the lexicon's own, and those that rules look for."""
    chosen = (word for choice in _choices(section, where) for word in (*choice.words, *choice.near, *choice.after))
    return _words(section, where, ("lexicon", "adjuncts", "roles", "titles", "things")) | frozenset(chosen)


def _choices(section: Mapping[str, Any], where: str) -> tuple[Choice, ...]:
    """Read the closed choices; in `words` each line is one choice in all its forms."""
    found: list[Choice] = []
    for at, entry in enumerate(section.get("choice", [])):
        field = f"{where}.choice[{at}]"
        if not isinstance(entry, Mapping) or set(entry) - {"words", "before", "after", "near", "unless", "pointing"}:
            raise InvalidLanguage(f"{field} may have words, before, after, near, unless, pointing", field=field)
        lines = [line.split() for line in list_of(entry, "words", field)]
        words = {fold(form): fold(line[0]) for line in lines for form in line}
        listed = (list_of(entry, name, field) for name in ("before", "after", "near", "unless"))
        before, after, near, unless = (frozenset(map(fold, words_of)) for words_of in listed)
        found.append(Choice(words, before, after, near, unless, bool(entry.get("pointing", False))))
    return tuple(found)


def _words(section: Mapping[str, Any], where: str, names: Sequence[str]) -> frozenset[str]:
    """Give all words of some lists of phrases."""
    return frozenset(word for name in names for each in list_of(section, name, where) for word in phrase_of(each))


def is_past(words: str, compare: CompareWords) -> bool:
    """Say whether words, as written and joined by blanks, tell of an event that is over."""
    return any(pattern.search(words) for pattern in compare.past) and not any(
        pattern.search(words) for pattern in compare.not_past
    )


def _spellings(section: Mapping[str, Any], name: str, where: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Compile pairs of an ending and how it is written to be compared: British and American spelling."""
    pairs = section.get(name, [])
    field = f"{where}.{name}"
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise InvalidLanguage(f"{field} must be a list of pairs", field=field)
    try:
        return tuple((re.compile(old), new) for old, new in pairs)
    except re.error as error:
        raise InvalidLanguage(f"{field} does not compile: {error}", field=field) from error


def _folded(pattern: str) -> str:
    """Fold the words of a pattern and leave its signs as they are."""
    return _SIGNS_OR_WORDS.sub(lambda part: part[0] if part[0][0] in "\\(<" else fold(part[0]), pattern)


def _rewordings(section: Mapping[str, Any], where: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    """Compile pairs of a pattern over folded words and how it is worded; `<A>` in it is a group `a` of some words."""
    pairs = section.get("reworded", [])
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise InvalidLanguage(f"{where}.reworded must be a list of pairs", field=f"{where}.reworded")
    found: list[tuple[re.Pattern[str], tuple[str, ...]]] = []
    for old, new in pairs:
        spread = _SOME.sub(lambda some: rf"(?P<{some[1].lower()}>\S+(?: \S+){{0,{some[2] or 4}}}?)", _folded(old))
        try:
            pattern = re.compile(spread)
        except re.error as error:
            raise InvalidLanguage(f"{where}.reworded: {error}", field=f"{where}.reworded") from error
        found.append((pattern, tuple(word if word[0] == "{" else fold(word) for word in new.split())))
    return tuple(found)


def spelt(word: str, compare: CompareWords) -> str:
    """Give a word as it is written to be compared, by the first ending that it has."""
    if word in compare.conjugated:
        return compare.conjugated[word]
    for pattern, new in compare.spellings:
        if pattern.search(word):
            return pattern.sub(new, word)
    return word


def _patterns(section: Mapping[str, Any], name: str, where: str) -> tuple[re.Pattern[str], ...]:
    try:
        return tuple(re.compile(pattern) for pattern in list_of(section, name, where))
    except re.error as error:
        raise InvalidLanguage(f"{where}.{name} has a pattern that does not compile: {error}", field=where) from error
