"""The shipped golden set on the embedded store, without an embedder, against the baseline that is kept here (R-47)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from stemma.app.evaluate_files import example_fixture, example_probes
from stemma.core.golden.probe import ProbeClass
from tests.serving import Shell

BASELINE = Path(__file__).with_name("golden_baseline.json")


def test_the_shipped_set_is_no_worse_than_its_baseline(shell: Shell) -> None:
    """R-47. Where this fails: mend it, waive the probe, or write the baseline anew and say why in the change."""
    done = shell("eval", "--example", "--baseline", str(BASELINE), "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0, (report["comparison"]["blocks"], report["differing"])
    assert report["probes"] == len(example_probes().items)
    assert report["is_complete"]
    found = {each["name"]: each["value"] for each in report["figures"]}
    assert found["forced_other_per_prompt"] == 0
    assert all(each["foreign"] == 0 for each in report["results"])


def test_the_shipped_set_has_every_class_and_many_languages() -> None:
    """Issue 5: at least 60 probes, a quarter not in English, all classes; every statement has a key of its own."""
    probes = example_probes().items
    assert len(probes) >= 60
    assert {each.type for each in probes} == set(ProbeClass)
    languages = Counter(each.language for each in probes)
    assert sum(count for code, count in languages.items() if code != "en") >= len(probes) / 4
    assert len(languages) >= 6
    statements = example_fixture().items
    assert len({(each.subject_id, each.key) for each in statements}) == len(statements) >= 400
