"""What the OpenAPI document says of every refusal: its status, when it comes, its headers, and one as it looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from stemma.app.problems import problem
from stemma.door_errors import UnsupportedMediaType
from stemma.errors import (
    BodyTooLarge,
    Erased,
    InvalidInput,
    MalformedJson,
    NotFound,
    StemmaError,
    StoreUnavailable,
)
from stemma.key_errors import KeyMissing, RateLimited, ScopeMissing
from stemma.session_errors import SessionClosed

Schema = dict[str, Any]

PROBLEM_TYPE: Final = "application/problem+json"
REQUEST_ID: Final[Schema] = {"X-Request-ID": {"$ref": "#/components/headers/RequestId"}}
REQUEST_ID_HEADER: Final[Schema] = {
    "schema": {"type": "string"},
    "description": "The id that came with the request where it is 1 to 128 letters, digits, dots, colons, hyphens or "
    "underscores, else one that was made; the log has it on every line of the request",
}
_SECONDS: Final[Schema] = {"schema": {"type": "integer", "minimum": 1}, "description": "Seconds until a retry can help"}


@dataclass(frozen=True, slots=True)
class _Refusal:
    """One status: when it comes, an error that has it, and the header that it brings; of requests with a body alone."""

    words: str
    example: StemmaError
    header: tuple[str, Schema] | None = None
    is_of_body: bool = False


_RETRY: Final = ("Retry-After", _SECONDS)
_REFUSALS: Final[Mapping[int, _Refusal]] = {
    400: _Refusal("The body is not JSON", MalformedJson("not JSON: Expecting value at character 0")),
    401: _Refusal(
        "No key or a bad one: `key_missing`, `key_unknown`, `key_expired`, `key_revoked`",
        KeyMissing("this store has keys; send one as `Authorization: Bearer <key>` or as `X-API-Key: <key>`"),
        ("WWW-Authenticate", {"schema": {"type": "string"}, "description": "How a key is sent"}),
    ),
    403: _Refusal(
        "Outside the key's scope: `scope_missing`; while there are no keys, another host's name or another site's "
        "page: `foreign_host`, `foreign_origin`",
        ScopeMissing("this asks for the scope write, which the key 'reader' does not have"),
    ),
    404: _Refusal("No such id in this tenant", NotFound("there is no memory 'a1b2'")),
    409: _Refusal(
        "What is named is as it may not be: a conversation that was reset, a store of another embedder",
        SessionClosed("the session was reset; go on under the id that the reset gave", field="session_id"),
    ),
    410: _Refusal("What is named was erased", Erased("the key 'note:1' was erased")),
    413: _Refusal(
        "The body is over its limit",
        BodyTooLarge("the body is over 67108864 bytes; send smaller batches"),
        is_of_body=True,
    ),
    415: _Refusal(
        "The body says that it is no JSON",
        UnsupportedMediaType("the body is read as JSON; send it with `Content-Type: application/json`"),
        is_of_body=True,
    ),
    422: _Refusal(
        "A field is missing, unknown, of the wrong type or over its limit",
        InvalidInput("subject_id: is required", field="subject_id"),
    ),
    429: _Refusal(
        "The key has had its requests of a minute: `rate_limited`",
        RateLimited("the key a1b2 has had its 60 requests of a minute; try again in 7 s", retry_after_seconds=7),
        _RETRY,
    ),
    500: _Refusal("A fault of ours", StemmaError("a fault of ours; the log has it under request 4f1c")),
    503: _Refusal("The store cannot be reached, or is busy", StoreUnavailable("the store cannot be reached"), _RETRY),
}


def refusals(schema: Schema, *, has_body: bool) -> Iterator[tuple[str, Schema]]:
    """Give each status that an operation may refuse with, as the document has it; `schema` is the problem's."""
    for status, one in _REFUSALS.items():
        if has_body or not one.is_of_body:
            yield str(status), _described(one, schema)


def _described(one: _Refusal, schema: Schema) -> Schema:
    example = problem(one.example).model_dump(mode="json")
    return {
        "description": one.words,
        "headers": REQUEST_ID | ({one.header[0]: one.header[1]} if one.header else {}),
        "content": {PROBLEM_TYPE: {"schema": schema, "example": example}},
    }
