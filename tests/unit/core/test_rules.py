"""Language files: validated by name, compiled once, and a new language without code."""

from __future__ import annotations

from typing import Any

import pytest

from stemma.core.extract import Extractor, extract, extractor_version
from stemma.core.forms import VALUES
from stemma.core.objects import CHECKS
from stemma.core.rules import parse_rules
from stemma.errors import InvalidLanguage
from stemma.records import Content
from tests.extracting import registry, shipped

UNITS: dict[str, Any] = {
    "units": {"percent": {"type": "percent", "base": "%", "factor": "1", "signs": ["%"]}},
    "currencies": {"EUR": ["€"]},
}
ENGLISH: dict[str, Any] = {"code": "en", "words": {"me": ["i"]}}
ITALIAN: dict[str, Any] = {
    "code": "it",
    "decimal": ",",
    "pro_drop": True,
    "words": {"me": ["io"], "negation": ["non"], "not_places": ["pace"], "ends": ["non … più"]},
    "verb": {"live": {"first": ["abito", "vivo"], "past": ["abitavo"]}},
    "form": [
        {"name": "home", "say": "I <live> a|in {value}", "kind": "profile", "claim_key": "home", "value": "place"}
    ],
}


def italian() -> Extractor:
    """Build an extractor that knows a language of the test's own."""
    rules = parse_rules(UNITS, {"en": ENGLISH, "it": ITALIAN})
    return Extractor(extractor_version(rules, registry(), None), rules, registry())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Abito a Lisbona.", [("say", "home", "lisbona", "affirmed")]),
        ("Non abito a Lisbona.", [("say", "home", "lisbona", "negated")]),
        ("Non abito più a Lisbona.", [("end", "home", "lisbona", "affirmed")]),
        ("Abitavo a Lisbona.", [("end", "home", "lisbona", "affirmed")]),
        ("Vivo in pace.", []),
        ("Abito a Lisbona?", []),
    ],
)
def test_a_new_language_is_data(text: str, expected: list[tuple[str, str, str, str]]) -> None:
    """R-33: adding a language needs no code."""
    found = extract(Content(text=text), extractor=italian()).candidates
    assert [(each.act.value, each.claim_key, each.value, each.polarity.value) for each in found] == expected


def test_other_language_data_is_another_extractor_version() -> None:
    """R-2: the gate and pattern data are part of the version."""
    changed = {**ITALIAN, "words": {**ITALIAN["words"], "negation": ["non", "mai"]}}
    rules = parse_rules(UNITS, {"en": ENGLISH, "it": changed})
    assert extractor_version(rules, registry(), None) != italian().version


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"code": "italiano"}, "code"),
        ({"colour": []}, "it.colour"),
        ({"words": {"me": "io"}}, "it.words.me"),
        ({"months": "gennaio"}, "it.months"),
        ({"numbers": {"due": "zwei"}}, "it.numbers"),
        ({"verb": {"live": {"second": ["abiti"]}}}, "it.verb.live"),
        ({"verbs": {"base": "abitare", "third_rules": [["(", "x"]]}}, "it.verbs"),
        ({"form": [{"say": "I <love> {value}"}]}, "it.form[0].say"),
        ({"form": [{"say": "%mine {value}"}]}, "it.form[0].say"),
        ({"form": [{"say": []}]}, "it.form[0].say"),
        ({"form": [{"say": "x", "sort": "fact"}]}, "it.form[0].sort"),
        ({"form": [{"say": "x", "value": "castle"}]}, "it.form[0].value"),
        ({"form": [{"say": "x", "act": "shout"}]}, "it.form[0].act"),
        ({"form": [{"say": "x", "window": "wide"}]}, "it.form[0].window"),
        ({"time": [{"say": "oggi"}]}, "it.time[0]"),
        ({"time": [{"say": ["oggi"], "from": "today"}]}, "it.time[0].from"),
    ],
)
def test_a_malformed_language_file_is_refused_by_its_field(change: dict[str, Any], field: str) -> None:
    """R-33: files are validated, with the field named."""
    with pytest.raises(InvalidLanguage) as caught:
        parse_rules(UNITS, {"en": ENGLISH, "it": {**ITALIAN, **change}})
    assert caught.value.field == field


@pytest.mark.parametrize(
    "units", [{"units": {"percent": {"type": "percent"}}}, {"units": []}, {"currencies": {"EUR": "€"}}]
)
def test_a_malformed_table_of_units_is_refused(units: dict[str, Any]) -> None:
    """R-33."""
    with pytest.raises(InvalidLanguage):
        parse_rules(units, {"en": ENGLISH})


def test_rules_without_english_are_refused() -> None:
    """English is what a text is read in that speaks for no other language."""
    with pytest.raises(InvalidLanguage):
        parse_rules(UNITS, {"it": ITALIAN})


def test_the_shipped_languages_are_twelve() -> None:
    """R-31, issue 3: patterns and gates for English and at least four more."""
    assert list(shipped().rules.languages) == ["en", "ar", "de", "es", "fr", "hi", "it", "ja", "ko", "pt", "ru", "zh"]


def test_every_kind_that_a_form_names_is_registered() -> None:
    """R-33: one registry of kinds."""
    for language in shipped().rules.languages.values():
        variants = [
            each for found in (language.forms.own, language.forms.free) for listed in found.values() for each in listed
        ]
        assert {variant.form.kind for variant in variants} <= set(registry().kinds)
        keys = {variant.form.claim_key for variant in variants if variant.form.claim_key is not None}
        assert keys <= set(registry().claim_keys)


def test_every_check_that_a_form_may_name_exists() -> None:
    """R-33: a language file cannot name a check that is not there, nor miss one."""
    assert set(CHECKS) == VALUES
