"""From which similarity an ambiguous word counts, and what is recorded where that cannot be asked (R-32)."""

from __future__ import annotations

from dataclasses import replace

from stemma.core.extract import extract, extractor_version
from stemma.records import Content
from tests.extracting import judged_by, shipped


def test_thresholds_stand_by_kind() -> None:
    """The embedder's own threshold of a kind, the default for every other."""
    extractor = replace(judged_by(lambda text, kind: 0.4), thresholds={"preference": 0.4})
    extraction = extract(Content(text="I love tea. I trust you."), extractor=extractor)
    assert [(record.kind, record.passed, record.threshold) for record in extraction.gates] == [
        ("preference", True, 0.4),
        ("milestone", False, 0.5),
    ]


def test_a_kind_without_prototypes_is_recorded_as_such() -> None:
    """What could not be measured passes on its form, and its record says why."""
    judged = judged_by(lambda text, kind: 0.0)
    bare = {code: replace(language, prototypes={}) for code, language in judged.rules.languages.items()}
    extractor = replace(judged, rules=replace(judged.rules, languages=bare))
    extraction = extract(Content(text="I trust you"), extractor=extractor)
    (record,) = extraction.gates
    assert (record.passed, record.reason, record.gate) == (True, "no_prototypes", "similarity")
    assert (record.score, record.threshold, len(extraction.candidates)) == (None, 0.5, 1)


def test_the_version_names_the_thresholds_of_its_own_embedder() -> None:
    """R-2: another embedder's threshold changes no extraction, so it changes no version."""
    plain = shipped()
    own, other = ({name: {"milestone": 0.6}} for name in ("a@1", "b@1"))
    version = extractor_version(plain.rules, plain.registry, "a@1")
    assert extractor_version(plain.rules, replace(plain.registry, thresholds=own), "a@1") != version
    assert extractor_version(plain.rules, replace(plain.registry, thresholds=other), "a@1") == version
    without = extractor_version(plain.rules, plain.registry, None)
    assert extractor_version(plain.rules, replace(plain.registry, thresholds=own), None) == without
