"""Request models refuse by name what cannot be accepted, with the path of the field."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel

from stemma.app import models_memories as wire
from stemma.app.models_recall import BundleRequest, RecallRequest
from stemma.app.problems import ask, problem
from stemma.errors import InvalidInput, NaiveDatetime, PayloadTooLarge, UnknownField

SCOPES = ["", " ", "\t", None, [], {}, 7, True, "*", "a" * 257]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(
    ("model", "more"),
    [
        (RecallRequest, {"query": "q"}),
        (BundleRequest, {"query": "q"}),
        (wire.CompileRequest, {}),
        (wire.RememberRequest, {"text": "t"}),
        (wire.ListMemories, {}),
        (wire.ListDecisions, {}),
        (wire.ListConflicts, {}),
    ],
)
def test_a_malformed_scope_is_an_error(model: type[BaseModel], more: dict[str, Any], scope: Any) -> None:
    """F31: a scope that got lost on the way never means everything."""
    with pytest.raises(InvalidInput) as caught:
        ask(model, {"subject_id": scope, **more})
    assert caught.value.fields == ("subject_id",)


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (RecallRequest, {"query": "q"}),
        (BundleRequest, {"query": "q"}),
        (wire.RememberRequest, {"text": "t"}),
        (wire.ListMemories, {}),
        (wire.ListDecisions, {}),
        (wire.ListConflicts, {}),
    ],
)
def test_an_absent_scope_is_an_error(model: type[BaseModel], fields: dict[str, Any]) -> None:
    """F31: nor does one that is left out, save where the contract says so."""
    with pytest.raises(InvalidInput) as caught:
        ask(model, fields)
    assert caught.value.fields == ("subject_id",)


def test_compile_without_a_subject_is_asked_for_by_leaving_it_out() -> None:
    """API.md: absent means every subject with something new."""
    assert ask(wire.CompileRequest, {}).subject_id is None


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("2026-03-01T10:00:00", "naive_datetime"),
        ("2026-03-01", "naive_datetime"),
        (datetime(2026, 3, 1, tzinfo=UTC).replace(tzinfo=None), "naive_datetime"),
        ("yesterday", "invalid"),
        ("2026-02-30T10:00:00Z", "invalid"),
        ("2026-03-01T10:00:00Z\n", "invalid"),
        ("0001-01-01T00:00:00+14:00", "invalid"),
        (1_700_000_000, "invalid"),
        (True, "invalid"),
    ],
)
def test_a_time_is_rfc_3339_with_a_zone(value: Any, code: str) -> None:
    """R-22, API.md: times are RFC 3339 with a zone."""
    with pytest.raises(InvalidInput) as caught:
        ask(RecallRequest, {"subject_id": "s", "query": "q", "now": value})
    assert (caught.value.code, caught.value.fields) == (code, ("now",))


def test_a_time_keeps_the_offset_it_came_with() -> None:
    """R-22: "this week" is read in that zone."""
    asked = ask(RecallRequest, {"subject_id": "s", "query": "q", "now": "2026-03-01t10:00:00.5+05:30"})
    assert asked.now is not None
    assert asked.now.isoformat() == "2026-03-01T10:00:00.500000+05:30"
    assert asked.now.astimezone(UTC) == datetime(2026, 3, 1, 4, 30, 0, 500_000, tzinfo=UTC)


def test_defaults_and_bounds_are_those_of_the_contract() -> None:
    """API.md: k 10, budget 2,000 and at least 0, lists 50 and at most 500, query 16,384."""
    asked = ask(RecallRequest, {"subject_id": "s", "query": "q" * 16_384})
    assert (asked.k, asked.include, asked.explain) == (10, ("memories",), False)
    assert ask(BundleRequest, {"subject_id": "s", "query": "q"}).budget_tokens == 2_000
    assert ask(BundleRequest, {"subject_id": "s", "query": "q", "budget_tokens": 0}).budget_tokens == 0
    assert ask(wire.ListMemories, {"subject_id": "s"}).limit == 50
    assert ask(wire.ListMemories, {"subject_id": "s", "limit": 500}).limit == 500
    with pytest.raises(PayloadTooLarge):
        ask(RecallRequest, {"subject_id": "s", "query": "q" * 16_385})


@pytest.mark.parametrize(
    ("model", "fields", "path"),
    [
        (BundleRequest, {"subject_id": "s", "query": "q", "budget_tokens": -1}, "budget_tokens"),
        (BundleRequest, {"subject_id": "s", "query": "q", "budget_tokens": "7"}, "budget_tokens"),
        (RecallRequest, {"subject_id": "s", "query": "q", "k": 0}, "k"),
        (RecallRequest, {"subject_id": "s", "query": "q", "k": 501}, "k"),
        (RecallRequest, {"subject_id": "s", "query": "q", "k": "5"}, "k"),
        (RecallRequest, {"subject_id": "s", "query": "q", "k": 5.0}, "k"),
        (RecallRequest, {"subject_id": "s", "query": "q", "k": True}, "k"),
        (RecallRequest, {"subject_id": "s", "query": "q", "half_life_days": 0}, "half_life_days"),
        (RecallRequest, {"subject_id": "s", "query": "q", "half_life_days": float("inf")}, "half_life_days"),
        (RecallRequest, {"subject_id": "s", "query": "q", "explain": "yes"}, "explain"),
        (RecallRequest, {"subject_id": "s", "query": "q", "include": []}, "include"),
        (RecallRequest, {"subject_id": "s", "query": "q", "include": ["documents"]}, "include.0"),
        (RecallRequest, {"subject_id": "s", "query": "  "}, "query"),
        (RecallRequest, {"subject_id": "s", "query": ["q"]}, "query"),
        (wire.RememberRequest, {"subject_id": "s", "text": ""}, "text"),
        (wire.RememberRequest, {"subject_id": "s", "text": "t", "importance": 1.01}, "importance"),
        (wire.ListMemories, {"subject_id": "s", "status": "gone"}, "status"),
        (wire.ListMemories, {"subject_id": "s", "limit": 501}, "limit"),
        (wire.ListMemories, {"subject_id": "s", "value": "v"}, "claim_key"),
        (wire.PatchMemory, {"memory_id": "m", "note": "n"}, "injection"),
        (wire.PatchMemory, {"memory_id": "m", "injection": "always"}, "injection"),
        (wire.ResolveRequest, {"conflict_id": "c"}, "choose"),
        (wire.ResolveRequest, {"conflict_id": "c", "keep_both": False}, "choose"),
        (wire.ResolveRequest, {"conflict_id": "c", "choose": "m", "keep_both": True}, "choose"),
        (wire.ResolveRequest, {"conflict_id": "c", "choose": "m", "text": "t"}, "value"),
    ],
)
def test_a_wrong_value_is_an_error_at_its_field(model: type[BaseModel], fields: dict[str, Any], path: str) -> None:
    """API.md: requests over a limit or with a wrong type get 422 and the field's path."""
    with pytest.raises(InvalidInput) as caught:
        ask(model, fields)
    assert (caught.value.status, caught.value.field) == (422, path)


