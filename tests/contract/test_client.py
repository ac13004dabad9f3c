"""Both clients against a real `stemma serve`: the answers, the errors and what is shown of them (R-80)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from stemma import AsyncStemmaClient, StemmaClient
from stemma.app.models_documents import DeleteResult
from stemma.app.models_recall import RecallItem, RecallResult
from stemma.app.models_search import AnswerCitations, AnswerDone, AnswerText
from stemma.client.errors import AnswerUnreadable, Refused, ServerUnreachable
from stemma.client.retrying import Retries
from stemma.errors import (
    ControlCharacter,
    EncodingUndecided,
    InvalidInput,
    MalformedJson,
    NaiveDatetime,
    NotFound,
    RememberRejected,
    UnknownField,
)
from stemma.key_errors import KeyUnknown
from stemma.session_errors import SessionClosed
from tests.clients import opened
from tests.serving import Served

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = "sk_never-to-be-seen-4711"


@pytest.fixture(name="memory")
def remote(served: Served, kind: str) -> Iterator[Any]:
    """A client of the running server."""
    with opened(kind, served.address, retries=Retries(times=0)) as client:
        yield client


def test_from_an_episode_to_a_memory_with_its_evidence(memory: Any, subject_id: str) -> None:
    """R-80: the main path; datetimes and texts are taken, and answers are the models of the process."""
    said = [
        {"subject_id": subject_id, "text": "I live in Lisbon.", "key": "1", "occurred_at": NOON},
        {
            "subject_id": subject_id,
            "text": "I am allergic to peanuts.",
            "key": "2",
            "occurred_at": "2026-02-28T12:00:00Z",
        },
    ]
    assert [one.outcome for one in memory.add_episodes(said).results] == ["created", "created"]
    assert [one.outcome for one in memory.add_episodes(tuple(said)).results] == ["duplicate", "duplicate"]
    assert memory.compile_memories(subject_id).memories_created == 2
    found = memory.recall(subject_id, "What are you allergic to?", k=1, include=["memories"])
    assert isinstance(found, RecallResult)
    (item,) = found.items
    assert isinstance(item, RecallItem)
    assert item.memory.text == "I am allergic to peanuts"
    assert [(one.key, one.occurred_at) for one in item.memory.episodes] == [("2", NOON - timedelta(days=1))]
    assert memory.get_memory(item.memory.id).recall_count >= 0
    bundle = memory.bundle("Where do you live?", subject_id=subject_id, budget_tokens=200)
    assert "I live in Lisbon" in bundle.text
    judged = memory.why(bundle.trace_id, item.memory.id)
    assert (judged.id, judged.type) == (item.memory.id, "memory")


def test_acts_take_effect_before_they_answer(memory: Any, subject_id: str) -> None:
    """API: patch and forget; a DELETE says who and why in its query."""
    (kept,) = memory.remember(subject_id, "Ana prefers oat milk.", metadata={"at": NOON, "tags": ("a", "b")}).memories
    assert memory.patch_memory(kept.id, importance=0.9, by="ana & co", note="1+1=2 é").importance == 0.9
    gone = memory.forget_memory(kept.id, by="ana & co", note="not true")
    assert (gone.id, gone.status) == (kept.id, "tombstoned")
    assert memory.list_memories(subject_id).items == ()
    (episode,) = memory.find_episodes(subject_id).items
    assert episode.metadata == {"at": NOON.isoformat(), "tags": ["a", "b"]}


def test_documents_by_any_name_and_what_deleting_them_answers(memory: Any, subject_id: str) -> None:
    """R-80: a name like `..` is a name; deleting answers what it does in process, though HTTP answers 204."""
    corpus = f"c{abs(hash(subject_id))}"
    for external_id in ("..", "a/../b", "a b?c#d%2F/ü"):
        memory.put_document(corpus, external_id, text=f"The pump {external_id} is restarted by hand.")
        assert memory.get_document(corpus, external_id).external_id == external_id
    assert memory.delete_document(corpus, "..") == DeleteResult(deleted=1)
    assert memory.delete_document(corpus, "..") == DeleteResult(deleted=0)
    assert [one.external_id for one in memory.list_documents(corpus).items] == ["a b?c#d%2F/ü", "a/../b"]
    assert memory.delete_corpus(corpus) == DeleteResult(deleted=2)


def test_a_list_is_read_to_its_end(memory: Any, subject_id: str) -> None:
    """Issue 6: `iter_…` follows the cursors; `limit` is the size of a page."""
    texts = [f"Note {number}." for number in range(7)]
    memory.add_episodes([{"subject_id": subject_id, "key": text, "text": text} for text in texts])
    assert len(memory.find_episodes(subject_id, limit=3).items) == 3
    whole = memory.find_episodes(subject_id).items
    assert {one.key for one in whole} == set(texts)
    assert tuple(memory.iter_episodes(subject_id, limit=3)) == whole
    second = memory.find_episodes(subject_id, limit=3).next_cursor
    assert tuple(memory.iter_episodes(subject_id, limit=2, cursor=second)) == whole[3:]


def test_one_client_is_asked_by_many_at_once(served: Served, kind: str, subject_id: str) -> None:
    """R-80: from any number of threads, or of tasks of one event loop."""
    texts = [f"Note {number} of many." for number in range(24)]
    if kind == "blocking":
        with StemmaClient(served.address) as client, ThreadPoolExecutor(8) as threads:
            done = list(threads.map(lambda text: client.remember(subject_id, text, key=text), texts))
    else:

        async def all_at_once() -> list[Any]:
            async with AsyncStemmaClient(served.address) as client:
                return await asyncio.gather(*(client.remember(subject_id, text, key=text) for text in texts))

        done = asyncio.run(all_at_once())
    assert [one.memories[0].text for one in done] == texts
    assert {one.episode.outcome for one in done} == {"created"}


def test_an_answer_streams(memory: Any, subject_id: str) -> None:
    """API answers: the citations, the sentences, the whole; letters that end lines elsewhere end none here."""
    corpus = f"s{abs(hash(subject_id))}"
    memory.put_document(corpus, "runbook", text="Stop the pump first.\u2028Then restart the pump by hand.")
    events = list(memory.stream_answer("How is the pump restarted?", corpora=[corpus]))
    assert isinstance(events[0], AnswerCitations)
    assert [one.external_id for one in events[0].citations] == ["runbook"]
    assert isinstance(events[-1], AnswerDone)
    assert "".join(one.text for one in events if isinstance(one, AnswerText)) == events[-1].answer
    assert events[-1].answer == memory.answer_from_documents("How is the pump restarted?", corpora=[corpus]).answer
    with pytest.raises(InvalidInput) as refused:
        next(iter(memory.stream_answer(" ", corpora=[corpus])))
    assert refused.value.errors == ("query",)
    if isinstance(memory, StemmaClient):
        with pytest.raises(InvalidInput):
            memory.stream_answer(" ", corpora=[corpus])


def test_errors_are_those_of_the_tree(memory: Any, subject_id: str) -> None:
    """R-80: the class, code, status, detail and fields that the process gives."""
    cases = [
        (NaiveDatetime, ("now",), lambda: memory.recall(subject_id, "tea", now=NOON.replace(tzinfo=None))),
        (UnknownField, ("depth",), lambda: memory.recall(subject_id, "tea", depth=3)),
        (InvalidInput, ("subject_id",), lambda: memory.recall("", "tea")),
        (InvalidInput, ("subject_id",), lambda: memory.find_episodes("*")),
        (InvalidInput, ("subject_id",), lambda: memory.erase(None)),
        (NotFound, (), lambda: memory.get_memory("none")),
        (NotFound, ("memory_id",), lambda: memory.get_memory("none/history")),
        (ControlCharacter, ("text",), lambda: memory.remember(subject_id, "a\x00b")),
    ]
    for kind, fields, ask in cases:
        with pytest.raises(kind) as raised:
            ask()
        assert type(raised.value) is kind
        assert (raised.value.errors, raised.value.fields) == (fields, fields)
        assert (raised.value.code, raised.value.status) == (kind.code, kind.status)
        assert str(raised.value) == raised.value.detail != ""


def test_errors_that_say_more_say_it_here_too(memory: Any, subject_id: str) -> None:
    """R-80: the reason of a remember, the byte of an encoding, the field of a session."""
    memory.put_source(subject_id[:64], key_policy="identity")
    with pytest.raises(RememberRejected) as rejected:
        memory.remember(subject_id, "Ana likes tea.", source=subject_id[:64])
    assert rejected.value.reason == "no_key"
    with pytest.raises(EncodingUndecided) as undecided:
        memory.put_document("enc", "x", content_base64="YWIA", media_type="text/plain")
    assert undecided.value.offset == 2
    session = f"s-{subject_id}"[:200]
    assert memory.reset_session(session).session_id != session
    with pytest.raises(SessionClosed):
        memory.bundle("tea", subject_id=subject_id, session_id=session)


def test_one_faulty_episode_is_rejected_alone(memory: Any, subject_id: str) -> None:
    """R-23: over HTTP as in process."""
    good = {"subject_id": subject_id, "text": "I live in Lisbon.", "key": "1"}
    bad = [
        {**good, "text": "\ud800"},
        {**good, "metadata": {"n": float("inf")}},
        {**good, "occurred_at": NOON.replace(tzinfo=None)},
    ]
    found = memory.add_episodes([*bad, good]).results
    assert [one.error.code if one.error else one.outcome for one in found] == [
        "invalid_unicode",
        "malformed_json",
        "naive_datetime",
        "created",
    ]
    assert issubclass(MalformedJson, InvalidInput)


def test_a_key_is_sent_as_a_bearer_and_shown_nowhere(
    served: Served, kind: str, caplog: pytest.LogCaptureFixture, subject_id: str
) -> None:
    """Issue 6: no memory text and no key in logs, repr or exceptions; the HTTP library would log whole URLs."""
    caplog.set_level(logging.DEBUG)
    sent: list[httpx.Request] = []
    hooks: dict[str, Any] = {"request": [sent.append if kind == "blocking" else _noting(sent)]}
    library = (httpx.Client if kind == "blocking" else httpx.AsyncClient)(event_hooks=hooks, timeout=60)
    with opened(kind, served.address + "/", api_key=KEY, http_client=library) as client:
        shown = [repr(client), str(client)]
        with pytest.raises(KeyUnknown) as raised:
            client.list_memories(claim_key="diet", value="a secret value")
        error: BaseException | None = raised.value
        while error is not None:
            shown += [str(error), repr(error)]
            error = error.__cause__ or error.__context__
        client.close()
        assert not library.is_closed
        library.close() if isinstance(library, httpx.Client) else client.wait_for(library.aclose())
    assert [one.headers["authorization"] for one in sent] == [f"Bearer {KEY}"]
    shown += [record.getMessage() for record in caplog.records]
    assert not [line for line in shown if KEY in line or "secret" in line or "/v1/memories?" in line]


def test_other_users_of_the_library_are_logged_as_before(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    """Issue 6: only our own requests are kept out of its log."""
    caplog.set_level(logging.INFO)
    with StemmaClient(served.address) as client, httpx.Client() as other:
        client.list_kinds()
        other.get(f"{served.address}/healthz")
    assert [record.getMessage().split('"')[0].strip() for record in caplog.records if record.name == "httpx"] == [
        f"HTTP Request: GET {served.address}/healthz"
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "localhost:8765"},
        {"base_url": "ftp://localhost"},
        {"base_url": "http://user:pass@localhost"},
        {"base_url": "http://localhost/?a=1"},
        {"base_url": ""},
        {"api_key": ""},
        {"api_key": "a\r\nb"},
        {"api_key": "schlüssel"},
        {"transport": object(), "http_client": object()},
    ],
)
@pytest.mark.parametrize("client", [StemmaClient, AsyncStemmaClient])
def test_what_a_client_cannot_be_made_of_is_refused_by_name(client: Any, wrong: dict[str, Any]) -> None:
    """R-80: at once, not at the first request, and without repeating a key."""
    with pytest.raises(InvalidInput) as refused:
        client(**wrong)
    assert refused.value.field in wrong
    assert "schlüssel" not in str(refused.value)


def test_what_answers_in_the_server_s_place_is_told_apart(kind: str) -> None:
    """Issue 6: another program's page, a redirect, a newer server's refusal and its answers."""

    def asked(answer: httpx.Response) -> Any:
        def give(_: httpx.Request) -> httpx.Response:
            return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

        with opened(kind, "http://127.0.0.1:1", transport=httpx.MockTransport(give)) as client:
            return client.list_kinds(limit=1)

    for status, body in ((200, "<html>secret</html>"), (200, '{"items": [{"name": "secret"}]}'), (204, ""), (302, "")):
        with pytest.raises(AnswerUnreadable) as odd:
            asked(httpx.Response(status, text=body))
        assert "secret" not in repr(odd.value)
        assert odd.value.__context__ is None
    newer = {
        "type": "t",
        "title": "T",
        "status": 418,
        "detail": "Too short.",
        "code": "teapot",
        "errors": ["spout"],
        "more": 1,
    }
    with pytest.raises(Refused) as refused:
        asked(httpx.Response(418, json=newer))
    assert (refused.value.code, refused.value.status, refused.value.detail) == ("teapot", 418, "Too short.")
    assert refused.value.errors == ("spout",)
    assert (Refused.code, Refused.status) == ("refused", 500)
    assert asked(httpx.Response(200, json={"items": [], "next_cursor": None, "colour": "red"})).items == ()
    with (
        pytest.raises(ServerUnreachable, match="502"),
        opened(
            kind,
            "http://127.0.0.1:1",
            retries=Retries(times=0),
            transport=httpx.MockTransport(lambda _: httpx.Response(502, text="bad gateway")),
        ) as client,
    ):
        client.list_kinds()


def _noting(sent: list[httpx.Request]) -> Any:
    async def note(request: httpx.Request) -> None:
        sent.append(request)

    return note
