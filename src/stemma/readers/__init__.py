"""Bytes to text with places. `read` takes a file's content, `read_text` a text given as such; neither opens a file."""

from stemma.readers.limits import Limits
from stemma.readers.reading import read, read_text

__all__ = ["Limits", "read", "read_text"]
