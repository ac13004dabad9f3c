"""What counts as worse than the baseline: paired by probe, with exact tests, and what is waived. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import comb
from typing import Final

from stemma.core.golden.draw import Draw
from stemma.core.golden.judged import Judged
from stemma.core.golden.probe import ProbeClass

BLOCKS_BELOW: Final = 0.05
WARNS_BELOW: Final = 0.10
RESAMPLES: Final = 2_000
INTERVAL: Final = 0.95


@dataclass(frozen=True, slots=True)
class Result:
    """What is kept of one probe to compare the next run with.

    `ranks` has every anchor by its key (None: lost), `must_survive` those whose loss blocks. `items`, `relevant` and
    `off_topic` count what came, core left out; `forbidden` are keys that may not come at all and did.
    """

    probe: str
    type: str
    passed: bool
    ranks: Mapping[str, int | None]
    must_survive: tuple[str, ...]
    items: int
    relevant: int
    off_topic: int
    forced_other: int
    foreign: int
    forbidden: tuple[str, ...]
    verdict: str
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiver:
    """Says that a probe may be worse, why, by whom, and until which day (the day itself counts)."""

    probe: str
    reason: str
    by: str
    until: date

    def holds(self, today: date) -> bool:
        """Say whether it counts today."""
        return today <= self.until


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is worse, or may be: which rule found it, in which probe where it is one's, and in words."""

    rule: str
    detail: str
    probe: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """The mean difference of one figure a probe, with its bootstrap interval; above zero is better."""

    name: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether a run is worse than its baseline. `p_value` is that of the sign test over gains and losses.

    `blocks` make it a regression, `warnings` do not. `new` and `missing` are probes that only one of the two has.
    """

    blocks: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    gains: tuple[str, ...]
    losses: tuple[str, ...]
    p_value: float
    changes: tuple[Change, ...]
    new: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def is_regression(self) -> bool:
        """Say whether anything blocks."""
        return bool(self.blocks)


def result_of(judged: Judged) -> Result:
    """Keep of a judged probe what the next run is compared with."""
    return Result(
        probe=judged.probe.id,
        type=judged.probe.type.value,
        passed=judged.passed,
        ranks={place.anchor.key: place.rank for place in judged.places},
        must_survive=tuple(place.anchor.key for place in judged.places if place.anchor.must_survive),
        items=len(judged.answer.gated),
        relevant=len(judged.relevant),
        off_topic=len(judged.off_topic),
        forced_other=len(judged.forced_other),
        foreign=sum(line.is_foreign for line in judged.answer.lines),
        forbidden=judged.shown_forbidden,
        verdict=judged.answer.verdict,
        faults=tuple(fault.value for fault in judged.faults),
    )


def sign_test(gains: int, losses: int) -> float:
    """Give the exact two-sided p-value of so many gains and losses where either is as likely: 0 to 6 is 0.03125."""
    total = gains + losses
    if total == 0:
        return 1.0
    tail = sum(comb(total, each) for each in range(min(gains, losses) + 1))
    return min(1.0, tail / (1 << (total - 1)))


def compare(baseline: Iterable[Result], found: Iterable[Result], *, waived: Iterable[str], seed: int) -> Ruling:
    """Hold a run against its baseline, probe by probe; waived probes are left out of every rule.

    Blocks: a must-survive anchor that the baseline had and the run has not; an item forced by another rule than the
    reviewed list; a forbidden item of a poison probe; an item of another subject; more losses than gains with a sign
    test below 0.05; a bootstrap interval of the reciprocal rank or the off-topic items that lies wholly below zero.
    """
    left_out = set(waived)
    before = {each.probe: each for each in baseline}
    after = {each.probe: each for each in found}
    paired = [(before[name], after[name]) for name in sorted(before.keys() & after.keys() - left_out)]
    gains = tuple(new.probe for old, new in paired if new.passed and not old.passed)
    losses = tuple(new.probe for old, new in paired if old.passed and not new.passed)
    p_value = sign_test(len(gains), len(losses))
    changes = tuple(_changes(paired, seed))
    blocks = [*_lost(paired), *_never(each for name, each in sorted(after.items()) if name not in left_out)]
    blocks += [
        Finding("interval", f"{each.name} is worse by {-each.mean:.3f} ({-each.high:.3f} to {-each.low:.3f})")
        for each in changes
        if each.high < 0
    ]
    told = Finding("sign_test", f"{len(losses)} probes lost and {len(gains)} gained, p = {p_value:.3f}")
    is_down = len(losses) > len(gains)
    if is_down and p_value < BLOCKS_BELOW:
        blocks.append(told)
    return Ruling(
        blocks=tuple(blocks),
        warnings=(told,) if is_down and BLOCKS_BELOW <= p_value < WARNS_BELOW else (),
        gains=gains,
        losses=losses,
        p_value=p_value,
        changes=changes,
        new=tuple(sorted(after.keys() - before.keys())),
        missing=tuple(sorted(before.keys() - after.keys())),
    )


def _lost(paired: Sequence[tuple[Result, Result]]) -> list[Finding]:
    return [
        Finding("must_survive", f"{key} came before and does not now", new.probe)
        for old, new in paired
        for key in new.must_survive
        if new.ranks.get(key) is None and old.ranks.get(key) is not None
    ]


def _never(results: Iterable[Result]) -> list[Finding]:
    """Find what blocks whatever the baseline was."""
    found = []
    for each in results:
        if each.forced_other:
            found.append(Finding("forced_other", f"{each.forced_other} items came by another rule", each.probe))
        if each.foreign:
            found.append(Finding("foreign_scope", f"{each.foreign} items of another subject", each.probe))
        if each.type == ProbeClass.POISON and each.forbidden:
            found.append(Finding("poison", f"{', '.join(each.forbidden)} came", each.probe))
    return found


def _changes(paired: Sequence[tuple[Result, Result]], seed: int) -> list[Change]:
    measures = (("reciprocal_rank", _reciprocal), ("off_topic_items", lambda each: -float(each.off_topic)))
    found = []
    for name, measure in measures:
        moved = [measure(new) - measure(old) for old, new in paired]
        if moved:
            found.append(Change(name, sum(moved) / len(moved), *bootstrap(moved, seed)))
    return found


def _reciprocal(result: Result) -> float:
    ranks = result.ranks.values()
    return sum(1 / rank for rank in ranks if rank) / len(ranks) if ranks else 0.0


def bootstrap(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Give the 95 % percentile interval of the mean over `RESAMPLES` drawings of as many values with replacement."""
    if not any(values):
        return 0.0, 0.0
    draw = Draw("bootstrap", seed, len(values))
    size = len(values)
    means = sorted(sum(values[draw.below(size)] for _ in range(size)) / size for _ in range(RESAMPLES))
    out = round((1 - INTERVAL) / 2 * RESAMPLES)
    return means[out], means[-1 - out]
