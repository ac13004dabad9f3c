"""Rules on SQL: where it stands, whose tenant it names, and how the schema grows."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.house.allowed import STORE_WIDE_QUERIES, STORE_WIDE_TABLES
from tests.house.tree import SRC, Finding, Source, Tree

HASHES: Final = f"{SRC}/store/migrations/HASHES"

_CAPITALS = re.compile(
    r"\bSELECT\b[\s\S]*?\bFROM\b|\bINSERT\s+INTO\b|\bUPDATE\s+\S+\s+SET\b|\bDELETE\s+FROM\b|\bTRUNCATE\s+\w"
    r"|\b(?:CREATE|ALTER|DROP)\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|VIEW|POLICY|FUNCTION|TRIGGER|SEQUENCE|TYPE)\b"
)
# Small letters are prose more often than SQL, so here the whole form of a statement is asked for.
_SMALL = re.compile(
    r"^\s*(?:with\s+\w+\s+as\s*\([\s\S]*)?"
    r"(?:select\s[\w.*,()\s]+\sfrom\s+\w+\s*(?:$|;|where\b|join\b|order\s+by\b|group\s+by\b|limit\b)"
    r"|insert\s+into\s+\w+\s*\(|update\s+\w+\s+set\s+\w+\s*=|delete\s+from\s+\w+\s*(?:$|;|where\b)"
    r"|create\s+(?:unique\s+)?(?:table|index)\s+\w+\s*(?:\(|on\b))",
    re.IGNORECASE,
)
_NAMED = re.compile(r"^-- name:[ \t]*(\S+)[ \t]*$", re.MULTILINE)
_TABLE = re.compile(r"\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)\s*\(", re.IGNORECASE)
_INDEX = re.compile(
    r"\bcreate\s+(?:unique\s+)?index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(\w+)?\s*\bon\s+(?:only\s+)?(\w+)"
    r"\s*(?:using\s+(\w+)\s*)?\(\s*([^,)]+)",
    re.IGNORECASE,
)
_KEY = re.compile(r"^(?:constraint\s+\w+\s+)?(primary\s+key|unique)[^(]*\(\s*(\w+)", re.IGNORECASE)
_PRIMARY = re.compile(r"\bprimary\s+key\b", re.IGNORECASE)
_UNIQUE = re.compile(r"\bunique\b", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d{4})_[a-z0-9_]+\.sql$")
_EXECUTE: Final = frozenset({"execute", "executemany", "copy", "stream"})


@dataclass(frozen=True)
class Query:
    """One named query of store/sql/."""

    path: str
    line: int
    name: str
    text: str


@dataclass(frozen=True)
class Table:
    """One `CREATE TABLE` of the migrations, cut at its outer commas."""

    path: str
    line: int
    name: str
    parts: tuple[str, ...]


def sql_stands_in_sql_files(tree: Tree) -> list[Finding]:
    """Find SQL statements in Python strings; docstrings may speak of SQL."""
    remedy = "give it a name in src/stemma/store/sql/*.sql"
    return [
        Finding(source.path, node.lineno, "an SQL statement in a Python string", remedy)
        for source in tree.package
        for node, text in _strings(source)
        if _CAPITALS.search(text) or _SMALL.search(text)
    ]


def sql_is_never_put_together(tree: Tree) -> list[Finding]:
    """Find statements that are executed as f-strings, sums or formats."""
    remedy = "name the query in store/sql/ and pass values as parameters"
    found = []
    for source in tree.package:
        for node in source.nodes:
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
                continue
            text = node.args[0]
            is_format = isinstance(text, ast.Call) and _is_string_format(text)
            if node.func.attr in _EXECUTE and (isinstance(text, ast.JoinedStr | ast.BinOp) or is_format):
                found.append(Finding(source.path, node.lineno, "executes a composed string", remedy))
    return found


def queries_have_names_of_their_own(tree: Tree) -> list[Finding]:
    """Find query names that stand twice, and SQL before a file's first name."""
    found = []
    first: dict[str, str] = {}
    for path in tree.sql("sql"):
        head = _NAMED.split(_read(path), maxsplit=1)[0]
        if without_comments(head).strip():
            remedy = "start it with `-- name: <what it does>`"
            found.append(Finding(tree.relative(path), 1, "SQL without a name", remedy))
    for query in queries(tree):
        if query.name in first:
            found.append(
                Finding(query.path, query.line, f"{query.name} is named in {first[query.name]} too", "rename one")
            )
        first.setdefault(query.name, f"{query.path}:{query.line}")
    return found


def queries_name_the_tenant(tree: Tree) -> list[Finding]:
    """Find statements that name a table of the tenants without `tenant_id`."""
    remedy = "filter by tenant_id; a query on the store as a whole gets a line in tests/house/allowed.py"
    shared = {table.name for table in tables(tree)} - set(STORE_WIDE_TABLES)
    found = []
    for query in queries(tree):
        for statement in _statements(query.text) if query.name not in STORE_WIDE_QUERIES else []:
            read = sorted(set(re.findall(r"\w+", statement)) & shared)
            if read and "tenant_id" not in statement:
                found.append(Finding(query.path, query.line, f"{query.name} names {read[0]} without tenant_id", remedy))
    return found


