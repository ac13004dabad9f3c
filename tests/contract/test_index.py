"""The two search indexes over PostgreSQL: arithmetic, scope, order, backlog (R-12, R-41, R-64, R-92, R-95, F34)."""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from stemma.core import lexical
from stemma.core.analyse import ANALYSER_VERSION, scope_hash, terms
from stemma.store import index, queries
from stemma.store.connection import Store
from stemma.store.index import DenseQuery, LexicalRow, Where
from stemma.store.transaction import Transaction

TENANT = "acme"
MODEL = "m1@1"


def row(name: str, text: str, *, subject: str = "s", kind: str = "memory", owner: str | None = None) -> LexicalRow:
    return LexicalRow(
        item_kind=kind,
        item_id=name,
        owner_id=owner or name,
        subject_id=subject,
        text_hash=hashed(text),
        analyser=ANALYSER_VERSION,
        weights=lexical.document_weights(terms(text, "en")),
        scope=[scope_hash("tenant", TENANT), scope_hash("subject", subject)],
    )


def hashed(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


NOW = datetime(2026, 3, 1, tzinfo=UTC)


def everything(subject: str | None = None, kinds: Sequence[str] = ("memory",)) -> Where:
    scope = [scope_hash("tenant", TENANT), *([scope_hash("subject", subject)] if subject else [])]
    return Where(scope=scope, item_kinds=kinds, now=NOW, subject_ids=[subject] if subject else [])


def put(store: Store, texts: Mapping[str, str], *, subject: str = "s", tenant: str = TENANT) -> None:
    with store.transaction(tenant) as t:
        index.put_lexical(t, [row(name, text, subject=subject) for name, text in texts.items()])


def find(t: Transaction, question: str, where: Where, limit: int = 50) -> list[str]:
    answer = index.candidates_lexical(t, where, lexical.query_terms(terms(question, "en")), limit=limit)
    return [hit.owner_id for hit in answer.hits]


def test_the_stores_bm25_is_the_cores(store: Store) -> None:
    """R-41: weights, idf, ideal and order of the SQL are those of core/lexical, over the scope's own statistics."""
    draw = random.Random(11)
    vocabulary = [f"w{n}" for n in range(30)]
    texts = {f"t{n}": " ".join(draw.choices(vocabulary, k=draw.randint(1, 12))) for n in range(60)}
    put(store, texts)
    put(store, {f"x{n}": "w1 w2 w3" for n in range(40)}, subject="other")
    weights = {name: lexical.document_weights(terms(text, "en")) for name, text in texts.items()}
    holding = Counter(term for each in weights.values() for term in each)
    with store.transaction(TENANT, read_only=True) as t:
        for _ in range(20):
            query = lexical.query_terms(draw.choices([*vocabulary, "unknown"], k=draw.randint(1, 5)))
            answer = index.candidates_lexical(t, everything("s"), query, limit=1000)
            right = {name: lexical.score(query, each, len(texts), holding) for name, each in weights.items()}
            right = {name: value for name, value in right.items() if value}
            assert {hit.owner_id: hit.bm25 for hit in answer.hits} == pytest.approx(right, rel=1e-5)
            assert [hit.bm25 for hit in answer.hits] == sorted((hit.bm25 for hit in answer.hits), reverse=True)
            if right:
                assert answer.documents == len(texts)
                assert answer.ideal == pytest.approx(lexical.ideal(query, len(texts), holding))


def test_percent_and_underscore_find_their_own_line_first(any_store: Store) -> None:
    """F34: user text is never a pattern."""
    lines = {1: "rate 100% of quota", 2: "rate 1000 of quota", 3: "file_name column", 4: "file-name column"}
    put(any_store, {str(number): line for number, line in lines.items()})
    with any_store.transaction(TENANT, read_only=True) as t:
        assert find(t, "100%", everything()) == ["1"]
        assert find(t, "file_name", everything()) == ["3", "4"]
        assert [find(t, question, everything()) for question in ("_", "%", "\\")] == [[], [], []]


def test_a_scope_of_three_in_a_thousand_gets_its_three(store: Store) -> None:
    """R-41: filtered before ranked, however small the scope."""
    put(store, {f"n{n}": f"dashboard theme {n}" for n in range(1000)}, subject="crowd")
    put(store, {f"m{n}": f"the dashboard of plant {n}" for n in range(3)}, subject="few")
    with store.transaction(TENANT, read_only=True) as t:
        assert sorted(find(t, "dashboard", everything("few"), limit=3)) == ["m0", "m1", "m2"]


def test_another_tenant_is_neither_found_nor_counted(store: Store) -> None:
    """R-12: not even its statistics are seen."""
    put(store, {"a": "dashboard theme", "b": "alarm"})
    with store.transaction(TENANT, read_only=True) as t:
        alone = index.candidates_lexical(t, everything(), lexical.query_terms(["dashboard"]), limit=9)
    put(store, {f"o{n}": "dashboard" for n in range(50)}, tenant="rival")
    with store.transaction(TENANT, read_only=True) as t:
        beside = index.candidates_lexical(t, everything(), lexical.query_terms(["dashboard"]), limit=9)
    assert beside == alone
    assert [hit.owner_id for hit in beside.hits] == ["a"]
    assert beside.documents == 2


def test_a_long_text_counts_by_its_best_passage(store: Store) -> None:
    """R-41: the sum over passages would let long texts win."""
    with store.transaction(TENANT) as t:
        passages = [
            row(f"long#{n}", text, owner="long") for n, text in enumerate(["dashboard a b c d", "dashboard dashboard"])
        ]
        index.put_lexical(t, [*passages, row("short", "dashboard dashboard dashboard")])
        answer = index.candidates_lexical(t, everything(), lexical.query_terms(["dashboard"]), limit=9)
    assert [(hit.owner_id, hit.item_id) for hit in answer.hits] == [("short", "short"), ("long", "long#1")]
    assert answer.documents == 3


def test_what_no_longer_stands_leaves_both_legs_at_the_commit_and_can_come_back(store: Store) -> None:
    """R-3, R-41: superseding ends a spell, and both searches see it at once."""
    put(store, {"a": "dashboard one", "b": "dashboard two"})
    with store.transaction(TENANT) as t:
        index.put_vectors(t, MODEL, {hashed("dashboard one"): [1.0, 0.0], hashed("dashboard two"): [0.0, 1.0]})
        assert index.set_stands(t, {"a": "{(,2026-01-01T00:00:00Z)}"}) == 1
    dense = DenseQuery(MODEL, [1.0, 0.0])
    with store.transaction(TENANT) as t:
        assert find(t, "dashboard", everything()) == ["b"]
        assert [hit.owner_id for hit in index.candidates_dense(t, everything(), dense, limit=9).hits] == ["b"]
        assert index.set_stands(t, {"a": index.ALWAYS}) == 1
        assert sorted(find(t, "dashboard", everything())) == ["a", "b"]


def test_the_nearest_come_first_with_the_floor_of_the_sample(store: Store) -> None:
    """R-41: exact cosines within the scope, and the lowest cosine of a fixed sample."""
    names = [f"t{n}" for n in range(40)]
    put(store, {name: name for name in names})
    angles = {name: n * math.pi / 40 for n, name in enumerate(names)}
    with store.transaction(TENANT) as t:
        vectors = {hashed(name): [math.cos(angle), math.sin(angle)] for name, angle in angles.items()}
        assert index.put_vectors(t, MODEL, vectors) == 40
        assert index.put_vectors(t, MODEL, vectors) == 0
        whole = index.candidates_dense(t, everything(), DenseQuery(MODEL, [1.0, 0.0]), limit=5)
        part = index.candidates_dense(t, everything(), DenseQuery(MODEL, [1.0, 0.0], sample_size=10), limit=5)
        asked = index.cosines(t, everything(), DenseQuery(MODEL, [1.0, 0.0]), ["t20", "absent"])
    assert [hit.owner_id for hit in whole.hits] == names[:5]
    assert [hit.cosine for hit in whole.hits] == pytest.approx([math.cos(angles[n]) for n in names[:5]], abs=1e-3)
    assert (whole.floor, whole.sampled) == (pytest.approx(math.cos(angles["t39"]), abs=1e-3), 40)
    sample = sorted(names, key=hashed)[:10]
    assert (part.floor, part.sampled) == (pytest.approx(min(math.cos(angles[n]) for n in sample), abs=1e-3), 10)
    assert asked == {("memory", "t20"): pytest.approx(0.0, abs=1e-3)}


def test_vectors_of_two_models_never_meet(store: Store) -> None:
    """R-95, F35: another model answers nothing, rather than nonsense or an error over dimensions."""
    put(store, {"a": "one", "b": "two"})
    with store.transaction(TENANT) as t:
        index.put_vectors(t, MODEL, {hashed("one"): [1.0, 0.0]})
        index.put_vectors(t, "m2@1", {hashed("two"): [0.0, 1.0, 0.0]})
        assert index.vector_models(t) == {"m1@1": 2, "m2@1": 3}
        answer = index.candidates_dense(t, everything(), DenseQuery("m2@1", [0.0, 1.0, 0.0]), limit=9)
        assert [hit.owner_id for hit in answer.hits] == ["b"]
        empty = index.candidates_dense(t, everything(), DenseQuery("m3@1", [1.0, 0.0]), limit=9)
        assert (empty.hits, empty.floor, empty.sampled) == ((), None, 0)
        assert index.delete_vectors_of_model(t, "m2@1") == 1
        assert index.vector_models(t) == {"m1@1": 2}


def test_the_backlog_names_each_text_once_live_memories_first(store: Store) -> None:
    """R-64: the dense backlog is visible, in an order that serves what can be recalled."""
    with store.transaction(TENANT) as t:
        rows = [row("e1", "said", kind="episode"), row("old", "past"), row("m1", "said"), row("m2", "new")]
        index.put_lexical(t, rows)
        index.set_stands(t, {"old": "{}"})
        missing = index.vectors_missing(t, MODEL, limit=9)
        assert [each.owner_id for each in missing[2:]] == ["old"]
        assert {each.owner_id for each in missing[:2]} == {"m1", "m2"}
        assert index.count_vectors_missing(t, MODEL) == 3
        assert len(index.vectors_missing(t, MODEL, limit=1)) == 1
        index.put_vectors(t, MODEL, {hashed("said"): [1.0, 0.0]})
        assert index.count_vectors_missing(t, MODEL) == 2
        assert index.count_vectors_missing(t, "m2@1") == 3


def test_a_deleted_text_takes_its_vector_and_gets_no_late_one(store: Store) -> None:
    """R-92, R-64: erasure reaches vectors, and work for what is gone is dropped."""
    put(store, {"a": "shared", "b": "shared", "c": "own"})
    with store.transaction(TENANT) as t:
        index.put_vectors(t, MODEL, {hashed("shared"): [1.0, 0.0], hashed("own"): [0.0, 1.0]})
        assert index.delete(t, ["a", "c"]) == 2
        hits = index.candidates_dense(t, everything(), DenseQuery(MODEL, [1.0, 0.0]), limit=9).hits
        assert [hit.owner_id for hit in hits] == ["b"]
        assert index.put_vectors(t, MODEL, {hashed("own"): [0.0, 1.0]}) == 0
        assert index.delete(t, ["b"]) == 1
        assert index.vector_models(t) == {}


def test_rows_of_another_analyser_are_counted(store: Store) -> None:
    """R-2: a new version of the analyser writes its rows again."""
    put(store, {"a": "one"})
    with store.transaction(TENANT, read_only=True) as t:
        assert index.count_other_analysers(t, ANALYSER_VERSION) == 0
        assert index.count_other_analysers(t, "a2") == 1


def test_searches_read_the_rows_of_their_subject_and_not_the_table(store: Store) -> None:
    """R-41, R-103: under row security too, the plans of both legs begin at the subject, in a table of many."""
    for n in range(40):
        put(store, {f"{n}.{m}": f"dashboard theme w{n} w{m}" for m in range(50)}, subject=f"s{n}")
    with store.transaction(TENANT) as t:
        missing = index.vectors_missing(t, MODEL, limit=5000)
        index.put_vectors(t, MODEL, {each.text_hash: [1.0, 0.0] for each in missing})
    with store.transaction(TENANT) as t:
        t.connection.execute("ANALYZE lex, embeddings")
    scope = [scope_hash("tenant", TENANT), scope_hash("subject", "s7")]
    where = {"scope": scope, "item_kinds": ["memory"], "now": NOW, "subject_ids": ["s7"]}
    query = lexical.query_terms(["dashboard"])
    lexical_asked = {**where, "query": query, "asked": f"{{{query[0]}:1}}/1000000000", "limit": 10}
    dense_asked = {**where, "vector": "[1,0]", "model_id": MODEL, "sample_size": 500, "limit": 10}
    with store.transaction(TENANT, read_only=True) as t:
        for name, asked in (("lexical_candidates", lexical_asked), ("dense_candidates", dense_asked)):
            explained = f"EXPLAIN {queries.load()[name]}"
            lines = t.connection.execute(explained, {"tenant_id": TENANT, **asked})
            plan = "\n".join(line["QUERY PLAN"] for line in lines)
            assert "Seq Scan on lex" not in plan, plan
            assert plan.count("lex_by_subject") == 1, plan
