"""Faults to plant in a module, as mutmut draws them, and putting one in its place in a running process.

A fault takes the place of a function's code, so that nothing is copied, imported anew, or slower for all that runs.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Final

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import MutationVisitor, OuterFunctionProvider
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

PACKAGE: Final = "stemma.core"
_IN_CLASS: Final = "_Owner"


@dataclass(frozen=True, slots=True, eq=False)
class Fault:
    """One change of one function, named within its module: a test that runs none of its `lines` cannot notice it.

    `whole` is the function without decorators, `old` the part of it in whose place `new` comes.
    """

    module: str
    function: str
    number: int
    lines: frozenset[int]
    whole: cst.FunctionDef
    old: cst.CSTNode
    new: cst.CSTNode

    @property
    def name(self) -> str:
        """Name it by its module and function and by its number there."""
        return f"{self.module}.{self.function} {self.number}"

    def changed(self) -> str:
        """Write the function with the fault in it; drawn when asked for, because it takes a while."""
        made = self.whole.deep_replace(self.old, self.new)
        assert isinstance(made, cst.FunctionDef)
        return cst.Module([made]).code

    def told(self) -> str:
        """Say in one line what was changed."""
        old, new = cst.Module([self.whole]).code.splitlines(), self.changed().splitlines()
        lines = [each.strip() for each in difflib.unified_diff(old, new, n=0, lineterm="")][2:]
        return f"{self.name}: " + " ".join(
            f"{each[0]} {each[1:].strip()}" for each in lines if not each.startswith("@@")
        )


def faults_in(module: str) -> list[Fault]:
    """List every fault of a module of `core`, in the order of the text."""
    path = file_of(module)
    text = path.read_text(encoding="utf-8")
    wrapped = MetadataWrapper(cst.parse_module(text))
    visitor = MutationVisitor(mutation_operators, IgnoredCode(set(), set(), set()))
    wrapped.visit(visitor)
    owners, places = wrapped.resolve(OuterFunctionProvider), wrapped.resolve(PositionProvider)
    names, spans = dict(_functions(wrapped.module)), _spans(text)
    numbers: Counter[str] = Counter()
    found: list[Fault] = []
    for each in visitor.mutations:
        owner = owners.get(each.original_node)
        if not isinstance(owner, cst.FunctionDef) or owner not in names:
            continue
        name = names[owner]
        numbers[name] += 1
        line, first = places[each.original_node].start.line, places[owner.body].start.line
        # A default is evaluated where the function is defined; what notices it runs the body.
        lines = spans[line] if line >= first else frozenset(range(first, places[owner].end.line + 1))
        plain = owner.with_changes(decorators=(), leading_lines=())
        found.append(Fault(module, name, numbers[name], lines, plain, each.original_node, each.mutated_node))
    return found


def file_of(module: str) -> Path:
    """Give the file of a module of `core`."""
    return Path(inspect.getfile(importlib.import_module(f"{PACKAGE}.{module}")))


def plant(fault: Fault) -> None:
    """Put a fault in its place, for the rest of this process; SyntaxError where it is no program."""
    module = importlib.import_module(f"{PACKAGE}.{fault.module}")
    made = _made(fault, module)
    target = _target(module, fault.function)
    target.__code__, target.__defaults__, target.__kwdefaults__ = made.__code__, made.__defaults__, made.__kwdefaults__


def _functions(module: cst.Module) -> Iterator[tuple[cst.CSTNode, str]]:
    for statement in module.body:
        if isinstance(statement, cst.FunctionDef):
            yield statement, statement.name.value
        elif isinstance(statement, cst.ClassDef):
            for each in statement.body.body:
                if isinstance(each, cst.FunctionDef):
                    yield each, f"{statement.name.value}.{each.name.value}"


def _spans(text: str) -> dict[int, frozenset[int]]:
    """Give for each line those of its statement, of one with a body those before the body."""
    spans: dict[int, frozenset[int]] = {}
    # Outer statements come first in this walk, so that an inner one has the last word on its lines.
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt | ast.match_case | ast.ExceptHandler):
            continue
        body: list[ast.AST] = [*node.cases] if isinstance(node, ast.Match) else getattr(node, "body", [])
        start = _line_of(node)
        end = max(start, _line_of(body[0]) - 1) if body else getattr(node, "end_lineno", start)
        for line in range(start, end + 1):
            spans[line] = frozenset(range(start, end + 1))
    return spans


def _line_of(node: ast.AST) -> int:
    line: int = node.pattern.lineno if isinstance(node, ast.match_case) else getattr(node, "lineno", 0)
    return line


def _made(fault: Fault, module: ModuleType) -> FunctionType:
    """Make the changed function, without decorators, in a copy of its module's names."""
    owner, _, name = fault.function.rpartition(".")
    text = fault.changed()
    if owner:
        text = f"class {_IN_CLASS}:\n" + textwrap.indent(text, "    ")
    names = dict(vars(module))
    exec(compile(f"from __future__ import annotations\n{text}", fault.name, "exec"), names)  # noqa: S102
    made = vars(names[_IN_CLASS])[name] if owner else names[name]
    assert isinstance(made, FunctionType)
    return made


def _target(module: ModuleType, function: str) -> FunctionType:
    owner: object = module
    for part in function.split("."):
        owner = inspect.getattr_static(owner, part)
    found = owner.__func__ if isinstance(owner, staticmethod | classmethod) else owner
    assert isinstance(found, FunctionType), f"{function} is no plain function"
    return found
