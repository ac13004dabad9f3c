"""The keyword condition of a kind: words without which no clause of a language declares it (SPEC R-32)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stemma.core.forms import FIRST, Variant
from stemma.core.language_table import Language
from stemma.core.reading import expand
from stemma.core.rules import Rules
from stemma.core.tokens import TokenKind, tokenise

# A plain statement is a fact by its form, a dated one an event, a frequent one a habit: no word is needed for those.
WITHOUT_KEYWORDS = frozenset({"fact", "event", "habit", "note", "date"})

Need = frozenset[str]


@dataclass(frozen=True, slots=True)
class Condition:
    """The ways of declaring one kind in one language: each a list of needs, of each of which one word must be there.

    `keywords` are those of the needed words that carry the meaning: not I, you, is, of.
    """

    kind: str
    language: str
    ways: tuple[tuple[Need, ...], ...]
    keywords: tuple[str, ...]

    def is_met(self, words: Iterable[str], without: str | None = None) -> bool:
        """Say whether the words of a text allow a declaration; `without` plays one keyword being unknown."""
        there = frozenset(words)
        return any(all(_has_one(need, there, without) for need in way) for way in self.ways)


def condition_of(kind: str, language: Language) -> Condition | None:
    """Give the keyword condition of a kind; None where the kind, or its language, has declarations without keywords."""
    if kind in WITHOUT_KEYWORDS:
        return None
    ways = {_way(variant, language, is_own=True) for variant in _variants(language.forms.own) if _is(variant, kind)}
    ways |= {_way(variant, language, is_own=False) for variant in _variants(language.forms.free) if _is(variant, kind)}
    if kind == "preference":
        ways.add((language.words["liking"],))
    if kind == "relationship":
        ways.add((_joined(language, "relatives"),))
    ways = {way for way in ways if all(way)}
    if not ways:
        return None
    plain = _plain(language)
    keywords = {word for way in ways for need in way for word in need if not plain.issuperset(word.split())}
    ordered = sorted(ways, key=lambda way: [sorted(need) for need in way])
    return Condition(kind, language.code, tuple(ordered), tuple(sorted(keywords)))


def words_of(text: str, rules: Rules) -> frozenset[str]:
    """Give the folded words of a text, contractions written out, with the verb that stands in "stopped smoking"."""
    tokens = tokenise(text)
    language = rules.language(tokens, text) or rules.default
    words = {token.text for token in expand(tokens, language) if token.kind is TokenKind.WORD}
    words |= {language.ing[word] for word in words if word in language.ing}
    for rewrites in language.rewrites.values():
        for old, new in rewrites:
            if words.issuperset(old):
                words.update(new)
    return frozenset(words)


def _is(variant: Variant, kind: str) -> bool:
    return variant.form.kind == kind


def _variants(forms: dict[str, tuple[Variant, ...]]) -> list[Variant]:
    return [variant for listed in forms.values() for variant in listed]


def _way(variant: Variant, language: Language, *, is_own: bool) -> tuple[Need, ...]:
    if not is_own or variant.person != FIRST or language.pro_drop:
        return variant.needs
    own = language.words["me"] | language.words["we"] | _joined(language, "user")
    return (own, *variant.needs)


def _joined(language: Language, name: str) -> Need:
    return frozenset(" ".join(phrase) for listed in language.phrases[name].values() for phrase in listed)


def _plain(language: Language) -> frozenset[str]:
    """Give the words that bind and point: alone they declare nothing, so none of them is a keyword."""
    return (
        language.closed
        | language.words["my"]
        | frozenset(word for phrase in _joined(language, "user") for word in phrase.split())
    )


def _has_one(need: Need, there: frozenset[str], without: str | None) -> bool:
    return any(word != without and there.issuperset(word.split()) for word in need)
