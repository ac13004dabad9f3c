"""Extraction as canonical JSON text and back, exactly: the form that is cached, exported and backed up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from stemma.errors import InvalidInput
from stemma.records import Act, Candidate, Extraction, Frame, GateRecord, Polarity

_ENUMS = {"act": Act, "polarity": Polarity}
_CANDIDATE = {field: Candidate.__dataclass_fields__[field].default for field in Candidate.__dataclass_fields__}
_GATE = {field: GateRecord.__dataclass_fields__[field].default for field in GateRecord.__dataclass_fields__}


def to_json(extraction: Extraction) -> str:
    """Write an extraction as one line of JSON: keys in order, defaults left out, so that equals have one text."""
    written = {
        "extractor": extraction.extractor,
        "candidates": [_candidate(each) for each in extraction.candidates],
        "gates": [_fields(each, _GATE) for each in extraction.gates],
    }
    return json.dumps(written, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def from_json(text: str) -> Extraction:
    """Read what `to_json` wrote, or raise InvalidInput."""
    try:
        read = json.loads(text)
        return Extraction(
            extractor=read["extractor"],
            candidates=tuple(_read_candidate(each) for each in read["candidates"]),
            gates=tuple(GateRecord(**each) for each in read["gates"]),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"a stored extraction cannot be read: {error}", field="extraction") from error


def _candidate(candidate: Candidate) -> dict[str, Any]:
    fields = _fields(candidate, _CANDIDATE)
    if candidate.frame is not None:
        frame = candidate.frame
        fields["frame"] = [list(frame.words), list(frame.identities), list(frame.types)]
    return fields


def _fields(record: Candidate | GateRecord, defaults: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, default in defaults.items():
        value = getattr(record, name)
        if value != default or type(value) is not type(default):
            fields[name] = value
    return fields


def _read_candidate(fields: Mapping[str, Any]) -> Candidate:
    read = dict(fields)
    for name, enum in _ENUMS.items():
        if name in read:
            read[name] = enum(read[name])
    if "frame" in read:
        read["frame"] = _read_frame(read["frame"])
    return Candidate(**read)


def _read_frame(parts: Sequence[Sequence[str]]) -> Frame:
    words, identities, types = parts
    return Frame(tuple(words), tuple(identities), tuple(types))
