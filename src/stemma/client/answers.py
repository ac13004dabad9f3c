"""From what a server answered to a typed answer, or to the error that it names. No text of it is repeated in ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from pydantic import ValidationError

from stemma import chat_errors, door_errors, errors, key_errors, session_errors
from stemma.app.asking import Answer
from stemma.app.models_errors import Problem
from stemma.client.errors import AnswerUnreadable, Refused, ServerUnreachable
from stemma.client.retrying import PASSING
from stemma.errors import EncodingUndecided, RememberRejected, StemmaError
from stemma.key_errors import RateLimited

# The modules whose errors a server may answer; importing them makes their classes known.
TREE: Final = (errors, chat_errors, door_errors, key_errors, session_errors)
ANSWER_HEADER: Final = "stemma-answer"
_NO_CONTENT: Final = 204
_BYTE: Final = re.compile(r"byte (\d+)")


def answered(answer: type[Answer], status: int, headers: Mapping[str, str], body: bytes) -> Answer:
    """Read a typed answer; fields that this version does not know are left out. Raises the error that it names."""
    if not 200 <= status < 300:
        raise refusal(status, headers, body)
    if status == _NO_CONTENT:
        # Such an answer has no body; what the operation answers stands in a header.
        body = headers.get(ANSWER_HEADER, "").encode()
    try:
        return answer.model_validate_json(body, extra="ignore")
    except ValidationError as error:
        odd = unlike(error)
    # Outside of the `except`: the words of pydantic's error quote the answer.
    raise AnswerUnreadable(f"{status} came with what is no {answer.__name__} of this version ({odd})")


def unlike(error: ValidationError) -> str:
    """Say where an answer is not as it should be, without its words."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return ", ".join(f"{'.'.join(map(str, one['loc'])) or 'all of it'}: {one['type']}" for one in found[:3])


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> StemmaError:
    """Return the error that a problem document names, or one that says that there was none."""
    try:
        told = Problem.model_validate_json(body, extra="ignore")
    except ValidationError:
        told = None
    if told is not None:
        return _named(told, headers)
    if status in PASSING:
        return ServerUnreachable(f"something before the server answered {status}")
    return AnswerUnreadable(f"{status} came without a problem document; is this the address of a Stemma server?")


def _named(told: Problem, headers: Mapping[str, str]) -> StemmaError:
    kind = _kinds().get((told.code, told.status))
    if kind is None:
        return Refused(told.detail, code=told.code, status=told.status, fields=told.errors)
    # Some classes are built from more than a problem document tells.
    error = kind.__new__(kind)
    StemmaError.__init__(error, told.detail, fields=told.errors)
    if kind is RememberRejected:
        vars(error)["reason"] = told.detail.partition(":")[0]
    elif kind is EncodingUndecided:
        place = _BYTE.search(told.detail)
        vars(error)["offset"] = int(place[1]) if place else 0
    elif kind is RateLimited:
        wait = headers.get("retry-after", "")
        vars(error)["retry_after_seconds"] = int(wait) if wait.isascii() and wait.isdigit() else 1
    return error


@cache
def _kinds() -> Mapping[tuple[str, int], type[StemmaError]]:
    ours = {module.__name__ for module in TREE}
    found: dict[tuple[str, int], type[StemmaError]] = {}
    for kind in _tree(StemmaError):
        if kind.__module__ in ours:
            found.setdefault((kind.code, kind.status), kind)
    return found


def _tree(root: type[Any]) -> Iterator[type[Any]]:
    yield root
    for one in root.__subclasses__():
        yield from _tree(one)
