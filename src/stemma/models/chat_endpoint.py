"""Any OpenAI-compatible `/chat/completions` as a chat model: bounds, retries, its stream. What is asked is not here."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Self
from urllib.parse import urldefrag, urlsplit

import httpx
from pydantic import BaseModel, ValidationError

from stemma.chat_errors import ChatBusy, ChatFailed, ChatRefused
from stemma.errors import InvalidSettings
from stemma.models.chat import Bounds, Piece, Turn, Usage
from stemma.models.chat_waiting import Deadline, seconds_to_wait

# Far over any answer that is wanted; a server that sends without end is left.
_MOST_BYTES: Final = 4 * 2**20
_BUSY: Final = frozenset({408, 429, 500, 502, 503, 504, 529})
# What a server answers that does not know one of the options.
_UNKNOWN_OPTION: Final = frozenset({400, 422})
_DONE: Final = "[DONE]"
_CONNECT_SECONDS: Final = 10.0


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Text(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Text = _Text()
    delta: _Text = _Text()
    finish_reason: str | None = None


class _Reply(BaseModel):
    choices: list[_Choice]
    usage: _Usage | None = None


class ChatEndpoint:
    """Answers from `POST {base}/chat/completions`, at temperature 0.

    429 and faults of the server are tried again after what `Retry-After` says, within the bounds; a redirect is
    refused, so the key goes nowhere else. A server that refuses the options is asked without them from then on.
    """

    def __init__(self, client: httpx.Client, model: str, bounds: Bounds) -> None:
        """Take an HTTP client whose base is the endpoint's."""
        self._client = client
        self._model = model
        self._bounds = bounds
        self._takes_options = True

    @classmethod
    def at(cls, address: str, *, api_key: str | None, bounds: Bounds) -> Self:
        """Name an endpoint by `https://host/v1#model`; nothing is sent yet."""
        key = (api_key or "").strip()
        if not key.isascii() or not key.isprintable():
            raise InvalidSettings("the key of the chat model holds a character that no header can", field="chat_key")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            base, model = urldefrag(address)
            parts = urlsplit(base)
            if model and parts.hostname and not (parts.username or parts.password or parts.query):
                return cls(httpx.Client(base_url=base, headers=headers), model, bounds)
        except (ValueError, httpx.InvalidURL):
            pass
        # The address is not repeated: whoever writes a key into it would find that in a log.
        raise InvalidSettings("write a chat model as https://host/v1#model, its key apart", field="chat")

    @property
    def id(self) -> str:
        """Name the model at its host (what runs there, only its operator knows)."""
        return f"{self._model}@{self._client.base_url.netloc.decode('ascii')}"

    def reply(self, turns: Sequence[Turn]) -> Piece:
        """Answer at once, whole."""
        deadline = Deadline.after(self._bounds.seconds)
        with self._answer(turns, deadline, stream=False) as answer:
            raw = b"".join(self._bytes(answer, deadline))
        found = self._parsed(raw)
        if not found.choices or found.choices[0].message.content is None:
            raise ChatFailed(f"{self.id} answered without a text")
        return Piece(found.choices[0].message.content, _usage(found), _is_cut(found.choices[0]))

    def stream(self, turns: Sequence[Turn]) -> Iterator[Piece]:
        """Answer in pieces as they come; an answer that ends without saying so has broken off."""
        deadline = Deadline.after(self._bounds.seconds)
        usage, is_done, is_cut = Usage(), False, False
        with self._answer(turns, deadline, stream=True) as answer:
            for sent in _events(self._bytes(answer, deadline)):
                if sent == _DONE:
                    is_done = True
                    break
                found = self._parsed(sent.encode())
                usage = _usage(found) if found.usage else usage
                for choice in found.choices[:1]:
                    is_done, is_cut = is_done or choice.finish_reason is not None, is_cut or _is_cut(choice)
                    if choice.delta.content:
                        yield Piece(choice.delta.content)
        if not is_done:
            raise ChatFailed(f"{self.id} broke off its answer")
        yield Piece("", usage, is_cut)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @contextmanager
    def _answer(self, turns: Sequence[Turn], deadline: Deadline, *, stream: bool) -> Iterator[httpx.Response]:
        """Ask until there is an answer to read, or raise; the body is still to come."""
        attempt = 0
        while True:
            left = deadline.left()
            limits = httpx.Timeout(left, connect=min(left, _CONNECT_SECONDS))
            body = self._body(turns, stream=stream)
            answer = self._sent(self._client.build_request("POST", "chat/completions", json=body, timeout=limits))
            if answer is not None and answer.is_success:
                break
            status = None if answer is None else answer.status_code
            asked_to_wait = None if answer is None else answer.headers.get("retry-after")
            if answer is not None:
                answer.close()
            if status in _UNKNOWN_OPTION and self._takes_options:
                self._takes_options = False
                continue
            self._require_busy(status)
            wait = seconds_to_wait(asked_to_wait, attempt, now=time.time())
            if attempt == self._bounds.retries or not deadline.allows(wait):
                told = "did not answer" if status is None else f"answered {status}"
                raise ChatBusy(f"{self.id} {told}, {attempt + 1} times asked")
            time.sleep(wait)
            attempt += 1
        try:
            yield answer
        except httpx.HTTPError as error:
            raise ChatFailed(f"{self.id} broke off its answer: {type(error).__name__}") from error
        finally:
            answer.close()

    def _sent(self, request: httpx.Request) -> httpx.Response | None:
        """Send it and give the answer's head, None where nobody answers; silence is no reason to ask again."""
        try:
            return self._client.send(request, stream=True)
        except httpx.TimeoutException as error:
            raise ChatFailed(f"{self.id} said nothing for {self._bounds.seconds:g} s") from error
        except httpx.TransportError:
            return None

    def _require_busy(self, status: int | None) -> None:
        if status is not None and status not in _BUSY:
            raise ChatRefused(f"{self.id} answered {status}: check address, model and key")

    def _body(self, turns: Sequence[Turn], *, stream: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": turn.role, "content": turn.text} for turn in turns],
            "stream": stream,
        }
        if self._takes_options:
            body |= {"temperature": 0, "max_tokens": self._bounds.answer_tokens}
            body |= {"stream_options": {"include_usage": True}} if stream else {}
        return body

    def _bytes(self, answer: httpx.Response, deadline: Deadline) -> Iterator[bytes]:
        size = 0
        for part in answer.iter_bytes():
            size += len(part)
            if size > _MOST_BYTES:
                raise ChatFailed(f"{self.id} sent over {_MOST_BYTES} bytes")
            if deadline.left() <= 0:
                raise ChatFailed(f"{self.id} took over {self._bounds.seconds:g} s")
            yield part

    def _parsed(self, raw: bytes) -> _Reply:
        try:
            return _Reply.model_validate_json(raw)
        except ValidationError as error:
            # Its words may quote what was sent, or the key: none of them is repeated.
            raise ChatFailed(f"{self.id} answered in no form of this protocol") from error


def _usage(found: _Reply) -> Usage:
    return Usage(found.usage.prompt_tokens, found.usage.completion_tokens) if found.usage else Usage()


def _is_cut(choice: _Choice) -> bool:
    return choice.finish_reason in ("length", "content_filter")


def _events(parts: Iterator[bytes]) -> Iterator[str]:
    """Give what each `data:` line of a stream holds; a line ends at LF alone, as its bytes may come in any pieces."""
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        yield from filter(None, map(_sent_in, lines))
    yield from filter(None, [_sent_in(rest)])


def _sent_in(line: bytes) -> str:
    name, _, value = line.partition(b":")
    return value.strip().decode("utf-8", "replace") if name == b"data" else ""
