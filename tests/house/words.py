"""Rules on names that we give: in Python, in SQL, and of modules. What a library calls its things is its own affair."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from tests.house.allowed import FOREIGN_NAMES, FOREIGN_PROTOCOLS
from tests.house.sizes import parameters
from tests.house.statements import tables
from tests.house.tree import SRC, Finding, Source, Tree

# Word -> what to say instead.
BANNED: Final[dict[str, str]] = {
    "chunk": "passage, or what it is a piece of",
    "context": "bundle, or what surrounds it",
    "entity": "subject",
    "timestamp": "the clock's name: occurred_at, recorded_at …",
    "data": "what it holds",
    "info": "what it tells",
    "process": "the verb that it does, or server, child, worker",
    "handle": "the verb that it does",
    "manage": "the verb that it does",
}
BANNED_PAIRS: Final = {("created", "at"): "recorded_at"}
PLURALS: Final = {"chunks": "chunk", "contexts": "context", "entities": "entity", "timestamps": "timestamp",
                  "infos": "info", "processes": "process", "handles": "handle"}  # fmt: skip
ENDINGS: Final = ("Manager", "Service", "Helper", "Engine")
MODULES: Final = frozenset({"utils", "util", "common", "helpers", "helper", "misc"})

_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")


def names_use_our_words(tree: Tree) -> list[Finding]:
    """Find banned words in the names that the package and bench/ define."""
    found = []
    for source in tree.sources(SRC, "bench"):
        if source.path.startswith(FOREIGN_PROTOCOLS):
            continue
        named = [(source.path.rsplit("/", 1)[-1].removesuffix(".py"), 1), *defined(source)]
        for name, line in named:
            if (source.path, name) in FOREIGN_NAMES:
                continue
            found += [_say(source.path, line, name, word, instead) for word, instead in banned_in(name)]
    return sorted(set(found))


def columns_use_our_words(tree: Tree) -> list[Finding]:
    """Find banned words in the tables and columns of the migrations."""
    found = []
    for table in tables(tree):
        columns = [part.split()[0].lower() for part in table.parts if part.split()]
        for name in [table.name, *columns]:
            found += [_say(table.path, table.line, name, word, instead) for word, instead in banned_in(name)]
    return found


def classes_are_named_for_what_they_are(tree: Tree) -> list[Finding]:
    """Find classes called Manager, Service, Helper or Engine."""
    return [
        Finding(source.path, node.lineno, f"class {node.name}", "name it for what it is, or make it functions")
        for source in tree.sources(SRC, "bench")
        for node in source.classes
        if node.name.endswith(ENDINGS)
    ]


def modules_are_named_for_an_idea(tree: Tree) -> list[Finding]:
    """Find modules and folders called utils, common or helpers."""
    found = []
    for source in tree.sources(SRC, "bench", "tests"):
        parts = set(source.path.removesuffix(".py").split("/"))
        if parts & MODULES:
            remedy = "put each function beside its only user, or name the idea"
            found.append(Finding(source.path, 1, f"a module named {', '.join(sorted(parts & MODULES))}", remedy))
    return found


def banned_in(name: str) -> list[tuple[str, str]]:
    """List the banned words of one name, each with what to say instead."""
    parts = [part.lower() for part in _PARTS.findall(name)]
    singular = [PLURALS.get(part, part) for part in parts]
    found = [(part, BANNED[part]) for part in singular if part in BANNED]
    return found + [("_".join(pair), BANNED_PAIRS[pair]) for pair in pairwise(parts) if pair in BANNED_PAIRS]


def defined(source: Source) -> Iterator[tuple[str, int]]:
    """Every name that a file gives: functions, classes, arguments, attributes, variables, aliases."""
    for node in source.nodes:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name, node.lineno
                yield from ((one.arg, one.lineno) for one in parameters(node))
            case ast.Lambda():
                yield from ((one.arg, one.lineno) for one in node.args.args)
            case ast.ClassDef():
                yield node.name, node.lineno
            case ast.Name(ctx=ast.Store()):
                yield node.id, node.lineno
            case ast.Attribute(ctx=ast.Store(), value=ast.Name(id="self" | "cls")):
                yield node.attr, node.lineno
            case ast.alias(asname=str()):
                yield str(node.asname), node.lineno
            case ast.ExceptHandler(name=str()):
                yield str(node.name), node.lineno
            case ast.MatchAs(name=str()) | ast.MatchStar(name=str()):
                yield str(node.name), node.lineno
            case _:
                pass


def _say(path: str, line: int, name: str, word: str, instead: str) -> Finding:
    return Finding(path, line, f"the name {name} holds '{word}'", f"say: {instead}")
