"""All languages together as one immutable set of rules, its digest, and which language a sentence is in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stemma.core.analyse import language_of
from stemma.core.language_table import Language, parse_language
from stemma.core.sections import Phrase
from stemma.core.tokens import Token, TokenKind
from stemma.core.units import Units, parse_units
from stemma.errors import InvalidLanguage
from stemma.text import hash_parts

DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Everything the extractor reads beside content and registry, built once and passed in."""

    languages: dict[str, Language]
    units: Units
    digest: str
    votes: dict[str, tuple[str, ...]]
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

    def prototypes(self, kind: str) -> tuple[str, ...]:
        """Give the prototypes of a kind over all languages, in the order of the files."""
        return tuple(text for language in self.languages.values() for text in language.prototypes.get(kind, ()))

    def _elided(self, word: str) -> tuple[str, ...]:
        """Give the languages that know a word by one of the parts around its apostrophe."""
        head, mark, tail = word.partition("'")
        return (self.votes.get(f"{head}'") or self.votes.get(tail) or ()) if mark else ()


def parse_rules(units: Mapping[str, Any], languages: Mapping[str, Mapping[str, Any]]) -> Rules:
    """Validate and compile the table of units and all language files (name to content), English first."""
    parsed = parse_units(units)
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
    written = json.dumps([units, dict(sorted(languages.items()))], sort_keys=True, ensure_ascii=False)
    return Rules(compiled, parsed, hash_parts(written), votes, _suspect(compiled))


def _suspect(languages: Mapping[str, Language]) -> dict[str, tuple[Phrase, ...]]:
    """Join the phrases of all languages: an injection may come in any, whatever the text around it is in."""
    found: dict[str, tuple[Phrase, ...]] = {}
    for language in languages.values():
        for first, phrases in language.phrases["suspect"].items():
            found[first] = tuple(sorted({*found.get(first, ()), *phrases}, key=lambda each: (-len(each), each)))
    return found


def function_words(rules: Rules, code: str | None = None) -> frozenset[str]:
    """Give the stems whose difference keeps no pair of frames from being ruled on, of one language or of all.

    Those that a frame leaves out are among them; negations, and words such as on/off or before/after, never are.
    """
    chosen = [rules.languages[code]] if code is not None else list(rules.languages.values())
    return frozenset(word for language in chosen for word in language.function)
