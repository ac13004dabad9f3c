"""The named queries of `store/sql/*.sql`, read once. No SQL text stands in Python, and none is composed here."""

import re
from functools import cache
from importlib.resources import files
from typing import Final

_NAME: Final = re.compile(r"^-- name: *(\S+) *$")
_IDENTIFIER: Final = re.compile(r"^[a-z][a-z0-9_]*$")


class Queries:
    """SQL by name; an unknown name is an error at the first look."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts

    def __getitem__(self, name: str) -> str:
        """Return the SQL named `name`."""
        try:
            return self._texts[name]
        except KeyError:
            raise LookupError(f"no query is named {name!r} in store/sql/") from None

    def names(self) -> tuple[str, ...]:
        """Return every name, in the order of the files."""
        return tuple(self._texts)


def parse(text: str, where: str) -> dict[str, str]:
    """Split one file into its named queries; what stands before the first name must be comment."""
    parts: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        match = _NAME.match(line)
        if match:
            name = match.group(1)
            if not _IDENTIFIER.match(name) or name in parts:
                raise ValueError(f"{where}:{number}: {name!r} is not a name, or stands twice")
            lines = parts[name] = []
        elif lines is not None:
            lines.append(line)
        elif line.strip() and not line.startswith("--"):
            raise ValueError(f"{where}:{number}: SQL before the first '-- name:'")
    queries = {name: _bare(lines) for name, lines in parts.items()}
    for name, query in queries.items():
        if not query:
            raise ValueError(f"{where}: {name!r} is empty")
    return queries


def _bare(lines: list[str]) -> str:
    # Full-line comments go: the server need not read them, and a '%' in one would be taken for a placeholder.
    kept = [line for line in lines if not line.lstrip().startswith("--")]
    return "\n".join(kept).strip().rstrip(";").rstrip()


@cache
def load() -> Queries:
    """Read every query of the package."""
    texts: dict[str, str] = {}
    folder = files("stemma.store") / "sql"
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".sql"):
            found = parse(file.read_text(encoding="utf-8"), file.name)
            twice = texts.keys() & found.keys()
            if twice:
                raise ValueError(f"{file.name}: named in another file too: {', '.join(sorted(twice))}")
            texts.update(found)
    return Queries(texts)
