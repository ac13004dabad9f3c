"""Counting tokens offline. A budget is stated in these; which text is counted is `core/budget`'s matter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import version

ENCODING = "o200k_base"


@cache
def counter() -> Callable[[str], int]:
    """Return the function that counts tokens; control literals such as `<|endoftext|>` are counted as plain text."""
    import bpe_openai

    encoding = bpe_openai.get_encoding(ENCODING)

    def count(text: str) -> int:
        return len(encoding.encode_ordinary(text))

    return count


def tokenizer_name() -> str:
    """Name what counted, `name@version`."""
    return f"{ENCODING}@bpe-openai-{version('bpe-openai')}"
