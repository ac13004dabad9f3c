"""What a language file says, validated and compiled once: words, numbers, time phrases, forms. Reads no file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stemma.core import times
from stemma.core.analyse import stem
from stemma.core.clock_words import ClockWords, parse_clock
from stemma.core.compare_words import CompareWords, parse_compare
from stemma.core.folding import fold
from stemma.core.forms import PERSONS, Forms, Vocabulary, compile_forms
from stemma.core.late_values import LateWords, parse_late
from stemma.core.numerals import Numerals, parse_numerals
from stemma.core.sections import Listed, Phrase, list_of, phrase_of, table_of, word_of
from stemma.core.spelling import spellings
from stemma.core.units import Units
from stemma.errors import InvalidLanguage

# Every class that the readers ask for; a language file may leave any of them out, or add its own for its forms.
CLASSES = (
    "me we my user you others definite determiners prepositions copula past_copula perfect future fact_modal modal do "
    "negation negation_idioms scope_breakers ends used_to stopping and because value_stops openers adverbs "
    "question question_start wh relative frequency conditional hypothetical fiction fiction_start "
    "attribution attribution_links own_attribution wrong correction repair denial instruction events transient "
    "not_places slot_markers jobs bare ambiguous labels noun_verbs empty_objects suspect plural_subjects lasting "
    "infinitive possessive no articles standing answering liking relatives labelled "
    "false_attribution was_wrong ditransitive fronted participles "
    "references stays contrast conditional_start "
    "passing_things vague_nouns quoting_labels undated definite_articles vague_organisations "
    "banned posts grounded impressions evaluating addressing going_on pointing yours demonstratives empty_starts "
    "more_noun please never polite requests result remembering elided trailers closings boilerplate laughs praise "
    "text_work turn_nouns passing_verbs job_endings not_jobs focus pronouns scenes "
    "verb_endings quantifiers mishaps again comparing shifts wanting delight plain lasting_bans idioms ironic "
    "intensified punchlines nobody persons we_endings here jests "
    "moment wishing wishing_ing making feats feat_things mine_alone bare_kin turns turned happening whens "
    "projects at_ours past_verbs generic world note_labels me_too asides not_roles people spelling kin diets "
    "being its_being who givens letters workpieces ongoing lastly puzzles meaning talk_nouns "
    "copying every turning shows below jokes seen not_used_to"
).split()

# Classes whose words stand for no thing.
_CLOSED = (
    "prepositions copula past_copula determiners perfect modal fact_modal future and me we others you negation wh "
    "conditional do because adverbs frequency"
).split()

_SECTIONS = frozenset(
    "code decimal space_groups pro_drop inverts capitals drop function words contractions elisions rewrites numbers "
    "scales months weekdays weekday_plurals units currencies cents percent clock meridiem ordinals date_links "
    "month_first time verbs verb form aliases prototypes count_from_zero days_from_zero hours_from_zero joiners "
    "units_first vigesimal label_units counters counting_only has_pence clock_words late comparing "
    "names_by_article bare_generics ranges percent_leads".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class TimePhrase:
    """Words that bound a statement in time; `{when}`, `{n}` and `{unit}` in `words` are read from what follows."""

    words: Phrase
    valid_from: str | None
    valid_to: str | None
    holds: bool
    needs: str


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language as the extractor reads it."""

    code: str
    pro_drop: bool
    inverts: bool
    capitals: bool
    drop: frozenset[str]
    function: frozenset[str]
    words: dict[str, frozenset[str]]
    phrases: dict[str, dict[str, tuple[Phrase, ...]]]
    contractions: dict[str, Phrase]
    elisions: frozenset[str]
    rewrites: dict[str, tuple[tuple[Phrase, Phrase], ...]]
    numerals: Numerals
    units: Units
    time_phrases: dict[str, tuple[TimePhrase, ...]]
    verbs: frozenset[str]
    third: frozenset[str]
    third_of: dict[str, str]
    alerts: dict[str, dict[str, tuple[tuple[Phrase, str], ...]]]
    harmless: dict[str, tuple[Phrase, ...]]
    ing: dict[str, str]
    forms: Forms
    aliases: dict[str, tuple[str, bool]]
    prototypes: dict[str, tuple[str, ...]]
    own_verbs: frozenset[str]
    closed: frozenset[str]
    doubtful_openers: frozenset[str]
    vocabulary: frozenset[str]
    clock: ClockWords
    late: LateWords
    comparing: CompareWords
    names_by_article: bool
    bare_generics: bool
    spelling: dict[str, str]
    known: frozenset[str]


