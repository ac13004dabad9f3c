"""JSON from outside is read as RFC 8259 has it, under limits."""

from __future__ import annotations

import pytest

from stemma.edges.json_input import NESTING_LIMIT, parse_json, parse_object
from stemma.errors import InvalidInput, InvalidUnicode, MalformedJson, NestingTooDeep, StemmaError


@pytest.mark.parametrize(
    ("raw", "code", "status"),
    [
        (b'{"a": 1', "malformed_json", 400),
        (b'{"a": NaN}', "malformed_json", 400),
        (b'{"a": -Infinity}', "malformed_json", 400),
        (b'{"a": 1e400}', "malformed_json", 400),
        (b'{"a": ' + b"9" * 5_000 + b"}", "malformed_json", 400),
        (b'{"a": 1, "b": 2, "a": 3}', "malformed_json", 400),
        (b"{'a': 1}", "malformed_json", 400),
        (b'{"a": "\xff"}', "invalid_unicode", 422),
        (b'"' + b"\xed\xa0\x80" + b'"', "invalid_unicode", 422),
        (b"[1]", "invalid", 422),
        (b'"text"', "invalid", 422),
        (b"null", "invalid", 422),
    ],
)
def test_what_is_no_json_object_is_refused_by_name(raw: bytes, code: str, status: int) -> None:
    """API.md, errors."""
    with pytest.raises(InvalidInput) as caught:
        parse_object(raw)
    assert (caught.value.code, caught.value.status) == (code, status)


def test_a_name_given_twice_is_told() -> None:
    """R-11: taking one of two values would drop the other silently."""
    with pytest.raises(MalformedJson, match='"text" stands twice'):
        parse_object(b'{"text": "a", "subject_id": "s", "text": "b"}')


@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":', "}")])
def test_nesting_is_counted_to_the_limit_and_not_beyond(pair: tuple[str, str]) -> None:
    """API.md: `nesting_too_deep`."""
    start, end = pair
    at_limit = start * NESTING_LIMIT + "1" + end * NESTING_LIMIT
    assert parse_json(at_limit.encode())
    with pytest.raises(NestingTooDeep):
        parse_json((start + at_limit + end).encode())


def test_absurd_nesting_ends_in_the_same_error() -> None:
    """API.md: `nesting_too_deep`, whatever the depth."""
    with pytest.raises(NestingTooDeep):
        parse_json(b"[" * 1_000_000)


def test_brackets_within_texts_are_no_nesting() -> None:
    """API.md: `nesting_too_deep` speaks of structure."""
    assert parse_object(b'{"text": "' + b"[" * 1_000 + b'"}') == {"text": "[" * 1_000}


def test_no_body_is_an_empty_object() -> None:
    """API.md: compile without a subject needs no body; white space is one, and no JSON."""
    assert parse_object(b"") == {}
    with pytest.raises(MalformedJson):
        parse_object(b" \n")


def test_a_lone_surrogate_is_left_to_the_field_it_stands_in() -> None:
    """R-23: a fault in one item of a batch is that item's; so the envelope passes."""
    assert parse_object(b'{"text": "\\ud800"}') == {"text": "\ud800"}


def test_every_refusal_is_of_the_one_tree() -> None:
    """HOUSE_STYLE, errors."""
    for raw in (b"{", b"\xff", b"[" * 100):
        with pytest.raises(StemmaError):
            parse_json(raw)
    with pytest.raises(InvalidUnicode):
        parse_json(b"\xff")
