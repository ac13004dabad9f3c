"""Cursors: opaque, of one list, whole or refused (API.md: lists page with `cursor`)."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stemma.app.cursors import cursor_of, cursor_parts, moment_in, name_after, number_in
from stemma.errors import InvalidCursor


@given(st.lists(st.text(max_size=20), max_size=3))
def test_a_cursor_gives_back_what_was_written_and_to_its_own_list_alone(parts: list[str]) -> None:
    """API.md: given back as it came, in the path of a URL too."""
    parts = [part.encode("utf-8", "ignore").decode() for part in parts]
    cursor = cursor_of("memories", *parts)
    assert cursor_parts(cursor, "memories", len(parts)) == parts
    assert cursor.replace("-", "").replace("_", "").isalnum()
    with pytest.raises(InvalidCursor):
        cursor_parts(cursor, "decisions", len(parts))


def test_one_character_more_less_or_other_is_refused() -> None:
    """API.md: what was tampered with is named, and no page of it answered."""
    cursor = cursor_of("memories", "2026-01-01T00:00:00Z", "a1b2")
    spoilt = [cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1 :] for at in range(len(cursor))]
    spoilt += [cursor[:-1], cursor[1:], "A" + cursor, "é" + cursor, cursor + "====", "", "AAAA", "page 2", "=", "%"]
    for one in spoilt:
        with pytest.raises(InvalidCursor) as refused:
            cursor_parts(one, "memories", 2)
        assert refused.value.fields == ("cursor",)


def test_what_is_forged_with_the_right_check_is_still_no_other_form() -> None:
    """API.md: the check is no secret, so the parts are looked at as well."""
    real = base64.urlsafe_b64decode(cursor_of("events", "x", "y", "z") + "==")
    assert json.loads(real[6:]) == ["x", "y", "z"]
    for part in ("-1", "x", "1" * 10, "١"):
        with pytest.raises(InvalidCursor):
            number_in(part)
    with pytest.raises(InvalidCursor):
        moment_in("yesterday")
    with pytest.raises(InvalidCursor):
        cursor_parts(cursor_of("events", "x"), "events", 3)


def test_the_first_page_comes_after_no_name() -> None:
    """API.md: no cursor, or an empty one."""
    assert (name_after(None, "kinds"), name_after("", "kinds")) == ("", "")
    assert name_after(cursor_of("kinds", "fact"), "kinds") == "fact"
