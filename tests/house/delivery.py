"""Rules on what is handed out: the lock files, the wheel, the scripts."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any, Final

from pathspec import GitIgnoreSpec

from tests.house.tree import SRC, Finding, Tree

LOCKS: Final = {"runtime": ("source",), "dev": ("source", "dev")}

_ADDRESS = re.compile(r"://|--(?:extra-)?index-url|--find-links|--trusted-host|\bfile:")
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)")
_NAME = re.compile(r"^[A-Za-z0-9._-]+")


def locks_name_no_registry(tree: Tree) -> list[Finding]:
    """Find addresses in the lock files: which registry serves a package is each machine's own matter."""
    remedy = "write the file with scripts/lock"
    return [
        Finding(f"requirements/{path.name}", line, "names an address", remedy)
        for path in sorted((tree.root / "requirements").glob("*"))
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if _ADDRESS.search(text)
    ]


def locks_pin_and_hash_every_package(tree: Tree) -> list[Finding]:
    """Find requirements without a pinned version and a hash, and dependencies of pyproject.toml that no lock holds."""
    found = []
    for name, extras in LOCKS.items():
        path = tree.root / "requirements" / f"{name}.lock"
        shown = tree.relative(path)
        pinned = set()
        for entry in _entries(path):
            match = _PIN.match(entry)
            if match is None or "--hash=sha256:" not in entry:
                found.append(Finding(shown, 1, f"{entry.split()[0]} has no pin or no hash", "run scripts/lock"))
            else:
                pinned.add(_canonical(match.group(1)))
        missing = sorted(_wanted(tree, extras) - pinned)
        found += [
            Finding(shown, 1, f"{package} of pyproject.toml is missing", "run scripts/lock") for package in missing
        ]
    return found


def the_wheel_holds_every_file_of_the_package(tree: Tree) -> list[Finding]:
    """Find files of the package that the build would leave out: a wrong folder, an exclusion, an ignored name."""
    found = []
    build = _project(tree)["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]
    if wheel.get("packages") != [SRC]:
        found.append(Finding("pyproject.toml", 1, "the wheel is not the package", f'write packages = ["{SRC}"]'))
    left_out = [*build.get("exclude", []), *wheel.get("exclude", [])]
    if left_out or wheel.get("include") or wheel.get("only-include"):
        found.append(
            Finding("pyproject.toml", 1, "the wheel picks files", "take the whole package: no include, no exclude")
        )
    ignored = GitIgnoreSpec.from_lines((tree.root / ".gitignore").read_text(encoding="utf-8").splitlines())
    for path in sorted((tree.root / SRC).rglob("*")):
        shown = tree.relative(path)
        if path.is_file() and "__pycache__" not in shown and ignored.match_file(shown):
            found.append(
                Finding(shown, 1, "is ignored, so the wheel leaves it out", "anchor the pattern in .gitignore")
            )
    if not (tree.root / SRC / "py.typed").is_file():
        found.append(Finding(f"{SRC}/py.typed", 1, "is missing", "its types are part of the package"))
    return found


def scripts_stop_at_the_first_fault(tree: Tree) -> list[Finding]:
    """Find scripts that cannot be run, that go on after a fault, or that only work from one folder."""
    found = []
    for path in sorted([*(tree.root / "scripts").iterdir(), tree.root / ".ci" / "run"]):
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if not text.startswith("#!"):
            continue
        shown = tree.relative(path)
        if not os.access(path, os.X_OK):
            found.append(Finding(shown, 1, "is not executable", f"chmod +x {shown}"))
        if re.search(r"^set -e?uo pipefail$", text, re.MULTILINE) is None:
            found.append(Finding(shown, 1, "goes on after a fault", "write `set -euo pipefail`"))
        if 'cd "$(dirname "${BASH_SOURCE[0]}")' not in text:
            found.append(
                Finding(shown, 1, "works from one folder alone", 'write cd "$(dirname "${BASH_SOURCE[0]}")/.."')
            )
    return found


def _project(tree: Tree) -> dict[str, Any]:
    return tomllib.loads((tree.root / "pyproject.toml").read_text(encoding="utf-8"))


def _wanted(tree: Tree, extras: tuple[str, ...]) -> set[str]:
    project = _project(tree)["project"]
    listed = [*project["dependencies"], *(one for extra in extras for one in project["optional-dependencies"][extra])]
    return {_canonical(match.group()) for one in listed if (match := _NAME.match(one))}


def _entries(path: Path) -> list[str]:
    joined = path.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
