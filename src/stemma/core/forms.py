"""Declaration forms: word patterns of the language files, compiled once. What is done with a match is elsewhere.

Elements of a pattern: a word, `a|b`, `%class`, `<verb>`, `#type` (a value), `{name}` (one or more), each with `?`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from stemma.core.folding import fold
from stemma.errors import InvalidLanguage
from stemma.records import Act

FIRST, THIRD, PAST = "first", "third", "past"
PERSONS = (FIRST, THIRD, PAST)

WINDOWS = frozenset({"both", "from", "to", "none"})
# The checks of what may stand in {value}; `objects` has one for each.
VALUES = frozenset(
    "any event person ours ban post gift object thing liked place new_place stay name any_name role organisation job "
    "date blood_group event_date instruction specific changed ours_changed schedule toward gift_given project".split()
)
_ACTS = frozenset(act.value for act in Act)
_FIELDS = {"name", "say", "kind", "claim_key", "scope", "act", "value", "ambiguous", "window"}
_VERB = re.compile(r"<([a-z_]+)>")
_SLOT = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """One way of declaring something; `value` names the check that what stands in `{value}` has to pass."""

    name: str
    kind: str
    act: Act
    claim_key: str | None
    scope: str
    value: str
    is_own: bool
    is_ambiguous: bool
    window: str


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """A form in one person or tense; the expression runs over folded words joined by single blanks.

    `needs` are the words without which it cannot match: of each set, one.
    """

    form: Form
    person: str
    expression: str
    needs: tuple[frozenset[str], ...]

    def match(self, words: str) -> re.Match[str] | None:
        """Match the words of a clause."""
        return _compiled(self.expression).match(words)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    # When it is first needed: a text needs a few dozen of more than a thousand, and each takes a millisecond.
    return re.compile(expression)


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """All variants by the word that they begin with; those that may begin with anything stand under ""."""

    own: dict[str, tuple[Variant, ...]]
    free: dict[str, tuple[Variant, ...]]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the elements of a pattern may name: word classes, and verbs by person."""

    classes: Mapping[str, frozenset[str]]
    verbs: Mapping[str, Mapping[str, tuple[str, ...]]]


def compile_forms(entries: Iterable[Mapping[str, object]], vocabulary: Vocabulary, where: str) -> Forms:
    """Compile the forms of one language, in their order; the first that matches rules."""
    own: dict[str, list[Variant]] = {}
    free: dict[str, list[Variant]] = {}
    for at, entry in enumerate(entries):
        place = f"{where}.form[{at}]"
        for say in _says(entry, place):
            elements = say.split()
            is_own = elements[0] == "I"
            form = _form(entry, is_own, place)
            for variant, starts in _variants(form, elements[1:] if is_own else elements, vocabulary, place):
                for start in sorted(starts):
                    (own if is_own else free).setdefault(start, []).append(variant)
    return Forms(
        {start: tuple(found) for start, found in own.items()}, {start: tuple(found) for start, found in free.items()}
    )


def _says(entry: Mapping[str, object], where: str) -> list[str]:
    if unknown := sorted(set(entry) - _FIELDS):
        raise InvalidLanguage(f"{where} has the unknown field {unknown[0]!r}", field=f"{where}.{unknown[0]}")
    say = entry.get("say")
    says = [say] if isinstance(say, str) else say
    if not isinstance(says, list) or not says or not all(isinstance(each, str) and each.strip() for each in says):
        raise InvalidLanguage(f"{where}.say must be a pattern or a list of patterns", field=f"{where}.say")
    return says


