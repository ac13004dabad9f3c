"""What a new extractor does to a state, and that an old one undoes it (R-31, D-2, D-21, property 13)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stemma.records import Act, ActKind, Candidate, HumanAct
from stemma.state import Evidence
from tests.property.compiled import Compiled, whole
from tests.property.histories import VALUES, Record, T, history, registry

REGISTRY = registry()
RULES = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@st.composite
def histories(draw: st.DrawFn) -> list[Record]:
    """Draw a history."""

    def pick(options: Sequence[T]) -> T:
        return draw(st.sampled_from(options))

    return history(pick, draw(st.integers(1, 8)), draw(st.integers(0, 3)))


def reread(found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Read a content as a second version does: every statement in its place, by its words, and one more at the end.

    What was read as one value is read as the next; what has no claim key keeps its words. One in five is not read.
    """
    again = [_reread(each) for each in found if random.Random(repr(each)).random() < 0.8]
    return tuple(again)


def _reread(candidate: Candidate) -> Candidate:
    if candidate.value in VALUES and candidate.act is not Act.WRONG_LAST:
        following = VALUES[(VALUES.index(candidate.value) + 1) % len(VALUES)]
        return replace(candidate, value=following, shown=following.title())
    return candidate


@RULES
@given(histories())
def test_the_first_version_again_gives_the_first_state_again(records: list[Record]) -> None:
    """R-2, R-31 (property 13): version 1, then 2, then 1: each time the state of that version, hash and all."""
    compiled = Compiled(REGISTRY)
    compiled.move_to(records)
    first = compiled.hash
    compiled.read_by(reread)
    dump, state_hash = whole(records, REGISTRY, reread)
    assert (compiled.dump, compiled.hash) == (dump, state_hash)
    assert compiled.read_by(reread).is_empty
    compiled.read_by(None)
    assert compiled.hash == first == whole(records, REGISTRY)[1]


@RULES
@given(histories())
def test_what_was_forgotten_stays_so_under_whatever_name_a_new_version_gives_it(records: list[Record]) -> None:
    """D-21: a forget lists spans; a statement on one is forgotten, and one that touches none is not.

    A statement that only shares a clause with it is left alone: of several on a span at least one is forgotten.
    """
    forgets = [act for act in records if isinstance(act, HumanAct) and act.kind is ActKind.FORGET]
    told = [each for each in records if not isinstance(each, HumanAct)] + forgets
    evidence = list(whole(told, REGISTRY, reread)[0].evidence.values())
    covered: set[tuple[object, ...]] = set()
    for act in forgets:
        for named in act.memories:
            for saying in named.sayings:
                found = [
                    one
                    for one in evidence
                    if (one.key, one.content_hash, one.occurred_at)
                    == (saying.key, saying.content_hash, saying.occurred_at)
                    and one.role == "support"
                    and one.start < saying.end
                    and saying.start < one.end
                ]
                covered |= {_name(one) for one in found}
                alive = [one for one in found if one.dead is None]
                assert not found or len(alive) < len(found), (saying, found)
    by_id = {named.memory_id for act in forgets for named in act.memories}
    for one in evidence:
        if one.dead == "forgotten":
            assert _name(one) in covered or one.memory_id in by_id


def _name(one: Evidence) -> tuple[object, ...]:
    return one.key, one.content_hash, one.place, one.occurred_at
