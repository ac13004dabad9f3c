"""All languages together as one immutable set of rules, its digest, and which language a sentence is in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemma.core.analyse import language_of
from stemma.core.language_table import Language, parse_language
from stemma.core.sections import Listed, Phrase
from stemma.core.tokens import Token, TokenKind
from stemma.core.units import Units, parse_units
from stemma.errors import InvalidLanguage
from stemma.text import hash_parts

DEFAULT_LANGUAGE = "en"
_SHARE = 60
_CLOSED = 3
# Languages that their script names alone.
_BY_SCRIPT = frozenset({"el", "ru", "ar", "hi", "zh", "ja", "ko", "th"})


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Everything the extractor reads beside content and registry, built once and passed in."""

    languages: dict[str, Language]
    units: Units
    digest: str
    votes: dict[str, tuple[str, ...]]
    compared: dict[str, Language]
    suspect: dict[str, tuple[Phrase, ...]]

    @property
    def default(self) -> Language:
        """Give the language of texts that speak for none."""
        return self.languages[DEFAULT_LANGUAGE]

    def language(self, tokens: Sequence[Token], text: str, fallback: Language | None = None) -> Language | None:
        """Pick the language that most words speak for; without a word, by script; None has no table.

        Of equals `fallback` (the language around the sentence) rules, then the order of the files.
        """
        counts: dict[str, int] = {}
        for token in tokens:
            if token.kind is TokenKind.WORD:
                for code in self.votes.get(token.text) or self._elided(token.text):
                    counts[code] = counts.get(code, 0) + 1
        if not counts:
            guessed = fallback.code if fallback is not None else language_of(text)
            return self.languages.get(guessed)
        most = max(counts.values())
        tied = [code for code in self.languages if counts.get(code) == most]
        if fallback is not None and fallback.code in tied:
            return fallback
        if len(tied) > 1 and (guessed := language_of(text)) in tied:
            return self.languages[guessed]
        return self.languages[tied[0]]

    def spoken(self, tokens: Sequence[Token], text: str) -> Language | None:
        """Pick the language of a text to be remembered, also among those that nothing is extracted in."""
        guessed = language_of(text)
        if guessed in _BY_SCRIPT:
            return self.compared.get(guessed)
        counts = dict.fromkeys(self.compared, 0)
        for token in tokens:
            if token.kind is TokenKind.WORD:
                speaks = {code: weight for code, each in self.compared.items() if (weight := _weight(token, each))}
                for code, weight in speaks.items():
                    # A word that few languages have says more than one that all have.
                    counts[code] += weight * _SHARE // len(speaks)
        most = max(counts.values(), default=0)
        tied = [code for code in self.compared if most and counts.get(code) == most]
        if not tied or guessed in tied:
            return self.compared.get(guessed)
        return self.compared[tied[0]]

    def prototypes(self, kind: str) -> tuple[str, ...]:
        """Give the prototypes of a kind over all languages, in the order of the files."""
        return tuple(text for language in self.languages.values() for text in language.prototypes.get(kind, ()))

    def _elided(self, word: str) -> tuple[str, ...]:
        """Give the languages that know a word by one of the parts around its apostrophe."""
        head, mark, tail = word.partition("'")
        return (self.votes.get(f"{head}'") or self.votes.get(tail) or ()) if mark else ()


def _weight(token: Token, language: Language) -> int:
    """Say how much a word speaks for a language: a closed word more than one that forms happen to name."""
    word = token.text
    head, _, _ = word.partition("'")
    compare = language.comparing
    if compare.has_plain_letters and not token.raw.isascii() and token.raw[-1:] not in "’":
        # Folded, "às" is "as".
        return 0
    if f"{head}'" in language.elisions:
        return 1 + _CLOSED
    is_known = word in language.vocabulary or word in compare.known or word in compare.speaking
    is_closed = word in language.closed or word in compare.speaking or word in language.numerals.numbers
    has_letter = not word.isspace() and any(char in compare.own_letters for char in token.raw)
    return is_known + _CLOSED * (is_closed + has_letter)


def parse_rules(
    units: Mapping[str, Any],
    languages: Mapping[str, Mapping[str, Any]],
    comparing: Mapping[str, Mapping[str, Any]] | None = None,
) -> Rules:
    """Validate and compile the table of units and all language files (name to content), English first.

    `comparing` holds what two statements are compared by; it adds to a language's file. One without a file of forms is
    compared in an explicit remember, and nothing is extracted in it.
    """
    parsed = parse_units(units)
    further = comparing or {}
    alone = {code: parse_language(further[code], parsed) for code in sorted(set(further) - set(languages))}
    languages = {code: _joined(table, further.get(code, {})) for code, table in languages.items()}
    if DEFAULT_LANGUAGE not in languages:
        raise InvalidLanguage(f"the language {DEFAULT_LANGUAGE} is missing", field="code")
    order = sorted(languages, key=lambda code: (code != DEFAULT_LANGUAGE, code))
    compiled = {code: parse_language(languages[code], parsed) for code in order}
    for code, language in compiled.items():
        if language.code != code:
            raise InvalidLanguage(f"the file {code} says code {language.code!r}", field=f"{code}.code")
    votes: dict[str, tuple[str, ...]] = {}
    for code, language in compiled.items():
        for word in sorted(language.vocabulary):
            votes[word] = (*votes.get(word, ()), code)
    for code, language in alone.items():
        if language.code != code:
            raise InvalidLanguage(f"the file {code} says code {language.code!r}", field=f"{code}.code")
    tables = {**languages, **{code: further[code] for code in alone}}
    written = json.dumps([units, dict(sorted(tables.items()))], sort_keys=True, ensure_ascii=False)
    return Rules(compiled, parsed, hash_parts(written), votes, compiled | alone, _suspect(compiled))


def _joined(table: Mapping[str, Any], further: Mapping[str, Any]) -> dict[str, Any]:
    """Add one table to another: lists behind lists, tables into tables; anything else takes the place of what was."""
    found = dict(table)
    for name, added in further.items():
        known = found.get(name)
        if isinstance(known, Mapping) and isinstance(added, Mapping):
            found[name] = _joined(known, added)
        elif name == "form" and isinstance(known, list):
            # The first form that matches rules, and what is added is the narrower one.
            found[name] = [*added, *known]
        elif isinstance(known, list) and isinstance(added, list):
            found[name] = [*known, *added]
        else:
            found[name] = added
    return found


def _suspect(languages: Mapping[str, Language]) -> dict[str, tuple[Phrase, ...]]:
    """Join the phrases of all languages: an injection may come in any, whatever the text around it is in."""
    found: dict[str, tuple[Phrase, ...]] = {}
    for language in languages.values():
        for first, phrases in language.phrases["suspect"].items():
            found[first] = Listed({*found.get(first, ()), *phrases})
    return found


def function_words(rules: Rules, code: str | None = None) -> frozenset[str]:
    """Give the stems whose difference keeps no pair of frames from being ruled on, of one language or of all.

    Those that a frame leaves out are among them; negations, and words such as on/off or before/after, never are.
    """
    chosen = [rules.languages[code]] if code is not None else list(rules.languages.values())
    return frozenset(word for language in chosen for word in language.function)