def test_a_misspelt_field_is_named() -> None:
    """F31, F53: a misspelt filter is an error, never ignored."""
    with pytest.raises(UnknownField) as caught:
        ask(RecallRequest, {"subject_id": "s", "query": "q", "kind": "preference"})
    assert caught.value.fields == ("kind",)
    assert caught.value.detail == "kind: is no field of this request"


@pytest.mark.parametrize(
    ("text", "code"),
    [("a\x00b", "control_character"), ("a\x7f", "control_character"), ("\x85", "control_character"),
     ("\ud800", "invalid_unicode")],
)  # fmt: skip
def test_text_that_no_text_may_hold_is_refused_by_name(text: str, code: str) -> None:
    """API.md: refused in any text."""
    for fields in ({"subject_id": text, "query": "q"}, {"subject_id": "s", "query": f"q {text}"}):
        with pytest.raises(InvalidInput) as caught:
            ask(RecallRequest, fields)
        assert caught.value.code == code


def test_a_problem_document_says_what_where_and_by_which_code() -> None:
    """API.md: errors are RFC 9457 problem documents."""
    with pytest.raises(NaiveDatetime) as caught:
        ask(RecallRequest, {"subject_id": "s", "query": "q", "now": "2026-03-01T10:00:00", "k": 0})
    assert problem(caught.value).model_dump() == {
        "type": "urn:stemma:problem:naive_datetime",
        "title": "Naive datetime",
        "status": 422,
        "detail": (
            "k: Input should be greater than or equal to 1; "
            "now: time 2026-03-01T10:00:00 has no zone; add one, for example Z"
        ),
        "code": "naive_datetime",
        "errors": ("k", "now"),
    }


def test_the_message_never_repeats_what_was_sent_as_text() -> None:
    """R-94: an error may be logged; what was said is not."""
    with pytest.raises(InvalidInput) as caught:
        ask(RecallRequest, {"subject_id": "s", "query": "my secret \x00"})
    assert "secret" not in caught.value.detail
