"""A start without documents loads no reader's library."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
from stemma.readers import read, read_text
read_text("# A", "text/markdown"); read(b"a,b", name="a.csv"); read("é".encode())
print(sorted({"pypdfium2", "selectolax", "charset_normalizer", "markdown_it"} & set(sys.modules)))
"""


def test_the_libraries_are_loaded_by_the_first_file_of_their_kind() -> None:
    said = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.strip() == "[]"
