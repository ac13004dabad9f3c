"""How Python values are said in a path, a query and a body."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

import pytest

from stemma.client.routes import ROUTES
from stemma.client.wording import worded
from stemma.errors import InvalidInput, InvalidUnicode, NotFound, StemmaError


def test_names_stand_in_the_path_as_they_are() -> None:
    """API documents: an external id may hold anything, and `..` is one and no step up to the corpus."""
    route = ROUTES["delete_document"]
    for external_id, escaped in (
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("a/../b", "a/%2E%2E/b"),
        ("a b?c#d%2F", "a%20b%3Fc%23d%252F"),
        ("ü/ß", "%C3%BC/%C3%9F"),
    ):
        path, body = worded(route, {"corpus": "hand book", "external_id": external_id})
        assert (path, body) == (f"/v1/corpora/hand%20book/documents/{escaped}", None)


def test_a_name_that_would_lead_elsewhere_is_refused() -> None:
    """R-80: an id with a slash is nobody's; a blank one would name the list."""
    with pytest.raises(NotFound):
        worded(ROUTES["get_memory"], {"memory_id": "x/history"})
    with pytest.raises(NotFound):
        worded(ROUTES["delete_corpus"], {"corpus": "a/documents/b"})
    for blank in ("", " ", None, [], {"a": 1}):
        with pytest.raises(InvalidInput) as refused:
            worded(ROUTES["forget_memory"], {"memory_id": blank})
        assert refused.value.field == "memory_id"


def test_a_query_says_each_value_once_and_escaped() -> None:
    """API: lists and deletes are asked in the query."""
    now = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    path, _ = worded(ROUTES["forget_memory"], {"memory_id": "m", "by": "a&b=c", "note": "1+1 ü"})
    assert path == "/v1/memories/m?by=a%26b%3Dc&note=1%2B1%20%C3%BC"
    path, _ = worded(ROUTES["figures"], {"days": 7, "hub_share": 0.5, "subject_id": now})
    assert path == "/v1/figures?days=7&hub_share=0.5&subject_id=2026-03-01T12%3A00%3A00%2B02%3A00"
    with pytest.raises(InvalidInput, match="subject_id is a single value"):
        worded(ROUTES["list_memories"], {"subject_id": ["a", "b"]})
    with pytest.raises(InvalidUnicode):
        worded(ROUTES["list_memories"], {"subject_id": "\ud800"})


def test_a_body_is_json_in_utf_8() -> None:
    """API: times are RFC 3339; any mapping or sequence is taken; what stands in the path stands there alone."""
    fields: dict[str, Any] = {
        "corpus": "c",
        "external_id": "d",
        "metadata": MappingProxyType({"at": datetime(2026, 3, 1, tzinfo=UTC), "tags": ("ü", 1, None, True)}),
    }
    path, body = worded(ROUTES["put_document"], fields)
    assert path == "/v1/corpora/c/documents/d"
    assert body is not None
    assert "ü".encode() in body
    assert json.loads(body) == {"metadata": {"at": "2026-03-01T00:00:00+00:00", "tags": ["ü", 1, None, True]}}


def test_what_only_the_server_can_place_is_sent_to_it() -> None:
    """R-23: a lone surrogate or a NaN inside one episode of a batch is that episode's fault alone."""
    _, body = worded(ROUTES["add_episodes"], {"episodes": [{"text": "\ud800"}, {"metadata": {"n": float("nan")}}]})
    assert body == b'{"episodes":[{"text":"\\ud800"},{"metadata":{"n":NaN}}]}'


@pytest.mark.parametrize(
    ("value", "field"),
    [({1: "a"}, "metadata"), ({"a": [0, {1, 2}]}, "metadata.a.1"), ({"a": b"x"}, "metadata.a"), (object(), "metadata")],
)
def test_what_json_cannot_say_is_refused_by_its_place(value: Any, field: str) -> None:
    """R-80: the path of the faulty field, and nothing of the value."""
    with pytest.raises(InvalidInput) as refused:
        worded(ROUTES["remember"], {"metadata": value})
    assert refused.value.field == field


def test_values_nested_without_end_are_refused() -> None:
    """R-80."""
    deep: list[Any] = []
    deep.append(deep)
    with pytest.raises(StemmaError, match="nested too deep"):
        worded(ROUTES["remember"], {"metadata": {"a": deep}})
