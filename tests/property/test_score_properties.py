"""What holds for every fusion and every score."""

from hypothesis import given
from hypothesis import strategies as st

from stemma.core.fuse import Fusion, Hit, Query, fuse
from stemma.core.score import Scale, Score, ScoreKind, composite, importance, recency, similarity

UNIT = st.floats(0, 1)
COSINES = st.floats(-1, 1)
HITS = st.lists(
    st.builds(
        Hit,
        st.sampled_from("abcdef"),
        st.none() | st.floats(0, 50),
        st.none() | COSINES,
        st.sampled_from([None, "user", "assistant"]),
    ),
    max_size=6,
    unique_by=lambda hit: hit.item,
)
QUERIES = st.builds(Query, st.floats(0, 50), st.none() | COSINES, st.integers(0, 200))
FUSIONS = st.builds(
    Fusion,
    base=st.floats(0, 0.5),
    reach=st.floats(0, 0.5),
    ideal_share=st.floats(0.01, 1),
    floor=COSINES,
    spread=st.floats(0.001, 1),
    role_weights=st.sampled_from([{}, {"assistant": 0.7}]),
)


@given(HITS, QUERIES, FUSIONS)
def test_every_hit_has_one_fused_score_in_its_range(hits: list[Hit], query: Query, fusion: Fusion) -> None:
    """R-42: in = out, and a score outside 0 to 1 cannot be built."""
    found = fuse(hits, query, fusion)
    assert sorted(each.item for each in found) == sorted(hit.item for hit in hits)
    assert [each.score.value for each in found] == sorted((each.score.value for each in found), reverse=True)


@given(HITS, QUERIES, FUSIONS, st.randoms())
def test_the_order_of_hits_changes_nothing(hits: list[Hit], query: Query, fusion: Fusion, shuffler: object) -> None:
    """R-2, R-44: the same hits give the same ranking."""
    shuffled = list(hits)
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fuse(shuffled, query, fusion) == fuse(hits, query, fusion)


@given(HITS, st.floats(0.1, 50), FUSIONS, st.floats(0, 50))
def test_more_lexical_evidence_never_lowers_an_item_among_the_lexical_hits(
    hits: list[Hit], ideal: float, fusion: Fusion, more: float
) -> None:
    """R-41: monotone in its own evidence, with the lexical leg alone."""
    if not hits:
        return
    raised = [Hit(hits[0].item, (hits[0].bm25 or 0.0) + more, None, hits[0].role), *hits[1:]]
    before = {each.item: at for at, each in enumerate(fuse(hits, Query(ideal), fusion))}
    after = {each.item: at for at, each in enumerate(fuse(raised, Query(ideal), fusion))}
    assert after[hits[0].item] <= before[hits[0].item]


@given(UNIT, UNIT, st.floats(-1e6, 1e6), st.none() | st.floats(0.01, 1e4), UNIT, st.floats(0.001, 1))
def test_the_composite_is_in_its_range_and_never_above_a_factor(
    raw: float, weight: float, age: float, half_life: float | None, zero: float, width: float
) -> None:
    """R-40, F25: every factor stays within its declared range, whatever the clock says."""
    alike = similarity(Score(ScoreKind.FUSED, raw), Scale(zero, zero + width))
    fresh = recency(age, half_life)
    whole = composite(alike, importance(weight), fresh)
    assert 0 <= whole.value <= min(alike.value, weight, fresh.value)


@given(st.floats(0, 1e4), st.floats(0, 1e4), st.floats(0.01, 1e4))
def test_the_older_is_never_the_fresher(age: float, more: float, half_life: float) -> None:
    """R-40."""
    assert recency(age + more, half_life).value <= recency(age, half_life).value