def keys_start_with_the_tenant(tree: Tree) -> list[Finding]:
    """Find tables and ordered indexes whose key does not begin with tenant_id."""
    remedy = "put tenant_id first; a table of the store as a whole gets a line in tests/house/allowed.py"
    found = []
    for table in tables(tree):
        if table.name in STORE_WIDE_TABLES:
            continue
        keys = [key for part in table.parts for key in _keys(part)]
        if not any(kind == "primary key" for kind, _ in keys):
            found.append(Finding(table.path, table.line, f"{table.name} has no primary key", remedy))
        for kind, column in keys:
            if column != "tenant_id":
                found.append(Finding(table.path, table.line, f"{kind} of {table.name} starts with {column}", remedy))
    for path in tree.sql("migrations"):
        text = without_comments(_read(path))
        for match in _INDEX.finditer(text):
            name, owner, method, column = match.groups()
            is_ordered = (method or "btree").lower() == "btree"
            if is_ordered and owner not in STORE_WIDE_TABLES and column.split()[0].lower() != "tenant_id":
                line = _line_of(text, match.start())
                found.append(Finding(tree.relative(path), line, f"index {name} starts with {column}", remedy))
    return found


def migrations_are_numbered(tree: Tree) -> list[Finding]:
    """Find migrations whose numbers are not 0001, 0002, … without a gap or a twin."""
    found = []
    for expected, path in enumerate(tree.sql("migrations"), start=1):
        match = _NUMBERED.match(path.name)
        if match is None or int(match.group(1)) != expected:
            remedy = f"name it {expected:04}_<words>.sql"
            found.append(Finding(tree.relative(path), 1, f"is not number {expected:04}", remedy))
    return found


def migrations_stay_as_they_landed(tree: Tree) -> list[Finding]:
    """Find migrations that differ from their recorded hash, are not recorded, or are gone."""
    recorded = _recorded(tree)
    found = []
    for path in tree.sql("migrations"):
        hash_now = hashlib.sha256(path.read_bytes()).hexdigest()
        recorded_hash = recorded.pop(path.name, None)
        if recorded_hash is None:
            found.append(Finding(tree.relative(path), 1, "is not recorded in HASHES", "run scripts/migration-hashes"))
        elif recorded_hash != hash_now:
            remedy = "undo the edit and write a new migration; stores have applied this one"
            found.append(Finding(tree.relative(path), 1, "differs from its recorded hash", remedy))
    found += [Finding(HASHES, 1, f"{name} is recorded and gone", "bring it back") for name in recorded]
    return found


def queries(tree: Tree) -> list[Query]:
    """Every named query."""
    found = []
    for path in tree.sql("sql"):
        text = _read(path)
        matches = list(_NAMED.finditer(text))
        ends = [*(match.start() for match in matches[1:]), len(text)]
        for match, end in zip(matches, ends, strict=False):
            body = without_comments(text[match.end() : end])
            found.append(Query(tree.relative(path), _line_of(text, match.start()), match.group(1), body))
    return found


def tables(tree: Tree) -> list[Table]:
    """Every table that a migration makes; partitions have no columns of their own."""
    found = []
    for path in tree.sql("migrations"):
        text = without_comments(_read(path))
        for match in _TABLE.finditer(text):
            parts = tuple(_cut(text, match.end()))
            found.append(Table(tree.relative(path), _line_of(text, match.start()), match.group(1), parts))
    return found


def without_comments(text: str) -> str:
    """Blank out comments, keeping every line where it is."""
    text = re.sub(r"/\*[\s\S]*?\*/", lambda match: "\n" * match.group().count("\n"), text)
    return re.sub(r"--[^\n]*", "", text)


def _strings(source: Source) -> Iterator[tuple[ast.Constant | ast.JoinedStr, str]]:
    seen = set(source.docstrings)
    for node in source.nodes:  # a walk from the top meets an f-string before its parts
        if isinstance(node, ast.JoinedStr):
            seen |= {id(part) for part in node.values}
            yield node, "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in seen:
            yield node, node.value


def _is_string_format(call: ast.Call) -> bool:
    # psycopg's own `sql.SQL(…).format(…)` quotes what it is given and is no string.
    function = call.func
    return (
        isinstance(function, ast.Attribute) and function.attr == "format" and isinstance(function.value, ast.Constant)
    )


def _statements(text: str) -> list[str]:
    bare = re.sub(r"'[^']*'", "''", text)
    return [statement for statement in bare.split(";") if statement.strip()]


def _keys(part: str) -> list[tuple[str, str]]:
    """The keys that one part of a table declares: (kind, first column)."""
    table_level = _KEY.match(part)
    if table_level:
        return [(" ".join(table_level.group(1).lower().split()), table_level.group(2).lower())]
    column = part.split()[0].lower() if part.split() else ""
    bare = re.sub(r"'[^']*'|\([^()]*\)", "", part)
    kinds = [("primary key", _PRIMARY), ("unique", _UNIQUE)]
    return [(kind, column) for kind, pattern in kinds if pattern.search(bare)]


def _cut(text: str, start: int) -> Iterator[str]:
    depth, part = 1, ""
    for letter in text[start:]:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 or (letter == "," and depth == 1):
            yield part.strip()
            part = ""
            if depth == 0:
                return
        else:
            part += letter


def _recorded(tree: Tree) -> dict[str, str]:
    path = tree.root / HASHES
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {name: recorded for recorded, name in (line.split() for line in lines if line.strip())}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
