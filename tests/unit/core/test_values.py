"""Typed values in a clause: their spans, types and canonical texts, and what is an identity instead."""

from __future__ import annotations

import pytest

from stemma.core.tokens import TokenKind, tokenise
from stemma.core.values import canonical_of, read_values
from tests.extracting import shipped

CASES = [
    ("en", "1,234.5", "number", "1234.5"),
    ("en", "it takes 1,000", "number", "1000"),
    ("en", "it takes 1000", "number", "1000"),
    ("en", "about 2.90%", "percent", "2.9%"),
    ("en", "35 %", "percent", "35%"),
    ("en", "35 percent", "percent", "35%"),
    ("en", "50 bps", "percent", "0.5%"),
    ("en", "35c", "money", "35 cent"),
    ("en", "30 cents", "money", "30 cent"),
    ("en", "$5", "money", "5 USD"),
    ("en", "5 dollars", "money", "5 USD"),
    ("en", "5.00 USD", "money", "5 USD"),
    ("en", "€1,200.50", "money", "1200.5 EUR"),
    ("en", "20k euros", "money", "20000 EUR"),
    ("en", "2k", "number", "2000"),
    ("en", "3 million", "number", "3000000"),
    ("en", "two", "number", "2"),
    ("en", "a dozen eggs", "number", "12"),
    ("en", "twenty one", "number", "21"),
    ("en", "ms 250ms", "duration", "250 ms"),
    ("en", "30 seconds", "duration", "30000 ms"),
    ("en", "30s", "duration", "30000 ms"),
    ("en", "2 hours", "duration", "7200000 ms"),
    ("en", "two weeks", "duration", "14 day"),
    ("en", "14 days", "duration", "14 day"),
    ("en", "1 day", "duration", "1 day"),
    ("en", "24 hours", "duration", "86400000 ms"),
    ("en", "a 2 year", "duration", "24 month"),
    ("en", "16 GB", "size", "16 GB"),
    ("en", "1.5 km", "length", "1500 m"),
    ("en", "72 kg", "mass", "72000 g"),
    ("en", "20 °C", "temperature", "20 °C"),
    ("en", "-5 °C", "temperature", "-5 °C"),
    ("en", "2026-05-01", "date", "2026-05-01"),
    ("en", "3 May 2026", "date", "2026-05-03"),
    ("en", "May 3rd, 2026", "date", "2026-05-03"),
    ("en", "on 3 May", "date", "--05-03"),
    ("en", "in May 2026", "date", "2026-05"),
    ("en", "in May", "date", "--05"),
    ("en", "since 2010", "date", "2010"),
    ("en", "25/12/2026", "date", "2026-12-25"),
    ("en", "03/04/2026", "date", "03/04/2026"),
    ("en", "9:30", "time", "09:30"),
    ("en", "3 pm", "time", "15:00"),
    ("en", "12am", "time", "00:00"),
    ("en", "v1.2.3", "version", "1.2.3"),
    ("en", "1.2.3", "version", "1.2.3"),
    ("en", "Python 3.11", "version", "3.11"),
    ("en", "Fridays", "weekday", "friday"),
    ("de", "1.234,5", "number", "1234.5"),
    ("de", "2,9 %", "percent", "2.9%"),
    ("de", "3. Mai 2026", "date", "2026-05-03"),
    ("de", "15 Uhr", "time", "15:00"),
    ("de", "zwei Wochen", "duration", "14 day"),
    ("fr", "1 234,50 euros", "money", "1234.5 EUR"),
    ("fr", "le 3 mai", "date", "--05-03"),
    ("es", "3 de mayo de 1990", "date", "1990-05-03"),
    ("es", "1.234,50 euros", "money", "1234.5 EUR"),
    ("pt", "30 centavos", "money", "30 cent"),
]


@pytest.mark.parametrize(("code", "text", "kind", "canonical"), CASES)
def test_a_value_has_its_type_and_canonical_text(code: str, text: str, kind: str, canonical: str) -> None:
    """R-35: numbers, units, currencies, dates, quantity words are compared by what they say."""
    language = shipped().rules.languages[code]
    found = [token for token in read_values(tokenise(text), language) if token.kind is TokenKind.VALUE]
    assert [(token.type, token.canonical) for token in found] == [(kind, canonical)]


@pytest.mark.parametrize(
    ("text", "identities", "values"),
    [
        ("invoice 1001 is paid", ["1001"], []),
        ("shed 3 is locked", ["3"], []),
        ("Invoice 1001 has 2 pages", ["1001"], ["2"]),
        ("the order costs 30", [], ["30"]),
        ("the limit is 30", [], ["30"]),
        ("the parser accepts 3 formats", [], ["3"]),
        ("Alice owes Bob 5", [], ["5"]),
        ("it runs on port 8080", ["8080"], []),
        ("Stripe charges 3.5% + 35c", [], ["3.5%", "35 cent"]),
        ("room 12 has 30 chairs", ["12"], ["30"]),
    ],
)
def test_a_bare_number_behind_the_noun_it_labels_is_identity(
    text: str, identities: list[str], values: list[str]
) -> None:
    """R-35: with unit, sign or currency, after a verb, preposition or copula, before a counted noun, it is a value."""
    found = read_values(tokenise(text), shipped().rules.default)
    assert [token.text for token in found if token.type == "identity"] == identities
    assert [token.canonical for token in found if token.kind is TokenKind.VALUE] == values


@pytest.mark.parametrize(
    "text",
    [
        "no one knows",
        "this one",
        "the May queen",
        "may I",
        "x86",
        "3rd",
        "1Password",
        "100000000000000000000000000000000000000000000",
    ],
)
def test_what_is_no_value_stays_a_word(text: str) -> None:
    """R-35: precision before recall."""
    found = read_values(tokenise(text), shipped().rules.default)
    assert [token.raw for token in found if token.kind is TokenKind.VALUE] == []


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a?b=1",
        "ana@example.com",
        "`user_city`",
        "/etc/hosts",
        "core/keys.py",
        "#4471",
        "ABC-123",
        "550e8400-e29b-41d4-a716-446655440000",
        "2efff43a1",
        '"Blue"',
    ],
)
def test_what_names_something_is_one_token(text: str) -> None:
    """R-35: names and identifiers are compared as a whole."""
    (token,) = tokenise(text)
    assert (token.kind, token.raw) == (TokenKind.NAME, text)


def test_spans_count_code_points() -> None:
    """API: offsets are code points, also behind characters outside the basic plane."""
    text = "😀 São Paulo costs 30 €"
    found = read_values(tokenise(text), shipped().rules.default)
    assert [text[token.start : token.end] for token in found] == ["😀", "São", "Paulo", "costs", "30 €"]


def test_a_whole_value_is_canonical_and_a_name_folded() -> None:
    """R-35: 2.90% + 35c is two values; New York is a folded name."""
    language = shipped().rules.default
    assert canonical_of(read_values(tokenise("2.90% + 35c"), language)) == "2.9% | 35 cent"
    assert canonical_of(read_values(tokenise("New York"), language)) == "new york"
    assert canonical_of(read_values(tokenise('"Little Italy"'), language)) == "little italy"
