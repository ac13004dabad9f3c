"""Rules on who may import whom, where imports stand, and what the pure floors may touch."""

from __future__ import annotations

import ast
import sys
from typing import Final

from tests.house.allowed import ENVIRONMENT, LATE_IMPORTS, PURE_LIBRARIES
from tests.house.tree import PACKAGE, Finding, Import, Source, Tree, dotted

GROUND: Final = frozenset(
    {
        "records",
        "record_json",
        "document_text",
        "document_records",
        "state",
        "errors",
        "chat_errors",
        "door_errors",
        "key_errors",
        "session_errors",
        "text",
    }
)
RINGS: Final = frozenset({"client", "connectors", "adapters", "importers", "lab"})
RUNTIME: Final = frozenset({"app", "core", "store", "readers", "models"})

# Floor -> the floors it may import, itself apart. The face is the package itself: its public names and `python -m`.
_RING: Final = frozenset({"client", "app", "core", "readers", "models", "config", "ground"})
MAY_IMPORT: Final[dict[str, frozenset[str]]] = {
    "ground": frozenset(),
    "config": frozenset({"ground"}),
    "core": frozenset({"ground"}),
    "store": frozenset({"ground"}),
    "readers": frozenset({"ground"}),
    "models": frozenset({"ground"}),
    "app": frozenset({"store", "readers", "models", "core", "config", "ground"}),
    "edges": frozenset({"app", "config", "ground"}),
    "face": frozenset({"edges", "app", "client", "config", "ground"}),
} | dict.fromkeys(RINGS, _RING)

DATABASE: Final = frozenset({"psycopg", "psycopg_pool", "pgvector", "sqlite3", "sqlalchemy", "asyncpg"})

IMPURE: Final = frozenset({
    "aiofiles", "asyncio", "atexit", "concurrent", "contextvars", "ctypes", "fcntl", "fileinput", "ftplib", "getpass",
    "glob", "http", "importlib", "io", "locale", "logging", "mmap", "multiprocessing", "os", "pathlib", "pkgutil",
    "platform", "queue", "random", "sched", "secrets", "select", "selectors", "shutil", "signal", "smtplib", "socket",
    "socketserver", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time", "urllib", "uuid", "zoneinfo",
})  # fmt: skip
# Submodules of those that only compute.
PURE_SUBMODULES: Final = frozenset({"urllib.parse"})
IMPURE_CALLS: Final = frozenset({"open", "input", "print", "exec", "eval", "__import__", "breakpoint"})
_ENVIRONMENT: Final = frozenset({"os.environ", "os.environb", "os.getenv", "os.getenvb"})
_READERS = (ast.Attribute, ast.ImportFrom, ast.keyword)
CLOCK_CALLS: Final = frozenset({"now", "utcnow", "today"})


def floor_of(module: str) -> str | None:
    """Name the floor of a module of the package, or None where it stands on none."""
    parts = module.split(".")
    if module in {PACKAGE, f"{PACKAGE}.__main__"}:
        return "face"
    if len(parts) == 2 and parts[1] in GROUND:
        return "ground"
    return parts[1] if parts[1] in MAY_IMPORT else None


def imports_go_down(tree: Tree) -> list[Finding]:
    """Find modules on no floor, and imports of a floor that the importing one may not know."""
    found = []
    for source in tree.package:
        floor = floor_of(source.module)
        if floor is None:
            remedy = f"put it on one of: {', '.join(sorted(MAY_IMPORT))}"
            found.append(Finding(source.path, 1, f"{source.module} stands on no floor", remedy))
            continue
        allowed = MAY_IMPORT[floor] | {floor}
        for one in source.imports(tree.modules):
            if one.library != PACKAGE or _is_version(one):
                continue
            target = floor_of(one.target)
            if target not in allowed:
                remedy = (
                    f"{floor} may import {', '.join(sorted(allowed))} alone; pass the thing in, or move the idea down"
                )
                found.append(Finding(source.path, one.line, f"{floor} imports {one.target} ({target})", remedy))
    return found


def only_the_store_speaks_to_a_database(tree: Tree) -> list[Finding]:
    """Find database drivers imported outside store/."""
    remedy = "call a function of store/ through app/"
    return [
        Finding(source.path, one.line, f"imports {one.target} outside store/", remedy)
        for source in tree.package
        if floor_of(source.module) != "store"
        for one in source.imports(tree.modules)
        if one.library in DATABASE
    ]


