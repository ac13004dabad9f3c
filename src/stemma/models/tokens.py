"""Counting tokens offline. A budget is stated in these; which text is counted is `core/budget`'s matter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import version

ENCODING = "o200k_base"


@cache
def counter() -> Callable[[str], int]:
    """Return the function that counts tokens; control literals such as `<|endoftext|>` are counted as plain text.

    Loading takes about a second of CPU and 70 MB, so it is left to the first use.
    """
    # Not the package's tiktoken face: that builds tables of all ranks in Python, which counting does not need.
    from bpe_openai import _bindings

    count: Callable[[str], int] = _bindings.tokenizer_for_encoding(ENCODING).count
    return count


def tokenizer_name() -> str:
    """Name what counted, `name@version`."""
    return f"{ENCODING}@bpe-openai-{version('bpe-openai')}"
