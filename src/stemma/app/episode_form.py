"""From one raw item of a batch to a well-formed episode, or the reason why it is none. What is stored plays no part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stemma.app.models_base import NAME_LIMIT, ItemError, UnreadableItem
from stemma.app.models_episodes import ClaimItem, EpisodeItem, Flag
from stemma.app.problems import ask
from stemma.config import Settings
from stemma.core.content import content_bytes, content_hash, says_nothing
from stemma.core.times import check_window
from stemma.errors import InvalidInput, NestingTooDeep, PayloadTooLarge, UnknownKind
from stemma.records import Content, DocumentPin, KeyPolicy, Kind, Message, Remember, SaidBy, StatedClaim
from stemma.text import check, check_name, join_key


@dataclass(frozen=True, slots=True, kw_only=True)
class FormRules:
    """What the form of an episode is checked against."""

    settings: Settings
    kinds: Mapping[str, Kind]
    remember: Remember | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormedEpisode:
    """One well-formed episode, before it is known what the log holds of its key."""

    subject_id: str
    source: str
    key: str | None
    policy: KeyPolicy | None
    business_key: str | None
    speaker: str | None
    said_by: SaidBy
    session_id: str | None
    content: Content
    content_hash: str
    occurred_at: datetime | None
    message_times: tuple[datetime | None, ...]
    metadata: str | None
    flags: tuple[Flag, ...]
    document: DocumentPin | None = None


def refused(code: str, detail: str) -> ItemError:
    """Say why an item is rejected."""
    return ItemError(code=code, detail=detail)


def form(item: Any, rules: FormRules) -> FormedEpisode | ItemError:
    """Check one raw item and give the episode it is, or why it is none."""
    if isinstance(item, UnreadableItem):
        return refused(item.code, item.detail)
    try:
        return _formed(item, rules)
    except InvalidInput as error:
        return refused(error.code, error.detail)


def _formed(item: Any, rules: FormRules) -> FormedEpisode | ItemError:
    if not isinstance(item, Mapping):
        raise InvalidInput(f"an episode is an object, not {_kind_of(item)}")
    _check_depth(item, rules.settings.json_depth)
    asked = ask(EpisodeItem, item)
    flags = _check_claims(asked.claims or (), rules.kinds)
    content = _content(asked, rules)
    if says_nothing(content):
        return refused("empty_content", "nothing is said: give text, messages or claims that are not blank")
    size, most = content_bytes(content), rules.settings.episode_bytes
    if size > most:
        raise PayloadTooLarge(f"the episode's content has {size} bytes as UTF-8; at most {most} are accepted")
    key = _key(asked)
    return FormedEpisode(
        subject_id=asked.subject_id,
        source=asked.source,
        key=key,
        policy=asked.key_policy,
        business_key=asked.business_key,
        speaker=asked.speaker,
        said_by=asked.said_by,
        session_id=asked.session_id,
        content=content,
        content_hash=content_hash(content, _pin(asked)),
        occurred_at=asked.occurred_at,
        message_times=_message_times(asked),
        metadata=_metadata(asked.metadata, rules.settings.metadata_bytes),
        flags=flags,
        document=_pin(asked),
    )


def _pin(asked: EpisodeItem) -> DocumentPin | None:
    """Give the document that was named; without a revision it is pinned to its present one when it is taken in."""
    named = asked.document
    return None if named is None else DocumentPin(named.corpus, named.external_id, named.revision or "")


def _key(asked: EpisodeItem) -> str | None:
    if asked.key_parts is None:
        return asked.key
    key = join_key(asked.key_parts)
    if not any(part.strip() for part in asked.key_parts):
        raise InvalidInput("key_parts are all blank; give a part that names the record", field="key_parts")
    return check_name(key, field="the key of key_parts", limit=NAME_LIMIT)


def _content(asked: EpisodeItem, rules: FormRules) -> Content:
    return Content(
        text=asked.text,
        messages=tuple(Message(one.role, one.content, one.name) for one in asked.messages or ()),
        claims=tuple(_claim(one) for one in asked.claims or ()),
        remember=rules.remember,
        source=asked.source,
        speaker=asked.speaker,
        said_by=asked.said_by,
    )


def _claim(one: ClaimItem) -> StatedClaim:
    return StatedClaim(
        key=one.key,
        value=one.value,
        kind=one.kind,
        text=one.text,
        polarity=one.polarity,
        confidence=one.confidence,
        importance=one.importance,
        valid_from=one.valid_from,
        valid_to=one.valid_to,
    )


def _check_claims(claims: tuple[ClaimItem, ...], kinds: Mapping[str, Kind]) -> tuple[Flag, ...]:
    flags: tuple[Flag, ...] = ()
    for place, one in enumerate(claims):
        if one.kind is not None and one.kind not in kinds:
            raise UnknownKind(
                f"claims.{place}.kind: {one.kind!r} is not registered; see GET /v1/kinds", field=f"claims.{place}.kind"
            )
        if check_window(one.valid_from, one.valid_to, field=f"claims.{place}.valid_to") is not None:
            flags = ("empty_interval",)
    return flags


def _message_times(asked: EpisodeItem) -> tuple[datetime | None, ...]:
    times = tuple(one.at for one in asked.messages or ())
    return times if any(at is not None for at in times) else ()


def _metadata(metadata: dict[str, Any] | None, most: int) -> str | None:
    if metadata is None:
        return None
    try:
        text = json.dumps(metadata, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"metadata is no JSON: {error}", field="metadata") from error
    check_texts(metadata, field="metadata")
    if len(text.encode()) > most:
        raise PayloadTooLarge(f"metadata has {len(text.encode())} bytes; at most {most} are accepted", field="metadata")
    return text


def check_texts(value: Any, *, field: str) -> None:
    """Refuse control characters and lone surrogates in any string of a JSON value, names of fields too."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                check(text, field=field)
            case Mapping() as fields:
                waiting += [*fields.keys(), *fields.values()]
            case list() | tuple() as listed:
                waiting += listed


def _check_depth(item: Any, most: int) -> None:
    waiting = [(item, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, (Mapping, list, tuple)):
            if depth > most:
                raise NestingTooDeep(f"objects and lists nest deeper than {most}")
            inside = value.values() if isinstance(value, Mapping) else value
            waiting += [(each, depth + 1) for each in inside]


def _kind_of(item: Any) -> str:
    names = {str: "a string", bool: "true or false", int: "a number", float: "a number", list: "a list"}
    return "null" if item is None else names.get(type(item), type(item).__name__)
