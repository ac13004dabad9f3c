"""The words by which a language shows what may stand before or behind a statement: when, where and what for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemma.core.role_words import Phrases, phrases_of
from stemma.core.sections import list_of, word_of


@dataclass(frozen=True, slots=True, eq=False)
class FrontWords:
    """What leads or follows a noun that may stand anywhere, and what shows where a front ends.

    `prepositions` and `verbs` add to the language's own; `postpositions` stand behind a noun, and `moment_marks` of
    them say no more than that a time is one; `adjuncts` are a place or time in one word, `phrases` in several;
    `noun_first` says that of several words behind a preposition the first is the noun. `living` are verbs that say
    where something is, and `due` is what has one day alone.
    """

    verbs: frozenset[str]
    prepositions: frozenset[str]
    postpositions: frozenset[str]
    adjuncts: frozenset[str]
    moment_marks: frozenset[str]
    phrases: Phrases
    noun_first: bool
    living: frozenset[str]
    due: frozenset[str]


def parse_front_words(section: Mapping[str, Any], where: str) -> FrontWords:
    """Validate and fold the lists of fronts, or raise InvalidLanguage naming the field."""

    def listed(name: str) -> frozenset[str]:
        return frozenset(map(word_of, list_of(section, name, where)))

    return FrontWords(
        verbs=listed("verbs"),
        prepositions=listed("prepositions"),
        postpositions=listed("postpositions"),
        adjuncts=listed("adjuncts"),
        moment_marks=listed("moment_marks"),
        phrases=phrases_of(list_of(section, "fronts", where)),
        noun_first=bool(section.get("noun_first", False)),
        living=listed("living"),
        due=listed("due"),
    )
