"""The store's search among turns is that of core/dialogue, on both servers; rows of an older form are written again."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stemma import Stemma
from stemma.app import turn_search
from stemma.app.calibration import calibration_of
from stemma.app.episode_index import FORM, lexical_rows
from stemma.core import lexical
from stemma.core.analyse import date_terms_of_query, term_hash, terms
from stemma.core.dialogue.hear import Indexed, Sought, hear, mixtures
from stemma.core.dialogue.turns import Heard, Said, Turn
from stemma.records import Content, Message
from stemma.store import index, turns
from stemma.store.connection import Store
from stemma.store.index import DenseQuery, LexicalRow
from stemma.store.transaction import Transaction
from stemma.store.turns import TurnQuery
from tests.simulation.fleet import fresh_embedded, fresh_served
from tests.stores import Server

TENANT, MODEL, DIMENSIONS = "acme", "m1@1", 6
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
WORDS = "kayak river paddle camp storm lake tent bread music train Ana Bo".split()
Draw = random.Random


def dialogue(draw: Draw) -> list[LexicalRow]:
    """Draw some sessions: of messages, of single texts under one session id, and a long text alone."""
    rows: list[LexicalRow] = []
    for number in range(draw.randint(2, 7)):
        at = START + timedelta(days=number)
        said = [
            Message(draw.choice(["user", "assistant"]), phrase(draw), draw.choice(["Ana", "Bo", None]))
            for _ in range(draw.randint(1, 6))
        ]
        content = Content(messages=tuple(said))
        rows += lexical_rows(TENANT, "s", f"e{number:02d}", f"{number:064x}", content, Said(at=at, source="chat"))
    for number in range(draw.randint(0, 6)):
        content = Content(text=phrase(draw), speaker=draw.choice(["Ana", "Bo"]))
        said_at = Said(at=START + timedelta(hours=number), source="chat", session_id=draw.choice(["one", "two"]))
        rows += lexical_rows(TENANT, "s", f"t{number:02d}", f"{number:064x}", content, said_at)
    for at in (START, START + timedelta(days=3)):  # one key, two revisions, in a session and alone
        for key, session in (("r1", "one"), ("r2", None)):
            content, name = Content(text=phrase(draw)), f"{draw.randrange(16**12):064x}"
            rows += lexical_rows(TENANT, "s", key, name[::-1], content, Said(at=at, source="chat", session_id=session))
    content = Content(text=" ".join(phrase(draw) for _ in range(40)))
    return rows + lexical_rows(TENANT, "s", "long", f"{9:064x}", content, Said(at=START, source="chat"))


def phrase(draw: Draw) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randint(2, 9))) + draw.choice([".", "?"])


def vector(draw: Draw) -> list[float]:
    # The last part is so small that a share of it is nothing in half precision.
    return [*(draw.uniform(-1, 1) for _ in range(DIMENSIONS - 1)), 1.2e-7]


def cosine_of(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)


def sought_of(query: str, sample_size: int) -> Sought:
    words = frozenset(lexical.query_terms(terms(query)))
    return Sought(query, words, frozenset(map(term_hash, date_terms_of_query(query))), sample_size, limit=200)


def found(t: Transaction, sought: Sought, dense: DenseQuery | None) -> list[dict[str, Any]]:
    calibration = calibration_of(None)
    asked = TurnQuery(
        subject="s",
        now=START,
        words=sorted(sought.words),
        dates=sorted(sought.dates),
        dense=dense,
        figures=turn_search.figures_of(calibration),
        sessions_whole=calibration.dialogue.sessions_whole,
        limit=sought.limit,
    )
    return turns.candidates(t, asked)


def figures(heard: Heard) -> dict[str, Any]:
    return {name: getattr(heard, name) for name in ("bm25", "shared", "preceding", "dated", "free", "told")}


@pytest.mark.parametrize("seed", range(12))
def test_the_stores_turns_are_the_cores(store: Store, seed: int) -> None:
    """R-41, R-44: own scores, neighbours' shares, sessions, dates, names and vectors are those of core/dialogue."""
    draw = Draw(seed)
    rows = dialogue(draw)
    vectors = {row.text_hash: vector(draw) for row in rows if draw.random() < 0.8}
    query = " ".join(draw.sample(WORDS, 3)) + draw.choice(["", " on 2 March 2026"])
    dense = DenseQuery(MODEL, vector(draw), draw.choice([3, 9, 500])) if seed % 3 else None
    sought = sought_of(query, dense.sample_size if dense else 1)
    recipe = calibration_of(None).dialogue
    with store.transaction(TENANT) as t:
        index.put_lexical(t, rows)
        index.put_vectors(t, MODEL, vectors)
        cosines = {} if dense is None else index.cosines_of_texts(t, dense, list(vectors))
        indexed = [
            Indexed(row.owner_id, row.item_id, row.text_hash, row.weights, row.turn, cosines.get(row.text_hash))
            for row in rows
            if isinstance(row.turn, Turn)
        ]
        parts = mixtures(indexed, recipe)
        mixed = {} if dense is None else turns.mixed_cosines(t, dense, parts)
        stored = found(t, sought, dense)
        common = sorted({term for row in rows for term in row.weights})
        documents, holding = turns.frequencies(t, "s", START, common, sought.sample_size)
    heard, question = hear(indexed, sought, recipe, mixed)
    assert (documents, holding) == (question.scope.documents, dict(question.scope.holding))
    for unit, cosine in mixed.items():
        total = [sum(share * vectors[text][n] for _, share, text in parts[unit]) for n in range(DIMENSIONS)]
        assert cosine == pytest.approx(cosine_of(total, dense.vector if dense else []), abs=0.01)
    read = {(each.unit, each.said_at): each for each in map(turn_search.heard_of, stored)}
    assert len(read) == len(stored)
    assert read.keys() == {(each.unit, each.said_at) for each in heard}
    for each in heard:
        other = read[each.unit, each.said_at]
        assert figures(other) == pytest.approx(figures(each), rel=1e-4, abs=1e-4)
        assert (other.cosine, other.mixed) == (
            pytest.approx(each.cosine, abs=1e-4),
            pytest.approx(each.mixed, abs=1e-4),
        )
        same = ("owner", "said_at", "place", "role", "speaker", "words", "asks")
        assert [getattr(other, name) for name in same] == [getattr(each, name) for name in same]
    asked = turn_search.question_of(query, sorted(question.terms), stored, question.recipe)
    assert asked.worth == pytest.approx(dict(question.worth))
    assert (asked.floor, asked.sampled) == (pytest.approx(question.floor, abs=1e-4), question.sampled)
    assert asked.plain_floor == pytest.approx(question.plain_floor, abs=1e-4)


