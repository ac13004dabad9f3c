"""How a fixture was read: what its author expects of each statement, and what became of it. Targets nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from stemma.app.evaluate_holdings import Holdings, episode_of
from stemma.app.evaluate_losses import EXTRACTION, why_no_memory
from stemma.app.memories import list_conflicts
from stemma.app.models_base import LIMIT_MOST
from stemma.app.models_evaluate import FixtureLine
from stemma.app.models_evaluation import Expected, FixtureReading
from stemma.app.models_memories import ListConflicts, Memory
from stemma.app.runtime import Runtime


def reading_of(runtime: Runtime, tenant: str, lines: Sequence[FixtureLine], holdings: Holdings) -> FixtureReading:
    """Compare a fixture with what is remembered of it; read it before anything else is put into the store."""
    refused: dict[str, list[str]] = {}
    kinds: Counter[str] = Counter()
    kinds_right = 0
    own = [line for line in lines if line.source is None]
    for line in own:
        found = holdings.resting_on(line.subject_id, line.key)
        if not found:
            episode = episode_of(runtime, tenant, holdings, line.subject_id, line.key)
            stage, reason = why_no_memory(episode)
            refused.setdefault(reason if stage == EXTRACTION else f"{stage}: {reason}", []).append(line.key)
        elif line.kind is not None:
            names = sorted({each.kind for each in found})
            kinds_right += line.kind in names
            if line.kind not in names:
                kinds[f"{line.kind} read as {', '.join(names)}"] += 1
    pairs = _open_pairs(runtime, tenant, {line.subject_id for line in lines})
    return FixtureReading(
        statements=len(own),
        remembered=len(own) - sum(map(len, refused.values())),
        refused={reason: tuple(keys) for reason, keys in sorted(refused.items())},
        kinds_right=kinds_right,
        kinds_wrong=dict(kinds.most_common()),
        foreign_active=tuple(
            line.key
            for line in lines
            if line.source is not None
            and any(each.status.value == "active" for each in holdings.resting_on(line.subject_id, line.key))
        ),
        supersedes=_expected(lines, holdings, lambda line: line.supersedes, _has_replaced),
        restates=_expected(lines, holdings, lambda line: line.restates, _is_one),
        contradicts=_expected(
            lines,
            holdings,
            lambda line: line.contradicts,
            lambda new, old: _has_replaced(new, old) or _has_conflict(new, old, pairs),
        ),
    )


def _expected(
    lines: Iterable[FixtureLine],
    holdings: Holdings,
    other: Callable[[FixtureLine], str | None],
    holds: Callable[[list[Memory], list[Memory]], bool],
) -> Expected:
    named = [(line, key) for line in lines if (key := other(line)) is not None]
    missed = [
        f"{key} > {line.key}"
        for line, key in named
        if not holds(holdings.resting_on(line.subject_id, line.key), holdings.resting_on(line.subject_id, key))
    ]
    return Expected(pairs=len(named), held=len(named) - len(missed), missed=tuple(missed))


def _has_replaced(new: Iterable[Memory], old: Iterable[Memory]) -> bool:
    ids = {each.id for each in new}
    return any(each.superseded_by in ids for each in old)


def _is_one(new: Iterable[Memory], old: Iterable[Memory]) -> bool:
    return bool({each.id for each in new} & {each.id for each in old})


def _has_conflict(new: Iterable[Memory], old: Sequence[Memory], pairs: set[frozenset[str]]) -> bool:
    return any(frozenset((one.id, other.id)) in pairs for one in new for other in old)


def _open_pairs(runtime: Runtime, tenant: str, subjects: Iterable[str]) -> set[frozenset[str]]:
    return {
        frozenset(each.memory_ids)
        for subject in sorted(subjects)
        for each in list_conflicts(runtime, tenant, ListConflicts(subject_id=subject, limit=LIMIT_MOST)).items
    }
