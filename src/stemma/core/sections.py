"""Sections of a language file, read strictly: a wrong type is an error that names its field. Compiles nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from stemma.core.folding import fold
from stemma.errors import InvalidLanguage

Phrase = tuple[str, ...]


class Listed(tuple[Phrase, ...]):
    """Phrases that begin alike, the longest first, with those that go on alike together: many begin with "i"."""

    by_second: dict[str, tuple[Phrase, ...]]
    has_single: bool

    def __new__(cls, phrases: Iterable[Phrase]) -> Listed:
        """List phrases that begin alike."""
        self = super().__new__(cls, sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase)))
        self.by_second = {}
        for phrase in self:
            if len(phrase) > 1:
                self.by_second[phrase[1]] = (*self.by_second.get(phrase[1], ()), phrase)
        self.has_single = any(len(phrase) == 1 for phrase in self)
        return self


def table_of(mapping: Mapping[str, Any], section: str, code: str) -> Mapping[str, Any]:
    """Give a section that is a table, empty where it is left out; raise InvalidLanguage otherwise."""
    value = mapping.get(section, {})
    if not isinstance(value, Mapping):
        raise InvalidLanguage(f"{code}.{section} must be a table", field=f"{code}.{section}")
    return value


def list_of(mapping: Mapping[str, Any], section: str, code: str) -> list[str]:
    """Give a section that is a list of texts, empty where it is left out; raise InvalidLanguage otherwise."""
    value = mapping.get(section, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InvalidLanguage(f"{code}.{section} must be a list of texts", field=f"{code}.{section}")
    return value


def word_of(text: str) -> str:
    """Fold one word as the tokens of a text are folded."""
    return fold(text.strip())


def phrase_of(text: str) -> Phrase:
    """Fold the words of a phrase."""
    return tuple(fold(word) for word in text.split())