@pytest.fixture(params=["embedded", "served"])
def address(request: pytest.FixtureRequest, served_server: Server) -> Iterator[str]:
    """A new store on each of the two servers."""
    if request.param == "served":
        with fresh_served(served_server) as target:
            yield target
        return
    with fresh_embedded() as target:
        yield target


def conversation(key: str, *said: tuple[str, str], day: int = 1, role: str = "user") -> dict[str, Any]:
    messages = [{"role": role, "name": name, "content": text} for name, text in said]
    at = (START + timedelta(days=day)).isoformat()
    return {"subject_id": "ana", "key": key, "session_id": key, "messages": messages, "occurred_at": at}


TRIP = conversation(
    "trip",
    ("Bo", "Which instrument did you bring to the campfire, Ana?"),
    ("Ana", "My grandmother's old mandolin, it never goes out of tune."),
    ("Bo", "Lovely."),
)
OTHERS = [
    conversation("other", ("Ana", "The campfire smoke made my jacket smell for a week."), ("Bo", "Mine too."), day=2),
    conversation("work", ("Bo", "The invoices are done."), ("Ana", "Send them on Friday."), day=3),
]


def test_an_answer_is_found_by_the_question_before_it(address: str) -> None:
    """Design study, neighbours: a turn without a word of the query inherits those of the turn that it answers."""
    with Stemma(address, embedder="none") as stemma:
        stemma.add_episodes([TRIP, *OTHERS])
        found = stemma.recall("ana", "Which instrument was brought?", k=3, include=["episodes"], explain=True)
        texts = [item.episode.text for item in found.items]
        answer = found.items[texts.index("My grandmother's old mandolin, it never goes out of tune.")]
        assert texts.index(answer.episode.text) < 2
        assert (answer.episode.span.message, answer.explain["bm25"]) == (1, None)
        parts = answer.explain["turn"]
        assert parts["neighbours"] == parts["lexical"] > 0
        total = sum(parts[name] for name in ("fused", "session", "session_best", "date", "shape", "subject"))
        assert answer.explain["fused"] == pytest.approx(total)


def test_beside_an_assistant_a_turn_takes_a_little_of_the_one_before_it_alone(address: str) -> None:
    """R-105: an assistant's long answer lends its words to the turn after it alone, and few of them."""
    said = ("Hello, I am back.", "Which instrument did you bring to the campfire?", "The mandolin.", "Lovely.")
    for key, speaker in (("alone", "user"), ("assisted", "assistant")):
        messages = [
            {"role": speaker if place == 1 else "user", "name": "AB"[place % 2], "content": text}
            for place, text in enumerate(said)
        ]
        at = START.isoformat()
        with_others = [{"subject_id": key, "key": key, "occurred_at": at, "messages": messages}]
        with Stemma(address, embedder="none") as stemma:
            stemma.add_episodes(with_others)
            items = stemma.recall(key, "Which instrument?", include=["episodes"], explain=True).items
        lent = {item.episode.span.message: item.explain["turn"]["neighbours"] for item in items}
        words = next(item.explain["turn"]["lexical"] for item in items if item.episode.span.message == 1)
        assert lent[2] == pytest.approx({"alone": 0.5, "assisted": 0.3}[key] * words, rel=1e-4)
        assert (lent.get(0, 0.0) > 0, lent.get(3, 0.0) > 0) == ((key == "alone"),) * 2