def parse_language(mapping: Mapping[str, Any], units: Units) -> Language:
    """Validate one language file and compile it, or raise InvalidLanguage naming the field."""
    code = mapping.get("code")
    if not isinstance(code, str) or not re.fullmatch(r"[a-z]{2,3}", code):
        raise InvalidLanguage("code must be a language code such as en", field="code")
    if unknown := sorted(set(mapping) - _SECTIONS):
        raise InvalidLanguage(f"{code} has the unknown section {unknown[0]!r}", field=f"{code}.{unknown[0]}")
    words, phrases = _classes(mapping, code)
    base, third_of, ing = _verbs(mapping, code)
    third = frozenset(third_of)
    persons = _persons(mapping, code)
    named = {
        name: frozenset(" ".join(phrase) for listed in each.values() for phrase in listed)
        for name, each in phrases.items()
    }
    forms = compile_forms(mapping.get("form", []), Vocabulary(named, persons), code)
    function = frozenset(stem(word, code) for word in list_of(mapping, "function", code))
    drop = frozenset(stem(word, code) for word in list_of(mapping, "drop", code))
    numerals = parse_numerals(mapping, code)
    return Language(
        code=code,
        pro_drop=bool(mapping.get("pro_drop", False)),
        inverts=bool(mapping.get("inverts", False)),
        capitals=bool(mapping.get("capitals", True)),
        drop=drop,
        function=function | drop,
        words=words,
        phrases=phrases,
        contractions={word_of(key): phrase_of(value) for key, value in table_of(mapping, "contractions", code).items()},
        elisions=frozenset(map(word_of, list_of(mapping, "elisions", code))),
        rewrites=_rewrites(mapping, code),
        numerals=numerals,
        units=units,
        time_phrases=_time_phrases(mapping, code),
        verbs=base,
        third=third,
        third_of=third_of,
        alerts=_alerts(phrases),
        harmless=_joined(phrases, "own_attribution", "false_attribution", "plain"),
        ing=ing,
        forms=forms,
        aliases=_aliases(mapping, code),
        prototypes={kind: tuple(texts) for kind, texts in table_of(mapping, "prototypes", code).items()},
        own_verbs=frozenset(
            form
            for persons_of in persons.values()
            for form in (*persons_of.get("first", ()), *persons_of.get("past", ()))
            if " " not in form and form not in words["past_copula"]
        ),
        closed=frozenset().union(*(words[name] for name in _CLOSED)),
        doubtful_openers=words["negation"] | words["no"] | words["conditional"] | words["conditional_start"],
        vocabulary=_voting_words(mapping, words, phrases, persons) | drop | function,
        clock=parse_clock(mapping, code),
        late=parse_late(mapping, numerals.units, units, code),
        comparing=parse_compare(mapping, code),
        names_by_article=bool(mapping.get("names_by_article", False)),
        bare_generics=bool(mapping.get("bare_generics", False)),
        spelling=spellings(words["spelling"]),
        known=frozenset(base | third | set(ing)).union(*(words[name] for name in CLASSES if name != "spelling")),
    )


def _classes(
    mapping: Mapping[str, Any], code: str
) -> tuple[dict[str, frozenset[str]], dict[str, dict[str, tuple[Phrase, ...]]]]:
    words: dict[str, frozenset[str]] = dict.fromkeys(CLASSES, frozenset())
    phrases: dict[str, dict[str, tuple[Phrase, ...]]] = {name: {} for name in CLASSES}
    for name, listed in table_of(mapping, "words", code).items():
        where = f"{code}.words.{name}"
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise InvalidLanguage(f"{where} must be a list of words", field=where)
        split = [phrase_of(each) for each in listed]
        words[name] = frozenset(each[0] for each in split if len(each) == 1)
        longer: dict[str, list[Phrase]] = {}
        for each in sorted((each for each in split), key=len, reverse=True):
            longer.setdefault(each[0], []).append(each)
        phrases[name] = {first: Listed(found) for first, found in longer.items()}
    return words, phrases


Alerts = dict[str, dict[str, tuple[tuple[Phrase, str], ...]]]


def _alerts(phrases: Mapping[str, Mapping[str, tuple[Phrase, ...]]]) -> Alerts:
    """Index every phrase that unmakes a statement by its first and second word ("" where there is none)."""
    found: Alerts = {}
    names = "fiction boilerplate jests hypothetical conditional modal attribution negation_idioms idioms".split()
    for name in names:
        for first, listed in phrases[name].items():
            for phrase in listed:
                second = phrase[1] if len(phrase) > 1 else ""
                known = found.setdefault(first, {})
                known[second] = (*known.get(second, ()), (phrase, name))
    return found


def _joined(phrases: Mapping[str, Mapping[str, tuple[Phrase, ...]]], *names: str) -> dict[str, tuple[Phrase, ...]]:
    """Put several classes together, the longest phrase first."""
    found: dict[str, set[Phrase]] = {}
    for name in names:
        for first, listed in phrases[name].items():
            found.setdefault(first, set()).update(listed)
    return {first: Listed(each) for first, each in found.items()}


def _verbs(mapping: Mapping[str, Any], code: str) -> tuple[frozenset[str], dict[str, str], dict[str, str]]:
    """Give base forms, and third-person and -ing forms with their base, by the file's own rules of spelling."""
    section = table_of(mapping, "verbs", code)
    base = [word_of(word) for word in str(section.get("base", "")).split()]
    irregular = {word_of(key): word_of(value) for key, value in section.get("third", {}).items()}
    third = {irregular.get(word) or _spelled(word, section.get("third_rules", []), code): word for word in base}
    third.update({word_of(word): word_of(word) for word in str(section.get("third_forms", "")).split()})
    ing = {_spelled(word, section.get("ing_rules", []), code): word for word in base}
    third.pop("", None)
    return frozenset(base), third, {form: word for form, word in ing.items() if form}


