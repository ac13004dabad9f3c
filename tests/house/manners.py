"""Rules on how a file speaks: docstrings, comments, handlers, output, work at import; and on how tests test."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import Final

from tests.house.allowed import LONG_DOCSTRINGS
from tests.house.floors import floor_of
from tests.house.tree import SRC, Finding, Source, Tree, dotted, is_typing_only, parents

DOCSTRING_LINES: Final = 3

_OPEN_WORK = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
_ISSUE = re.compile(r"#\d+|\bissue \d+")
_BANNER = re.compile(r"^#\s*([-=*#~_+])\1{3,}|([-=*#~_+])\2{3,}\s*$")
_IGNORE = re.compile(r"#\s*type:\s*ignore|#\s*pyright:\s*ignore|#\s*mypy:")
# What any of the three needs to be found: a file without it is not cut into tokens.
_SUSPECT = re.compile(r"#.*(?:TODO|FIXME|XXX|HACK|type:|pyright:|mypy:|([-=*#~_+])\1{3})")
_BROAD: Final = frozenset({"Exception", "BaseException"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules_say_what_belongs_in_them(tree: Tree) -> list[Finding]:
    """Find modules without a docstring of one to three lines."""
    found = []
    remedy = f"say in one to {DOCSTRING_LINES} lines what belongs in this module, and what does not"
    for source in tree.sources(SRC, "bench"):
        docstring = ast.get_docstring(source.tree)
        if not docstring:
            found.append(Finding(source.path, 1, "no docstring", remedy))
            continue
        lines = sum(bool(line.strip()) for line in docstring.splitlines())
        if lines > DOCSTRING_LINES and source.path not in LONG_DOCSTRINGS:
            found.append(Finding(source.path, 1, f"a docstring of {lines} lines, limit {DOCSTRING_LINES}", remedy))
    return found


def public_functions_say_what_they_do(tree: Tree) -> list[Finding]:
    """Find public functions and methods without a docstring that begins with a whole sentence."""
    found = []
    for source in tree.package:
        for node in _public(source.tree.body):
            first = (ast.get_docstring(node) or "").split("\n\n")[0].strip()
            if not first.endswith((".", ":", "?", "!")):
                fault = (
                    f"{node.name} has no docstring"
                    if not first
                    else f"the docstring of {node.name} begins without a full stop"
                )
                found.append(
                    Finding(source.path, node.lineno, fault, "say in one sentence, in the imperative, what it does")
                )
    return found


def broad_handlers_raise(tree: Tree) -> list[Finding]:
    """Find handlers of everything that neither raise again nor raise from what they caught."""
    found = []
    for source in tree.sources(SRC, "bench"):
        for node in source.nodes:
            if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not _raises_again(node):
                remedy = "catch the narrowest class, or end with `raise` or `raise … from`"
                found.append(Finding(source.path, node.lineno, "a broad except that swallows", remedy))
            if isinstance(node, ast.Call) and dotted(node.func).endswith("suppress") and any(map(_is_broad, node.args)):
                remedy = "suppress the narrowest class"
                found.append(Finding(source.path, node.lineno, "suppresses everything", remedy))
    return found


def output_goes_through_the_doors(tree: Tree) -> list[Finding]:
    """Find print() outside the command line and the laboratory."""
    remedy = "return it; the door that was asked prints"
    found = []
    for source in tree.package:
        if source.module.startswith("stemma.edges.cli") or floor_of(source.module) == "lab":
            continue
        calls = [node for node in source.nodes if isinstance(node, ast.Call) and dotted(node.func) == "print"]
        found += [Finding(source.path, node.lineno, "prints", remedy) for node in calls]
    return found


def comments_keep_to_the_point(tree: Tree) -> list[Finding]:
    """Find open work without an issue, banners, and switched-off type checks."""
    found = []
    for source in tree.sources(SRC, "bench", "tests"):
        for line, comment in _comments(source) if _SUSPECT.search(source.text) else ():
            if _OPEN_WORK.search(comment) and not _ISSUE.search(comment):
                found.append(Finding(source.path, line, "open work without an issue", "do it, or name its issue as #N"))
            if _BANNER.search(comment):
                found.append(Finding(source.path, line, "a banner", "split the file where the banner stands"))
            if source.path.startswith(f"{SRC}/") and _IGNORE.search(comment):
                found.append(Finding(source.path, line, "a switched-off type check", "state the type that holds"))
    return found


def importing_does_no_work(tree: Tree) -> list[Finding]:
    """Find calls, loops and handlers at the level of a module."""
    remedy = "put it in a function that runs when it is needed"
    found = []
    for source in tree.package:
        for node in source.tree.body:
            is_main = source.module.endswith("__main__") and isinstance(node, ast.If | ast.Expr)
            is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            is_flow = isinstance(node, ast.For | ast.While | ast.With | ast.Try | ast.If) and not is_typing_only(node)
            if (is_call or is_flow) and not is_main and not _imports_an_extra(source.module, node):
                found.append(Finding(source.path, node.lineno, "work at import", remedy))
    return found


def _imports_an_extra(module: str, node: ast.stmt) -> bool:
    # `with extra(…):` around imports alone: it only names what is missing.
    if not (module.startswith("stemma.adapters.") and isinstance(node, ast.With)):
        return False
    around = [one.context_expr for one in node.items]
    is_extra = all(isinstance(one, ast.Call) and dotted(one.func) == "extra" for one in around)
    return is_extra and all(isinstance(one, ast.ImportFrom) for one in node.body)


def ground_records_are_frozen(tree: Tree) -> list[Finding]:
    """Find dataclasses of the ground that can be changed once made."""
    found = []
    for source in tree.package:
        if floor_of(source.module) != "ground":
            continue
        for node in source.classes:
            for decorator in node.decorator_list:
                call = decorator if isinstance(decorator, ast.Call) else None
                name = dotted(call.func if call else decorator)
                frozen = call is not None and any(_is_true(word, "frozen") for word in call.keywords)
                if name.endswith("dataclass") and not frozen:
                    found.append(Finding(source.path, node.lineno, f"{node.name} is not frozen", "write frozen=True"))
    return found


def tests_use_real_parts(tree: Tree) -> list[Finding]:
    """Find mocks, and sleeps that no loop bounds by asking again."""
    found = []
    for source in tree.sources("tests"):
        if "mock" not in source.text and "sleep" not in source.text:
            continue
        for node in source.nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
                if any(name in {"mock", "unittest.mock", "pytest_mock"} for name in names):
                    found.append(
                        Finding(
                            source.path,
                            node.lineno,
                            "a mock",
                            "use the real part, or one of your own that speaks its protocol",
                        )
                    )
        found += [
            Finding(source.path, node.lineno, "sleeps and hopes", "ask again in a loop with a deadline")
            for node in _sleeps_outside_loops(source)
        ]
    return found


def _public(body: list[ast.stmt]) -> Iterator[Function]:
    for node in body:
        if isinstance(node, Function) and not node.name.startswith("_") and not _is_declared_elsewhere(node):
            yield node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not _is_protocol(node):
            yield from _public(node.body)


def _is_declared_elsewhere(node: Function) -> bool:
    names = {dotted(one).rpartition(".")[2] for one in node.decorator_list}
    return bool(names & {"overload", "override", "setter", "deleter"})


def _is_protocol(node: ast.ClassDef) -> bool:
    return any(dotted(base).endswith("Protocol") for base in node.bases)


def _is_broad(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Tuple):
        return any(_is_broad(one) for one in node.elts)
    return node is None or dotted(node).rpartition(".")[2] in _BROAD


def _raises_again(handler: ast.ExceptHandler) -> bool:
    raises = [node for node in ast.walk(handler) if isinstance(node, ast.Raise)]
    return any(node.exc is None or node.cause is not None for node in raises)


def _comments(source: Source) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _sleeps_outside_loops(source: Source) -> list[ast.Call]:
    calls = [
        node
        for node in source.nodes
        if isinstance(node, ast.Call) and dotted(node.func) in {"time.sleep", "sleep", "asyncio.sleep"}
    ]
    if not calls:
        return []
    above = parents(source)
    return [node for node in calls if not _is_in_loop(node, above)]


def _is_in_loop(node: ast.AST, above: dict[ast.AST, ast.AST]) -> bool:
    while node in above:
        node = above[node]
        if isinstance(node, ast.While | ast.For | ast.AsyncFor):
            return True
    return False


def _is_true(word: ast.keyword, name: str) -> bool:
    return word.arg == name and isinstance(word.value, ast.Constant) and word.value.value is True