def test_each_message_of_a_conversation_is_found_by_itself(address: str) -> None:
    """Design study, units: one row a turn; a conversation of three is three hits, not its best one."""
    with Stemma(address, embedder="none") as stemma:
        stemma.add_episodes([TRIP])
        found = stemma.recall("ana", "campfire mandolin lovely", include=["episodes"])
        assert {item.episode.span.message for item in found.items} == {0, 1, 2}
        assert {item.episode.key for item in found.items} == {"trip"}


def test_of_two_values_the_newer_stands_first_where_the_present_is_asked(address: str) -> None:
    """Design study, section 4: the set stays, its order follows the question's time."""
    old = conversation("old", ("Ana", "The train fleet of our depot has 12 red engines in service."), day=1)
    new = conversation("new", ("Ana", "The train fleet of our depot has 15 red engines."), day=9)
    with Stemma(address, embedder="none") as stemma:
        stemma.add_episodes([new, old, *OTHERS])
        now = stemma.recall("ana", "How many red engines of the train fleet are in service?", include=["episodes"])
        then = stemma.recall("ana", "How many red engines of the train fleet were in service?", include=["episodes"])
        assert [item.episode.key for item in now.items][:2] == ["new", "old"]
        assert {item.episode.key for item in then.items} == {item.episode.key for item in now.items}
        assert [item.episode.key for item in then.items][:2] == ["old", "new"]


def test_rows_of_an_older_form_are_written_again_at_the_next_opening(address: str) -> None:
    """A store from before turns were indexed finds by words, is brought up to date by itself, and is whole then."""
    with Stemma(address, embedder="none") as stemma:
        stemma.add_episodes([TRIP, *OTHERS])
        stemma.compile_memories("ana")
        stemma.runtime.store.run(stemma.tenant, _age)
        assert stemma.verify().faults != ()
        assert stemma.recall("ana", "instrument", include=["episodes"]).items[0].episode.key == "trip"
    with Stemma(address, embedder="none") as stemma:
        assert stemma.verify().faults == ()
        found = stemma.recall("ana", "Which instrument was brought?", include=["episodes"]).items
        assert found[1].episode.text == "My grandmother's old mandolin, it never goes out of tune."


def _age(t: Transaction) -> None:
    columns = "unit session said_at place role speaker words asks length starts ends".split()
    emptied = ", ".join(f"{each} = NULL" for each in columns)
    t.connection.execute(f"UPDATE lex SET analyser = 'a1', {emptied} WHERE item_kind = 'episode'")
    t.connection.execute("DELETE FROM store_settings WHERE value = %s", [FORM])


def test_a_question_about_the_wrong_participant_has_little_support(address: str) -> None:
    """Design study, section 5: what Ana said answers nothing about Bo; the reason is named, and nothing is refused."""
    with Stemma(address, embedder="none") as stemma:
        stemma.add_episodes([TRIP, *OTHERS])
        right = stemma.recall("ana", "Did the mandolin of Ana's grandmother stay in tune?", include=["episodes"])
        wrong = stemma.recall("ana", "Did the mandolin of Bo's grandmother stay in tune?", include=["episodes"])
        assert right.support is not None
        assert wrong.support is not None
        assert (right.support.signals.subject, wrong.support.signals.subject) == (1.0, -1.0)
        assert right.support.value > wrong.support.value
        assert (right.support.reasons, wrong.support.reasons) == ((), ("subject_differs",))
        assert wrong.items
        assert stemma.recall("ana", "mandolin").support is None


def test_one_turn_that_matches_by_chance_does_not_make_another_the_subject(address: str) -> None:
    """Design study, section 5: the best three turns of each side are compared, as one alone may be chance."""
    told = (
        ("Ana", "The harbour sail race was windy."),
        ("Ana", "Our harbour sail race starts on Sunday."),
        ("Ana", "That harbour sail race again!"),
        ("Bo", "The harbour sail race prize is a tankard."),
        ("Bo", "I painted the shed."),
    )
    with Stemma(address, embedder="none") as stemma:
        stemma.add_episodes([conversation("race", *told, day=1), *OTHERS])
        found = stemma.recall("ana", "What is the prize of Ana's harbour sail race?", include=["episodes"])
        assert found.support is not None
        assert found.items[0].episode.text == "The harbour sail race prize is a tankard."
        assert found.support.signals.subject > 0
        assert found.support.reasons == ()