def _spelled(word: str, rules: list[list[str]], code: str) -> str:
    for rule in rules:
        try:
            if re.search(rule[0], word):
                return re.sub(rule[0], rule[1], word, count=1)
        except (re.error, IndexError) as error:
            raise InvalidLanguage(f"{code}.verbs has the rule {rule!r}: {error}", field=f"{code}.verbs") from error
    return ""


def _persons(mapping: Mapping[str, Any], code: str) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, persons in table_of(mapping, "verb", code).items():
        where = f"{code}.verb.{name}"
        if not isinstance(persons, Mapping) or set(persons) - set(PERSONS):
            raise InvalidLanguage(f"{where} may have first, third and past", field=where)
        found[name] = {person: tuple(word_of(each) for each in listed) for person, listed in persons.items()}
    return found


def _rewrites(mapping: Mapping[str, Any], code: str) -> dict[str, tuple[tuple[Phrase, Phrase], ...]]:
    found: dict[str, list[tuple[Phrase, Phrase]]] = {}
    for old, new in table_of(mapping, "rewrites", code).items():
        words = phrase_of(old)
        found.setdefault(words[0], []).append((words, phrase_of(new)))
    return {first: tuple(sorted(pairs, key=lambda pair: -len(pair[0]))) for first, pairs in found.items()}


def _time_phrases(mapping: Mapping[str, Any], code: str) -> dict[str, tuple[TimePhrase, ...]]:
    found: dict[str, list[TimePhrase]] = {}
    for at, entry in enumerate(mapping.get("time", [])):
        where = f"{code}.time[{at}]"
        unknown = set(entry) - {"say", "from", "to", "holds", "needs"}
        if unknown or not isinstance(entry.get("say"), list):
            raise InvalidLanguage(f"{where} needs say (a list), and may have from, to, holds, needs", field=where)
        for say in entry["say"]:
            for field in ("from", "to"):
                _check_moment(entry.get(field), f"{where}.{field}")
            words = tuple(each if each.startswith("{") else word_of(each) for each in say.split())
            phrase = TimePhrase(
                words, entry.get("from"), entry.get("to"), bool(entry.get("holds", True)), str(entry.get("needs", ""))
            )
            found.setdefault(words[0], []).append(phrase)
    # The longest comes first: "until the end of May" before "until May".
    return {first: tuple(sorted(each, key=lambda phrase: -len(phrase.words))) for first, each in found.items()}


def _check_moment(template: object, where: str) -> None:
    """Refuse a bound that no saying could resolve, whatever stands in its holes."""
    if template is None:
        return
    filled = (
        re.sub(r"\{(?:when2?|date)[<>~]?(?:end)?\}", "month:05~", str(template))
        .replace("{n}", "1")
        .replace("{unit}", "d")
    )
    if not times.is_moment(filled):
        raise InvalidLanguage(f"{where} is {template!r}, which is no moment", field=where)


def _aliases(mapping: Mapping[str, Any], code: str) -> dict[str, tuple[str, bool]]:
    """Map stems to their canonical stem; `not x` as canonical turns the polarity over."""
    found: dict[str, tuple[str, bool]] = {}
    for canonical, listed in table_of(mapping, "aliases", code).items():
        flips = canonical.startswith("not ")
        target = stem(canonical.removeprefix("not "), code)
        for word in listed:
            found[stem(word, code)] = (target, flips)
    return found


def _voting_words(
    mapping: Mapping[str, Any],
    words: Mapping[str, frozenset[str]],
    phrases: Mapping[str, Mapping[str, tuple[Phrase, ...]]],
    persons: Mapping[str, Mapping[str, tuple[str, ...]]],
) -> frozenset[str]:
    """Give the words that speak for a language: closed classes, listed verb forms, and the words of its forms."""
    speaking = (
        "me we my you others determiners prepositions copula past_copula negation and question conditional "
        "hypothetical frequency because modal"
    ).split()
    found: set[str] = set()
    for name in speaking:
        found |= words[name]
        found.update(word for each in phrases[name].values() for phrase in each for word in phrase)
    found.update(
        word
        for persons_of in persons.values()
        for listed in persons_of.values()
        for form in listed
        for word in form.split()
    )
    for section in ("months", "weekdays"):
        found.update(word_of(name) for names in mapping.get(section, []) for name in names.split())
    for section in ("units", "currencies"):
        found.update(word_of(name) for names in mapping.get(section, {}).values() for name in names)
    found.update(map(word_of, str(mapping.get("verbs", {}).get("third_forms", "")).split()))
    found.update(word_of(short) for short in mapping.get("contractions", {}))
    for entry in mapping.get("form", []):
        says = entry["say"] if isinstance(entry["say"], list) else [entry["say"]]
        for element in " ".join(says).replace("|", " ").replace("?", "").split():
            if element[0] not in "%<{#" and element != "I":
                found.update(fold(element.replace("_", " ")).split())
    return frozenset(found)
