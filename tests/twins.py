"""The asynchronous twins of the Python faces' parts: `scripts/async-client` writes them into src/stemma/client.

The faces' methods only say what they ask for, so that a twin differs in the words `async` and `await` alone.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1] / "src/stemma"
_MADE: Final = "`scripts/async-client` wrote this from app/stemma_{part}.py; edit that one."
_METHOD: Final = re.compile(r"^    def (?=[a-z])(?P<rest>.*?:\n)(?=        )", re.S | re.M)
_PARTS: Final = re.compile(r"from stemma\.app\.stemma_(\w+) import (\w+)")


def twin(part: str, source: str) -> str:
    """Return the asynchronous twin of a part of the faces."""
    first, _, rest = source.partition("\n")
    rest = _METHOD.sub(_awaiting, rest)
    rest = re.sub(r"\breturn self\._run", "return await self._run", rest)
    rest = rest.replace("import Iterator", "import AsyncIterator").replace("-> Iterator[", "-> AsyncIterator[")
    rest = rest.replace("from stemma.app.asking import Asking", "from stemma.client.async_asking import AsyncAsking")
    rest = rest.replace("from stemma.app.paging import", "from stemma.client.async_paging import")
    rest = _PARTS.sub(r"from stemma.client.async_\1 import Async\2", rest)
    rest = re.sub(r"^class (\w+)\((.*?)\):", _renamed, rest, flags=re.M)
    return f"{first.replace('Python faces', 'async client')}\n\n# {_MADE.format(part=part)}\n{rest}"


def _awaiting(found: re.Match[str]) -> str:
    # What answers item by item is no coroutine: it is iterated over, and asks as it goes.
    return found[0] if "-> Iterator[" in found[0] else f"    async def {found['rest']}"


def _renamed(found: re.Match[str]) -> str:
    return f"class Async{found[1]}({', '.join('Async' + base for base in found[2].split(', '))}):"


def parts() -> list[str]:
    """Name the parts of the faces."""
    return sorted(path.stem.removeprefix("stemma_") for path in (ROOT / "app").glob("stemma_*.py"))


def source(part: str) -> str:
    """Read a part of the faces."""
    return (ROOT / f"app/stemma_{part}.py").read_text(encoding="utf-8")


def main() -> None:
    """Write every twin."""
    for part in parts():
        (ROOT / f"client/async_{part}.py").write_text(twin(part, source(part)), encoding="utf-8")


if __name__ == "__main__":
    main()
