"""Rules on how large things may be. A limit is a question: which smaller idea is in here?"""

from __future__ import annotations

import ast
from typing import Final

from tests.house.tree import SRC, Finding, Source, Tree

FILE_LINES: Final = 400
CLASS_LINES: Final = 250
FUNCTION_LINES: Final = 60
PARAMETERS: Final = 7
NESTING: Final = 4

_BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Match)
_REMEDY = "find the smaller idea in it and give that its own name"


def files_are_short(tree: Tree) -> list[Finding]:
    """Find Python files over the limit, tests included."""
    return [
        Finding(source.path, FILE_LINES, f"{len(source.lines)} lines, limit {FILE_LINES}", _REMEDY)
        for source in [*_measured(tree), *tree.sources("tests")]
        if len(source.lines) > FILE_LINES
    ]


def classes_are_short(tree: Tree) -> list[Finding]:
    """Find classes over the limit."""
    return [
        Finding(source.path, node.lineno, f"class {node.name} has {lines} lines, limit {CLASS_LINES}", _REMEDY)
        for source in _measured(tree)
        for node in source.classes
        if (lines := _span(node)) > CLASS_LINES
    ]


def functions_are_short(tree: Tree) -> list[Finding]:
    """Find functions over the limit, not counting their docstring."""
    return [
        Finding(source.path, node.lineno, f"{node.name} has {lines} lines, limit {FUNCTION_LINES}", _REMEDY)
        for source in _measured(tree)
        for node in source.functions
        if (lines := _span(node) - _docstring_lines(node)) > FUNCTION_LINES
    ]


def functions_take_few_parameters(tree: Tree) -> list[Finding]:
    """Find functions with more parameters than the limit; `self` and `cls` are none."""
    remedy = "make the ones that travel together a record"
    return [
        Finding(source.path, node.lineno, f"{node.name} takes {count} parameters, limit {PARAMETERS}", remedy)
        for source in _measured(tree)
        for node in source.functions
        if (count := len(parameters(node))) > PARAMETERS
    ]


def functions_nest_little(tree: Tree) -> list[Finding]:
    """Find functions whose blocks stand deeper than the limit."""
    remedy = "return early, or give the inner loop a name of its own"
    return [
        Finding(source.path, node.lineno, f"{node.name} nests {depth} deep, limit {NESTING}", remedy)
        for source in _measured(tree)
        for node in source.functions
        if (depth := _depth(node.body)) > NESTING
    ]


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    """List what a function takes, without `self` and `cls`."""
    arguments = node.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    listed += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [one for one in listed if one.arg not in {"self", "cls"}]


def _measured(tree: Tree) -> list[Source]:
    return tree.sources(SRC, "bench", "scripts")


def _span(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    if ast.get_docstring(node) is None:
        return 0
    first = node.body[0]
    return (first.end_lineno or first.lineno) - first.lineno + 1


def _depth(body: list[ast.stmt]) -> int:
    deepest = 0
    for statement in body:
        if isinstance(statement, _BLOCKS):
            deepest = max(deepest, 1 + max((_depth(block) for block in _inner(statement)), default=0))
    return deepest


def _inner(statement: ast.stmt) -> list[list[ast.stmt]]:
    blocks = [getattr(statement, name, []) for name in ("body", "finalbody")]
    blocks += [handler.body for handler in getattr(statement, "handlers", [])]
    blocks += [case.body for case in getattr(statement, "cases", [])]
    orelse = getattr(statement, "orelse", [])
    if len(orelse) == 1 and isinstance(orelse[0], ast.If) and isinstance(statement, ast.If):
        # An `elif` stands beside its `if`, not within it.
        return [*blocks, *_inner(orelse[0])]
    return [*blocks, orelse]
