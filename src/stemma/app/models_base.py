"""The two bases of every wire model and the field types they share. What an operation asks or answers is elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from stemma import text
from stemma.errors import InvalidInput
from stemma.records import Outcome

SUBJECT_LIMIT = 256
NAME_LIMIT = 1_024
VALUE_LIMIT = 4_096
QUERY_LIMIT = 16_384
LIMIT_DEFAULT = 50
LIMIT_MOST = 500

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?)?", re.ASCII)


class RequestModel(BaseModel):
    """What an operation is asked with: a field that does not exist is refused by name."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, hide_input_in_errors=True)


class AnswerModel(BaseModel):
    """What an operation answers with; built by our own code alone."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class UnreadableItem:
    """Stands in a batch for an item whose JSON cannot be taken; the item is rejected, and the rest goes on (R-23)."""

    code: str
    detail: str


def refusal(error: InvalidInput) -> PydanticCustomError:
    """Turn a refusal of the ground floor into one that a model collects; its type is the stable code."""
    # The sentence is an argument, not the template: braces in it would be read as places.
    return PydanticCustomError(error.code, "{detail}", {"detail": error.detail})


def fault(field: str, detail: str) -> PydanticCustomError:
    """Refuse a model for what several fields say together, under the name of one of them."""
    return PydanticCustomError("invalid", "{detail}", {"detail": detail, "field": field})


def _invalid(detail: str) -> PydanticCustomError:
    return PydanticCustomError("invalid", "{detail}", {"detail": detail})


def checked_text(value: str) -> str:
    """Return the text as it came, or refuse control characters and lone surrogates by name."""
    try:
        return text.check(value, field="the text")
    except InvalidInput as error:
        raise refusal(error) from error


def _checked_name(limit: int, what: str) -> AfterValidator:
    def check(value: str) -> str:
        try:
            name = text.check_name(value, field=what, limit=limit)
        except InvalidInput as error:
            raise refusal(error) from error
        if not name.strip():
            raise _invalid(f"{what} is blank; give one")
        return name

    return AfterValidator(check)


def _no_wildcard(value: str) -> str:
    if value == "*":
        raise _invalid("subject_id names one subject; `*` is not a subject")
    return value


def _no_null(value: Any) -> Any:
    # A caller whose subject got lost on the way sends null; that must not mean "every subject".
    if value is None:
        raise _invalid("null is no subject; name one, or leave the field out where it is optional")
    return value


def _checked_query(value: str) -> str:
    try:
        query = text.check(value, field="query", limit=QUERY_LIMIT)
    except InvalidInput as error:
        raise refusal(error) from error
    if not query.strip():
        raise _invalid("query is empty; say what to look for")
    return query


def _moment(value: Any) -> datetime:
    if isinstance(value, str):
        if not _RFC3339.fullmatch(value):
            raise _invalid("not a time; write RFC 3339 with a zone, for example 2026-11-30T09:30:00Z")
        try:
            value = datetime.fromisoformat(value.upper())
        except ValueError as error:
            raise _invalid("no such time; write RFC 3339 with a zone, for example 2026-11-30T09:30:00Z") from error
    if not isinstance(value, datetime):
        raise _invalid("a time is a text in RFC 3339 with a zone, for example 2026-11-30T09:30:00Z")
    try:
        text.utc(value)
    except InvalidInput as error:
        raise refusal(error) from error
    return value


Text = Annotated[str, AfterValidator(checked_text)]
Query = Annotated[
    str,
    AfterValidator(_checked_query),
    Field(json_schema_extra={"minLength": 1, "maxLength": QUERY_LIMIT}, description="What to look for, in plain words"),
]
SubjectId = Annotated[
    str,
    _checked_name(SUBJECT_LIMIT, "subject_id"),
    AfterValidator(_no_wildcard),
    Field(json_schema_extra={"minLength": 1, "maxLength": SUBJECT_LIMIT}, description="Whom or what it is about"),
]
OptionalSubject = Annotated[
    SubjectId | None,
    BeforeValidator(_no_null),
    WithJsonSchema(
        {"type": "string", "minLength": 1, "maxLength": SUBJECT_LIMIT, "description": "Whom or what it is about"}
    ),
]
Name = Annotated[
    str, _checked_name(NAME_LIMIT, "the name"), Field(json_schema_extra={"minLength": 1, "maxLength": NAME_LIMIT})
]
Value = Annotated[
    str, _checked_name(VALUE_LIMIT, "the value"), Field(json_schema_extra={"minLength": 1, "maxLength": VALUE_LIMIT})
]
Moment = Annotated[datetime, BeforeValidator(_moment), Field(description="RFC 3339 with a zone")]
Fraction = Annotated[float, Field(ge=0, le=1, strict=True)]
Count = Annotated[int, Field(ge=0, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
# A name of 1,024 characters of four bytes each, and a moment, as a cursor writes them.
_CURSOR_LIMIT = 8_192
Limit = Annotated[int, Field(ge=1, le=LIMIT_MOST, strict=True, description="Most items of one page")]
Cursor = Annotated[
    str, AfterValidator(checked_text), Field(max_length=_CURSOR_LIMIT, description="`next_cursor` as it came")
]


class PageRequest(RequestModel):
    """A list is read page by page: `cursor` is the `next_cursor` of the page before."""

    limit: Limit = LIMIT_DEFAULT
    cursor: Cursor | None = None


class ItemError(AnswerModel):
    """Why one item of a batch was rejected."""

    code: str
    detail: str


class EpisodeOutcome(AnswerModel):
    """What became of one episode of a batch."""

    index: int
    outcome: Outcome
    key: str | None = None
    episode_id: str | None = None
    content_changed: bool = False
    error: ItemError | None = None
    flags: tuple[Literal["time_ahead", "empty_interval"], ...] = ()
