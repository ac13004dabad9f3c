"""Reads the shipped prompts. Each is known by its name and hash, so that an answer says which one it was made with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from stemma.text import hash_parts

_HASH_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class Prompt:
    """The rules that a model is given; `id` is `name@hash`."""

    id: str
    text: str


@cache
def load_prompt(name: str) -> Prompt:
    """Read `data/prompts/{name}.md`."""
    text = (files("stemma") / "data" / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    return Prompt(f"{name}@{hash_parts(text)[:_HASH_CHARACTERS]}", text)
