"""Counting tokens offline. A budget is stated in these; which text is counted is `core/budget`'s matter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from types import ModuleType

ENCODING = "o200k_base"


@cache
def counter() -> Callable[[str], int]:
    """Return the function that counts tokens; control literals such as `<|endoftext|>` are counted as plain text.

    Loading takes a twentieth of a second, so it is left to the first use.
    """
    count: Callable[[str], int] = _compiled().tokenizer_for_encoding(ENCODING).count
    return count


def _compiled() -> ModuleType:
    """Load the compiled part of the package alone.

    The package reads the tables of all encodings in Python when it is imported: ten times as long, and 60 MB more.
    """
    package = find_spec("bpe_openai")
    folders = package.submodule_search_locations if package else None
    found = PathFinder.find_spec("bpe_openai._bindings", folders) if folders else None
    if found is None or found.loader is None:
        raise ModuleNotFoundError("the package bpe-openai is not installed, or not whole", name="bpe_openai")
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def tokenizer_name() -> str:
    """Name what counted, `name@version`."""
    return f"{ENCODING}@bpe-openai-{version('bpe-openai')}"
