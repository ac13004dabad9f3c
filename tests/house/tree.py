"""Reads a checkout once and answers what every rule asks. A rule is a function from a `Tree` to findings."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

PACKAGE: Final = "stemma"
SRC: Final = "src/stemma"

Place = Literal["top", "typing", "late"]


@dataclass(frozen=True, order=True)
class Finding:
    """One place that breaks a rule, and what to do about it."""

    path: str
    line: int
    fault: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.fault}; {self.remedy}"


@dataclass(frozen=True)
class Import:
    """One imported module: `target` is dotted and absolute, `name` what is taken from it, if anything."""

    target: str
    name: str | None
    line: int
    place: Place

    @property
    def library(self) -> str:
        return self.target.partition(".")[0]


class Source:
    """One Python file."""

    def __init__(self, root: Path, path: Path) -> None:
        self.path = path.relative_to(root).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.lines = self.text.splitlines()
        self._imports: dict[frozenset[str], list[Import]] = {}

    @cached_property
    def module(self) -> str:
        """The dotted name; a package is named without its `__init__`."""
        parts = self.path.removeprefix("src/").removesuffix(".py").split("/")
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        return [node for node in self.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

    @cached_property
    def classes(self) -> list[ast.ClassDef]:
        return [node for node in self.nodes if isinstance(node, ast.ClassDef)]

    @cached_property
    def docstrings(self) -> set[int]:
        """The ids of the nodes that are docstrings."""
        found = set()
        for node in [self.tree, *self.functions, *self.classes]:
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                found.add(id(first.value))
        return found

    @property
    def is_package(self) -> bool:
        return self.path.endswith("/__init__.py")

    def imports(self, modules: frozenset[str]) -> list[Import]:
        """Every import; `from a import b` counts as module `a.b` where that is one of `modules`."""
        if modules not in self._imports:
            self._imports[modules] = self._find_imports(modules)
        return self._imports[modules]

    def _find_imports(self, modules: frozenset[str]) -> list[Import]:
        found: list[Import] = []
        for node, place in self._import_nodes(self.tree.body, "top"):
            if isinstance(node, ast.Import):
                found += [Import(alias.name, None, node.lineno, place) for alias in node.names]
                continue
            base = self._absolute(node)
            for alias in node.names:
                deeper = f"{base}.{alias.name}"
                target, name = (deeper, None) if deeper in modules else (base, alias.name)
                found.append(Import(target, name, node.lineno, place))
        return found

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.module.split(".") if self.is_package else self.module.split(".")[:-1]
        kept = package[: len(package) - node.level + 1]
        return ".".join([*kept, node.module] if node.module else kept)

    def _import_nodes(
        self, body: Iterable[ast.stmt], place: Place
    ) -> Iterator[tuple[ast.Import | ast.ImportFrom, Place]]:
        for statement in body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                yield statement, place
                continue
            inner: Place = "typing" if place == "top" and is_typing_only(statement) else "late"
            blocks = [node for node in ast.walk(statement) if isinstance(node, ast.Import | ast.ImportFrom)]
            yield from ((node, inner) for node in blocks)


def is_typing_only(statement: ast.stmt) -> bool:
    """Say whether a statement is `if TYPE_CHECKING:` without an else."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    test = statement.test
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"


class Tree:
    """One checkout, or a planted one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[Path, Source] = {}

    @cached_property
    def package(self) -> list[Source]:
        return self.sources(SRC)

    @cached_property
    def modules(self) -> frozenset[str]:
        return frozenset(source.module for source in self.package)

    def sources(self, *folders: str) -> list[Source]:
        """Every Python file below the folders, in order of path."""
        paths = [path for folder in folders for path in sorted((self.root / folder).rglob("*.py"))]
        return [self._read.get(path) or self._read.setdefault(path, Source(self.root, path)) for path in paths]

    def sql(self, folder: str) -> list[Path]:
        """Every SQL file of `store/<folder>`, in order of name."""
        return sorted((self.root / SRC / "store" / folder).rglob("*.sql"))

    def relative(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()


def parents(source: Source) -> dict[ast.AST, ast.AST]:
    """Map every node to the one it stands in."""
    return {child: node for node in source.nodes for child in ast.iter_child_nodes(node)}


def dotted(node: ast.AST) -> str:
    """Write `a.b.c` for a chain of names, else the empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def judge(findings: list[Finding]) -> None:
    """Fail with every finding on a line of its own."""
    assert not findings, f"{len(set(findings))} found\n" + "\n".join(str(one) for one in sorted(set(findings)))


CHECKOUT: Final = Tree(Path(__file__).resolve().parents[2])
