"""Reads the shipped files on kinds, units and languages, and a user's own kinds. What they mean is core's."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from stemma.core.registry import parse_claim_keys, parse_kinds, parse_thresholds
from stemma.core.rules import Rules, parse_rules
from stemma.errors import InvalidKind, SourceUnreadable
from stemma.records import Registry

_FOLDER = "data"
_SECTIONS = ("kinds", "claim_keys", "thresholds")


def load_registry(extra: Path | None = None) -> Registry:
    """Read what is shipped; the kinds, claim keys and thresholds of the `extra` file add to it or replace it.

    Raises SourceUnreadable where that file cannot be read, InvalidKind where it is not well formed.
    """
    tables = [_toml((files("stemma") / _FOLDER / "kinds.toml").read_text(encoding="utf-8"))]
    if extra is not None:
        tables.append(_toml(_text(extra)))
    merged: dict[str, dict[str, object]] = {section: {} for section in _SECTIONS}
    for table in tables:
        for section, entries in table.items():
            if section not in _SECTIONS or not isinstance(entries, dict):
                known = ", ".join(_SECTIONS)
                raise InvalidKind(f"the section {section!r} does not exist; there are {known}", field=section)
            merged[section].update(entries)
    kinds = parse_kinds(merged["kinds"])
    return Registry(
        kinds=kinds,
        claim_keys=parse_claim_keys(merged["claim_keys"], kinds),
        sources={},
        thresholds=parse_thresholds(merged["thresholds"], kinds),
    )


@cache
def load_rules() -> Rules:
    """Read the shipped units and languages and compile them: half a second, once for a process."""
    folder = files("stemma") / _FOLDER
    units = tomllib.loads((folder / "units.toml").read_text(encoding="utf-8"))
    return parse_rules(units, _tables("languages"), _tables("comparing"))


def _tables(name: str) -> dict[str, dict[str, Any]]:
    folder = files("stemma") / _FOLDER / name
    return {
        entry.name.removesuffix(".toml"): tomllib.loads(entry.read_text(encoding="utf-8"))
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".toml")
    }


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise SourceUnreadable(f"the registry file {file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidKind(f"the registry file {file} is not UTF-8 at byte {error.start}", field="kinds") from error


def _toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidKind(f"the registry file is no TOML: {error}", field="kinds") from error
