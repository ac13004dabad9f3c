"""The figures of a golden run: what each is, which way is better, what it should reach. Pure arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import Final

from stemma.core.golden import spread
from stemma.core.golden.judged import Fault, Judged, Place, came_first, exposes_conflict
from stemma.core.golden.probe import ProbeClass
from stemma.core.separation import curve_areas

DIGITS: Final = 4
# 0.95 of 20 is 19, whatever a double makes of it.
_ROUNDING: Final = 1e-9


class Better(StrEnum):
    """Which way a figure is better."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: how it is worked out of the judged probes, and what it should reach, where that is stated.

    `target` is the worst value that is still good. The value is None where nothing of its kind was asked.
    """

    name: str
    better: Better
    target: float | None
    of: Callable[[Sequence[Judged]], float | None]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _places(judged: Iterable[Judged]) -> list[Place]:
    return [place for each in judged for place in each.places]


def _recall(judged: Sequence[Judged]) -> float | None:
    places = _places(judged)
    return _share(sum(place.rank is not None for place in places), len(places))


def _must_survive_lost(judged: Sequence[Judged]) -> float:
    return sum(place.rank is None and place.anchor.must_survive for place in _places(judged))


def _in_rank(judged: Sequence[Judged]) -> float | None:
    bounded = [place for place in _places(judged) if place.anchor.max_rank is not None]
    return _share(
        sum(place.rank is not None and place.rank <= (place.anchor.max_rank or 0) for place in bounded), len(bounded)
    )


def _mrr(judged: Sequence[Judged]) -> float | None:
    places = _places(judged)
    return sum(1 / place.rank for place in places if place.rank) / len(places) if places else None


def percentile(values: Sequence[float], share: float) -> float | None:
    """Give the value that `share` of all do not exceed (nearest rank); None without values."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered) - _ROUNDING) - 1)]


def _rank_at(share: float) -> Callable[[Sequence[Judged]], float | None]:
    def figure(judged: Sequence[Judged]) -> float | None:
        return percentile([place.rank for place in _places(judged) if place.rank is not None], share)

    return figure


def _passed(judged: Sequence[Judged]) -> float | None:
    return _share(sum(each.passed for each in judged), len(judged))


def _forced_core(judged: Sequence[Judged]) -> float | None:
    return _share(sum(item.is_core for each in judged for item in each.answer.items), len(judged))


def _forced_other(judged: Sequence[Judged]) -> float | None:
    return _share(sum(len(each.forced_other) for each in judged), len(judged))


def _off_topic_items(judged: Sequence[Judged]) -> float | None:
    return _share(sum(len(each.off_topic) for each in judged), sum(len(each.answer.gated) for each in judged))


def _off_topic_prompts(judged: Sequence[Judged]) -> float | None:
    negative = [each for each in judged if each.probe.type is ProbeClass.NEGATIVE]
    return _share(sum(bool(each.answer.gated) for each in negative), len(negative))


def _monoculture(judged: Sequence[Judged]) -> float | None:
    return _share(sum(map(spread.is_monoculture, judged)), len(judged))


def _hubs(judged: Sequence[Judged]) -> float:
    return len(spread.hubs(judged))


def _abstaining(judged: Iterable[Judged]) -> list[Judged]:
    return [each for each in judged if each.probe.verdict == "abstain"]


def _answerable(judged: Iterable[Judged]) -> list[Judged]:
    return [each for each in judged if each.probe.is_answerable and each.probe.verdict is None]


def _abstention_recall(judged: Sequence[Judged]) -> float | None:
    wanted = _abstaining(judged)
    return _share(sum(each.answer.verdict == "abstain" for each in wanted), len(wanted))


def _false_abstention(judged: Sequence[Judged]) -> float | None:
    wanted = _answerable(judged)
    return _share(sum(each.answer.verdict == "abstain" for each in wanted), len(wanted))


def _abstention_auc(judged: Sequence[Judged]) -> float | None:
    """Say how well coverage tells what is answerable from what is not: the area under ROC."""
    answerable = [each.answer.coverage for each in _answerable(judged)]
    silent = [each.answer.coverage for each in _abstaining(judged)]
    return curve_areas(answerable, silent)[0] if answerable and silent else None


def _conflicts(judged: Sequence[Judged]) -> float | None:
    wanted = [each for each in judged if each.probe.conflict]
    return _share(sum(map(exposes_conflict, wanted)), len(wanted))


def _repetition(judged: Sequence[Judged]) -> float | None:
    """Give the share of items that came in the same conversation before, and that nothing asks for now."""
    later = [each for each in judged if each.probe.earlier]
    repeated = sum(item.id in each.answer.earlier for each in later for item in each.off_topic)
    return _share(repeated, sum(len(each.answer.gated) for each in later))