def _form(entry: Mapping[str, object], is_own: bool, where: str) -> Form:
    act = str(entry.get("act", Act.SAY.value))
    window, value = str(entry.get("window", "both")), str(entry.get("value", "any"))
    for field, found, allowed in (("act", act, _ACTS), ("window", window, WINDOWS), ("value", value, VALUES)):
        if found not in allowed:
            detail = f"{where}.{field} is {found!r}; one of {', '.join(sorted(allowed))}"
            raise InvalidLanguage(detail, field=f"{where}.{field}")
    claim_key = entry.get("claim_key")
    return Form(
        name=str(entry.get("name", "")),
        kind=str(entry.get("kind", "fact")),
        act=Act(act),
        claim_key=None if claim_key is None else str(claim_key),
        scope=str(entry.get("scope", "")),
        value=value,
        is_own=is_own,
        is_ambiguous=bool(entry.get("ambiguous", False)),
        window=window,
    )


def _variants(
    form: Form, elements: list[str], vocabulary: Vocabulary, where: str
) -> Iterable[tuple[Variant, frozenset[str]]]:
    """Yield the form in every person that its verbs have; a form without a verb has one variant."""
    named = [match[1] for element in elements for match in _VERB.finditer(element)]
    for name in named:
        if name not in vocabulary.verbs:
            raise InvalidLanguage(f"{where}.say names the verb <{name}>, which is not listed", field=f"{where}.say")
    for person in PERSONS if named else (FIRST,):
        if any(not vocabulary.verbs[name].get(person) for name in named):
            continue
        parts = [_alternatives(element, person, vocabulary, where) for element in elements]
        yield Variant(form, person, _joined(parts), _needs(parts)), _starts(parts)


Part = tuple[frozenset[str], str, bool]


def _alternatives(element: str, person: str, vocabulary: Vocabulary, where: str) -> Part:
    """Give the words that an element may be, the regular expression for it, and whether it may be left out."""
    is_optional = element.endswith("?")
    body = element.removesuffix("?")
    if slot := _SLOT.fullmatch(body):
        # As many words as there are for {value}, as few as can be for the others.
        greedy = "*" if slot[1] == "value" else "{0,5}?"
        return frozenset(), rf"(?P<{slot[1]}>\S+(?: \S+){greedy})", is_optional
    words: set[str] = set()
    for each in body.split("|"):
        if verb := _VERB.fullmatch(each):
            words.update(fold(form) for form in vocabulary.verbs[verb[1]][person])
        elif each.startswith("%"):
            if each[1:] not in vocabulary.classes:
                raise InvalidLanguage(f"{where}.say names the class {each}, which is not listed", field=f"{where}.say")
            words.update(vocabulary.classes[each[1:]])
        else:
            words.add(each if each.startswith("#") else fold(each.replace("_", " ")))
    choices = "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
    return frozenset(words), f"(?:{choices})", is_optional


def _needs(parts: list[Part]) -> tuple[frozenset[str], ...]:
    """Give the words of every element that must be there; where a value will do as well, none is needed."""
    return tuple(
        words
        for words, _, is_optional in parts
        if words and not is_optional and not any(word.startswith("#") for word in words)
    )


def _joined(parts: list[Part]) -> str:
    """Join the elements so that blanks belong to what follows, save before the first."""
    pattern = r"\A"
    must_space = False
    for _, expression, is_optional in parts:
        if is_optional:
            pattern += f"(?: {expression}(?= |\\Z))?" if must_space else f"(?:{expression} )?"
        else:
            pattern += f" {expression}" if must_space else expression
            must_space = True
    return pattern + r"\Z"


def _starts(parts: list[Part]) -> frozenset[str]:
    """Give the first words that a match can have; "" where it may be any."""
    found: set[str] = set()
    for words, _, is_optional in parts:
        if not words:
            return frozenset({""})
        found.update(word.split(" ")[0] for word in words)
        if not is_optional:
            return frozenset(found)
    return frozenset(found) or frozenset({""})


def variants_for(forms: Mapping[str, tuple[Variant, ...]], first: str) -> Iterable[Variant]:
    """Give the variants that may begin with a word, in the order of the file for each of the two groups."""
    yield from forms.get(first, ())
    yield from forms.get("", ())
