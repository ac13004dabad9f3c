"""What the clients do when answers are refused, late or lost: tried again where that is safe, and told where not."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from stemma.client.errors import OutcomeUnknown, ServerUnreachable
from stemma.client.retrying import Retries
from stemma.errors import LockTimeout, StemmaError, VectorMissing
from stemma.key_errors import RateLimited
from tests.clients import Faulty, Lost, opened
from tests.serving import Served

FAST = Retries(times=3, first_seconds=0.001, most_seconds=0.002)
BUSY = httpx.Response(503, text="<html>no upstream</html>")
LOST = [httpx.ReadError, httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.Response(502), httpx.Response(504)]
UNBEGUN = [httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout]


def _problem(kind: type[StemmaError], **headers: str) -> httpx.Response:
    told = {"type": "t", "title": "T", "status": kind.status, "detail": "Not now.", "code": kind.code}
    return httpx.Response(kind.status, json=told, headers={key.replace("_", "-"): one for key, one in headers.items()})


@pytest.fixture(name="ask")
def asking(served: Served, kind: str) -> Iterator[Any]:
    """Open a client of the running server whose answers are spoilt by a transport."""
    opening = []

    def make(faulty: Faulty, retries: Retries = FAST) -> Any:
        context = opened(kind, served.address, transport=faulty, retries=retries)
        opening.append(context)
        return context.__enter__()

    yield make
    for context in opening:
        context.__exit__(None, None, None)


@pytest.mark.parametrize("lost", LOST, ids=lambda lost: getattr(lost, "__name__", str(lost)))
def test_a_write_whose_answer_was_lost_is_sent_again_and_is_a_duplicate(ask: Any, subject_id: str, lost: Any) -> None:
    """Issue 6: safe because keys are derived, also where nobody gave one."""
    faulty = Faulty(Lost(lost), Lost(lost))
    memory = ask(faulty)
    (taken,) = memory.add_episodes([{"subject_id": subject_id, "text": "I live in Lisbon."}]).results
    assert (taken.outcome, faulty.served) == ("duplicate", 3)
    assert len({request.content for request in faulty.sent}) == 1
    kept = memory.find_episodes(subject_id).items
    assert [(one.episode_id, one.key, len(one.sayings)) for one in kept] == [(taken.episode_id, taken.key, 1)]


def test_every_write_that_is_repeated_is_done_once(ask: Any, subject_id: str) -> None:
    """Issue 6: what each leaves is what one request leaves."""
    corpus = f"c{abs(hash(subject_id))}"
    event = {"event_id": f"e of {corpus}", "op": "upsert", "corpus": corpus, "external_id": "2", "text": "Two."}
    writes = [
        ("remember", lambda memory: memory.remember(subject_id, "Ana prefers oat milk.").memories[0].times_said, 1),
        ("remember", lambda memory: memory.remember(subject_id, "Ana prefers oat milk.").episode.outcome, "duplicate"),
        ("put_source", lambda memory: memory.put_source("s", authority=60).authority, 60),
        ("put_claim_key", lambda memory: memory.put_claim_key("k", cardinality="single").cardinality, "single"),
        ("put_document", lambda memory: memory.put_document(corpus, "1", text="One.").outcome, "unchanged"),
        ("add_events", lambda memory: memory.add_events([event]).results[0].status, "duplicate"),
        ("compile", lambda memory: memory.compile_memories(subject_id).memories_created, 0),
        ("delete_document", lambda memory: memory.delete_document(corpus, "1").deleted, 0),
        ("delete_corpus", lambda memory: memory.delete_corpus(corpus).deleted, 0),
    ]
    for name, write, expected in writes:
        faulty = Faulty(Lost(httpx.ReadError))
        assert (name, write(ask(faulty)), faulty.served) == (name, expected, 2)


def test_an_act_whose_answer_was_lost_is_not_sent_again(ask: Any, subject_id: str) -> None:
    """Issue 6: a second one would be another entry in the log; the caller is told that it may have been done."""
    memory = ask(Faulty())
    (kept,) = memory.remember(subject_id, "Ana prefers oat milk.").memories
    session = f"a {subject_id}"[-200:]
    acts = [
        lambda client: client.patch_memory(kept.id, importance=0.9),
        lambda client: client.forget_memory(kept.id),
        lambda client: client.reset_session(session),
        lambda client: client.bundle("oat milk", subject_id=subject_id, session_id=f"b {session}"[:200]),
        lambda client: client.erase(subject_id),
    ]
    for act in acts:
        faulty = Faulty(Lost(httpx.ReadError), httpx.ReadTimeout)
        with pytest.raises(OutcomeUnknown) as unknown:
            act(ask(faulty))
        assert (len(faulty.sent), faulty.served, unknown.value.retryable) == (1, 1, False)
    assert memory.find_episodes(subject_id).items == ()


def test_an_act_that_was_not_begun_is_tried_again(ask: Any, subject_id: str) -> None:
    """Issue 6: no connection, or too many requests: nothing was done yet."""
    (kept,) = ask(Faulty()).remember(subject_id, "Ana prefers oat milk.").memories
    for fault in [*UNBEGUN, _problem(RateLimited, retry_after="0")]:
        faulty = Faulty(fault, fault)
        assert ask(faulty).patch_memory(kept.id, importance=0.4).importance == 0.4
        assert (len(faulty.sent), faulty.served) == (3, 1)
    for fault in (BUSY, _problem(LockTimeout), httpx.Response(504)):
        faulty = Faulty(fault)
        with pytest.raises(StemmaError) as refused:
            ask(faulty).forget_memory(kept.id)
        assert (refused.value.status, len(faulty.sent)) == (503, 1)


@pytest.mark.parametrize("fault", [*UNBEGUN, *LOST, BUSY, _problem(LockTimeout)], ids=str)
def test_tries_are_bounded_in_number(ask: Any, fault: Any) -> None:
    """Issue 6: after the last one the caller has the error."""
    faulty = Faulty(always=fault)
    with pytest.raises(
        LockTimeout if isinstance(fault, httpx.Response) and fault.content[:1] == b"{" else ServerUnreachable
    ):
        ask(faulty).list_kinds()
    assert len(faulty.sent) == 1 + FAST.times


def test_retry_after_is_waited_for_or_ends_the_tries(ask: Any) -> None:
    """Issue 6: honoured, and bounded by the total time."""
    faulty = Faulty(_problem(RateLimited, retry_after="0"), _problem(RateLimited, retry_after="60"))
    with pytest.raises(RateLimited) as limited:
        ask(faulty, Retries(times=9, first_seconds=0.001, total_seconds=20)).list_kinds()
    assert (len(faulty.sent), limited.value.retry_after_seconds) == (2, 60)
    assert (limited.value.detail, limited.value.status, limited.value.retryable) == ("Not now.", 429, True)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422, 500, 501])
def test_what_trying_again_cannot_help_is_not_tried_again(ask: Any, status: int) -> None:
    """Issue 6: 429, 502, 503 and 504 alone; and no 503 of which the server says that it will stay."""
    told = {"type": "t", "title": "T", "status": status, "detail": "No.", "code": "no_such_code"}
    for answer in (httpx.Response(status, json=told), _problem(VectorMissing)):
        faulty = Faulty(answer)
        with pytest.raises(StemmaError):
            ask(faulty).list_kinds()
        assert len(faulty.sent) == 1


def test_a_stream_is_tried_again_until_it_begins_and_not_after(ask: Any, subject_id: str) -> None:
    """Issue 6: events that were seen are not seen twice; a stream that breaks off is no answer."""
    corpus = f"s{abs(hash(subject_id))}"
    ask(Faulty()).put_document(corpus, "runbook", text="Stop the pump first.")
    faulty = Faulty(BUSY, httpx.ConnectError)
    events = list(ask(faulty).stream_answer("How is the pump stopped?", corpora=[corpus]))
    assert ([one.event for one in events], len(faulty.sent)) == (["citations", "text", "done"], 3)
    begun = "event: later\ndata: {}\n\n" + f"event: text\ndata: {events[1].model_dump_json()}\n\nevent: do"
    faulty = Faulty(httpx.Response(200, text=begun))
    broken = ask(faulty).stream_answer("How is the pump stopped?", corpora=[corpus])
    assert next(broken) == events[1]
    with pytest.raises(ServerUnreachable, match="broke off"):
        next(broken)
    assert len(faulty.sent) == 1


def test_real_sockets_that_are_closed_or_silent(kind: str) -> None:
    """Issue 6: somebody hangs up at once; somebody never answers; nobody listens."""

    def raised(ask: str, *named: str, **more: Any) -> BaseException:
        with opened(kind, f"http://127.0.0.1:{port}", **more) as client, pytest.raises(ServerUnreachable) as told:
            getattr(client, ask)(*named)
        return told.value

    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        accepted = []

        def hang_up() -> None:
            for _ in range(1 + FAST.times):
                connection, _ = listening.accept()
                accepted.append(connection.recv(10))
                connection.close()

        answering = threading.Thread(target=hang_up)
        answering.start()
        assert "did not answer in 4 tries" in str(raised("list_kinds", retries=FAST))
        answering.join()
        assert accepted == [b"GET /v1/ki"] * 4
        silent = raised("erase", "ana", retries=FAST, timeout=0.05)
        assert (type(silent), "ReadTimeout" in str(silent)) == (OutcomeUnknown, True)
    gone = raised("erase", "ana", retries=FAST)
    assert (type(gone), str(gone)) == (ServerUnreachable, "the server did not answer in 4 tries: ConnectError")