def _forbidden_shown(judged: Sequence[Judged]) -> float:
    return sum(len(each.shown_forbidden) for each in judged)


def _forbidden_first(judged: Sequence[Judged]) -> float:
    return sum(len(came_first(each)) for each in judged)


def _tokens(judged: Sequence[Judged]) -> float | None:
    relevant = sum(len(each.relevant) for each in judged)
    return sum(each.answer.tokens for each in judged) / relevant if relevant else None


def _unjudged(judged: Sequence[Judged]) -> float | None:
    return _share(sum(len(each.unjudged) for each in judged), sum(len(each.answer.gated) for each in judged))


_HIGHER, _LOWER, _NEITHER = Better.HIGHER, Better.LOWER, Better.NEITHER

FIGURES: Final = (
    Figure("anchor_recall", _HIGHER, 0.95, _recall),
    Figure("must_survive_lost", _LOWER, 0, _must_survive_lost),
    Figure("anchors_within_rank", _HIGHER, None, _in_rank),
    Figure("mean_reciprocal_rank", _HIGHER, None, _mrr),
    Figure("rank_p50", _LOWER, None, _rank_at(0.50)),
    Figure("rank_p95", _LOWER, None, _rank_at(0.95)),
    Figure("probes_passed", _HIGHER, None, _passed),
    Figure("forced_core_per_prompt", _NEITHER, 5, _forced_core),
    Figure("forced_other_per_prompt", _LOWER, 0, _forced_other),
    Figure("off_topic_items", _LOWER, 0.08, _off_topic_items),
    Figure("off_topic_prompts", _LOWER, 0.05, _off_topic_prompts),
    Figure("forbidden_shown", _LOWER, 0, _forbidden_shown),
    Figure("forbidden_first", _LOWER, None, _forbidden_first),
    Figure("monoculture", _LOWER, 0.02, _monoculture),
    Figure("effective_kinds", _HIGHER, 2.5, spread.mean_effective_kinds),
    Figure("echo_index", _LOWER, 0.05, spread.echo_index),
    Figure("hubs", _LOWER, 0, _hubs),
    Figure("abstention_recall", _HIGHER, 0.90, _abstention_recall),
    Figure("false_abstention", _LOWER, 0.05, _false_abstention),
    Figure("abstention_auc", _HIGHER, 0.78, _abstention_auc),
    Figure("conflict_exposure", _HIGHER, 1.0, _conflicts),
    Figure("repetition", _LOWER, 0.03, _repetition),
    Figure("tokens_per_relevant_item", _LOWER, None, _tokens),
    Figure("unjudged", _LOWER, 0.02, _unjudged),
)
BY_NAME: Final[Mapping[str, Figure]] = {each.name: each for each in FIGURES}


def measure(judged: Sequence[Judged]) -> dict[str, float | None]:
    """Work out every figure, to four decimals."""
    found = {each.name: each.of(judged) for each in FIGURES}
    return {name: None if value is None else round(float(value), DIGITS) for name, value in found.items()}


def meets(name: str, value: float | None) -> bool | None:
    """Say whether a figure reaches its target; None where it has none or nothing was measured."""
    figure = BY_NAME[name]
    if figure.target is None or value is None:
        return None
    return value >= figure.target if figure.better is Better.HIGHER else value <= figure.target


def losses(judged: Iterable[Judged]) -> dict[str, int]:
    """Count the lost anchors by the stage at which they were lost, most first."""
    counts = Counter(place.stage or "unknown" for each in judged for place in each.lost)
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def cells(judged: Iterable[Judged]) -> dict[str, int]:
    """Count the items by the two axes of being right: does it hold, and does it bear on what is asked.

    `accurate_irrelevant` is the cell that a check of truth alone never sees. What nobody has judged is left out.
    """
    found = dict.fromkeys(("accurate_relevant", "accurate_irrelevant", "wrong_relevant", "wrong_irrelevant"), 0)
    for each in judged:
        forbidden = set(each.shown_forbidden)
        for item in each.answer.gated:
            label = each.probe.labels(item)
            if label is None:
                continue
            is_wrong = not item.stands or any(saying.key in forbidden for saying in item.sayings)
            found[f"{'wrong' if is_wrong else 'accurate'}_{'relevant' if label else 'irrelevant'}"] += 1
    return found


def faults(judged: Iterable[Judged]) -> dict[str, int]:
    """Count the probes by what is wrong with them."""
    counts = Counter(fault for each in judged for fault in each.faults)
    return {fault.value: counts[fault] for fault in Fault if counts[fault]}
