"""The shipped registry files, and a user's own beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemma.app.registry_files import load_registry
from stemma.errors import InvalidKind
from stemma.records import Policy


def test_a_users_file_adds_to_the_shipped_kinds_and_replaces_them(tmp_path: Path) -> None:
    """R-33: user-extensible, without code."""
    own = tmp_path / "kinds.toml"
    own.write_text(
        '[kinds.mood]\npolicy = "keep_all"\n[kinds.habit]\npolicy = "flag"\n[claim_keys.mood_today]\nkind = "mood"\n'
    )
    found = load_registry(own)
    assert found.kinds["mood"].policy is Policy.KEEP_ALL
    assert found.kinds["habit"].policy is Policy.FLAG
    assert found.kinds["profile"] == load_registry().kinds["profile"]
    assert found.claim_keys["mood_today"].kind == "mood"


@pytest.mark.parametrize(
    "text", ["[kinds.mood", "[moods.good]\n", 'kinds = "all"\n', '[kinds.mood]\npolicy = "newest"\n']
)
def test_a_malformed_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    """R-33: validated."""
    own = tmp_path / "kinds.toml"
    own.write_text(text)
    with pytest.raises(InvalidKind):
        load_registry(own)