def imports_stand_at_the_top(tree: Tree) -> list[Finding]:
    """Find imports inside functions, branches and `try`, save listed heavy libraries and typing-only blocks."""
    found = []
    for source in tree.package:
        late = {one for one in source.imports(tree.modules) if one.place == "late"}
        for one in sorted(late, key=lambda one: one.line):
            if not _may_be_late(source.module, one.target):
                remedy = (
                    "move it to the top; a heavy optional library gets a module and a line in tests/house/allowed.py"
                )
                found.append(Finding(source.path, one.line, f"imports {one.target} late", remedy))
        for node in source.nodes:
            if isinstance(node, ast.Call) and dotted(node.func) in {
                "importlib.import_module",
                "import_module",
                "__import__",
            }:
                library = _constant(node.args[0]) if node.args else ""
                if not _may_be_late(source.module, library):
                    remedy = "use an import statement at the top"
                    found.append(Finding(source.path, node.lineno, "imports by name", remedy))
    return found


def imports_form_no_cycle(tree: Tree) -> list[Finding]:
    """Find groups of modules that reach one another; the package's version is nobody's dependency."""
    graph = {
        source.module: {
            one.target for one in source.imports(tree.modules) if one.target in tree.modules and not _is_version(one)
        }
        for source in tree.package
    }
    reach = {module: _reachable(graph, module) for module in graph}
    found = []
    for source in tree.package:
        circle = sorted(other for other in reach[source.module] if source.module in reach[other])
        if circle:
            remedy = "move what both need to a module of its own, further down"
            found.append(Finding(source.path, 1, f"is in a cycle: {', '.join(circle)}", remedy))
    return found


def pure_floors_touch_nothing(tree: Tree) -> list[Finding]:
    """Find IO, clocks, chance, threads, loggers and foreign libraries in core/ and the ground."""
    found = []
    for source in tree.package:
        floor = floor_of(source.module)
        if floor not in {"core", "ground"}:
            continue
        remedy = "take the value as an argument; app/ reads before and writes after"
        libraries = PURE_LIBRARIES if floor == "core" else frozenset()
        for one in source.imports(tree.modules):
            known = one.library == PACKAGE or one.library in sys.stdlib_module_names or one.library in libraries
            if (one.library in IMPURE and one.target not in PURE_SUBMODULES) or not known:
                found.append(Finding(source.path, one.line, f"{floor} imports {one.target}", remedy))
        found += [
            Finding(source.path, node.lineno, f"{floor} calls {what}", remedy) for node, what in _impure_calls(source)
        ]
    return found


def only_config_reads_the_environment(tree: Tree) -> list[Finding]:
    """Find reads of environment variables outside config.py; models/ may set one that its library reads at loading."""
    found = []
    remedy = "add a field to Settings in config.py and take it as an argument"
    for source in tree.package:
        if source.path == f"src/{PACKAGE}/config.py" or source.path in ENVIRONMENT:
            continue
        settings = _environment_settings(source) if floor_of(source.module) == "models" else set()
        for node in source.nodes:
            if isinstance(node, _READERS) and _reads_environment(node) and id(node) not in settings:
                found.append(Finding(source.path, node.lineno, "reads the environment", remedy))
    return found


def _reads_environment(node: ast.Attribute | ast.ImportFrom | ast.keyword) -> bool:
    match node:
        case ast.Attribute():
            return dotted(node) in _ENVIRONMENT
        case ast.ImportFrom():
            return any(f"{node.module}.{alias.name}" in _ENVIRONMENT for alias in node.names)
        case ast.keyword():
            return node.arg == "envvar"


def _environment_settings(source: Source) -> set[int]:
    """The ids of `os.environ` in `os.environ[…] = …` and in a `os.environ.setdefault(…)` whose answer nobody takes."""
    found = set()
    for node in source.nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            found.add(id(node.value))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            if isinstance(function, ast.Attribute) and function.attr == "setdefault":
                found.add(id(function.value))
    return found


def _impure_calls(source: Source) -> list[tuple[ast.Call, str]]:
    found = []
    in_hash = {
        id(inner) for function in source.functions if function.name == "__hash__" for inner in ast.walk(function)
    }
    for node in source.nodes:
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        if name in IMPURE_CALLS:
            found.append((node, f"{name}()"))
        elif name == "hash" and id(node) not in in_hash:
            # The hash of a string differs from one start of Python to the next.
            found.append((node, "hash()"))
        elif name.rpartition(".")[2] in CLOCK_CALLS and name.rpartition(".")[0].rpartition(".")[2] in {
            "datetime",
            "date",
        }:
            found.append((node, f"{name}()"))
    return found


def _may_be_late(module: str, target: str) -> bool:
    for pattern, allowed in LATE_IMPORTS.items():
        is_covered = module.startswith(pattern[:-1]) if pattern.endswith(".*") else module == pattern
        if is_covered and (target in allowed or target.partition(".")[0] in allowed):
            return True
    return False


def _is_version(one: Import) -> bool:
    return one.target == PACKAGE and one.name == "__version__"


def _constant(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    front = list(graph[start])
    while front:
        module = front.pop()
        if module not in seen:
            seen.add(module)
            front += graph[module]
    return seen
