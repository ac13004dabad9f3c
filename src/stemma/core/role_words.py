"""The words by which a language names a role that one person or firm has at a time, and by which it names that one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemma.core.sections import Listed, Phrase, list_of, phrase_of, word_of

Phrases = dict[str, tuple[Phrase, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class RoleWords:
    """Roles, and what stands around them and the names that fill them; `things` are filled by a code alone.

    `leads` say whose a role is, beside the language's own words; `titles` stand before or behind a name, `links` inside
    one; `names` and `surnames` (a first sign) are names without capitals, `not_names` and what
    has one of `not_name_endings` none in spite of them; `copulas`
    stand between or last (`—` among them: none need), `subject_marks` behind the role; `now` says nothing more, nor do
    `firms` beside the name of an employer.
    """

    roles: Phrases
    things: Phrases
    leads: frozenset[str]
    titles: frozenset[str]
    names: frozenset[str]
    not_names: frozenset[str]
    not_name_endings: tuple[str, ...]
    surnames: frozenset[str]
    links: frozenset[str]
    copulas: frozenset[str]
    subject_marks: frozenset[str]
    now: frozenset[str]
    firms: frozenset[str]


def parse_role_words(section: Mapping[str, Any], where: str) -> RoleWords:
    """Validate and fold the lists of roles, or raise InvalidLanguage naming the field."""

    def listed(name: str) -> frozenset[str]:
        return frozenset(map(word_of, list_of(section, name, where)))

    return RoleWords(
        roles=phrases_of(list_of(section, "roles", where)),
        things=phrases_of(list_of(section, "things", where)),
        leads=listed("role_leads"),
        titles=listed("titles"),
        names=listed("names"),
        not_names=listed("not_names"),
        not_name_endings=tuple(sorted(listed("not_name_endings"))),
        surnames=listed("surnames"),
        links=listed("name_links"),
        copulas=listed("copulas"),
        subject_marks=listed("subject_marks"),
        now=listed("now"),
        firms=listed("firms"),
    )


def phrases_of(listed: list[str]) -> Phrases:
    """List phrases by their first word."""
    found: dict[str, list[Phrase]] = {}
    for phrase in map(phrase_of, listed):
        found.setdefault(phrase[0], []).append(phrase)
    return {first: Listed(phrases) for first, phrases in found.items()}
