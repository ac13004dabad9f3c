"""The clients against the operation table: a method a row, its fields and its answer, its route, its twin (R-80)."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import stemma
from stemma import AsyncStemmaClient, Stemma, StemmaClient
from stemma.app.models_base import PageRequest
from stemma.app.operations import BY_NAME, OPERATIONS, Operation, Scope
from stemma.client.answers import TREE
from stemma.client.events import EVENTS
from stemma.client.routes import ROUTES
from tests import twins
from tests.serving import environment

ROOT = Path(__file__).parents[2]
# Sent twice these do once: keys are derived, a PUT or DELETE names its outcome, a compile derives the same again.
IDEMPOTENT = {
    "add_episodes",
    "remember",
    "add_events",
    "compile_memories",
    "put_source",
    "put_claim_key",
    "put_document",
    "delete_document",
    "delete_corpus",
    "revoke_key",
}


def test_every_row_has_its_route_and_no_other() -> None:
    """R-80: the clients ask where the table says."""
    assert {name: (route.method, route.path) for name, route in ROUTES.items()} == {
        row.name: (row.method, row.path) for row in OPERATIONS
    }
    assert set(EVENTS) == {row.name for row in OPERATIONS if row.stream is not None}


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_both_clients_have_the_method_of_the_process(row: Operation) -> None:
    """R-80: same names, same parameters, same typed results."""
    ours = getattr(Stemma, row.name)
    assert getattr(StemmaClient, row.name) is ours
    awaited = getattr(AsyncStemmaClient, row.name)
    assert inspect.iscoroutinefunction(awaited)
    assert _form(awaited) == _form(ours)
    assert get_type_hints(ours)["return"] is row.answer


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS if issubclass(row.request, PageRequest)], ids=lambda r: r.name
)
def test_every_list_can_be_read_to_its_end(row: Operation) -> None:
    """Issue 6: `iter_…`; its items are those of the pages."""
    verb, _, what = row.name.partition("_")
    name = f"iter_{what if verb in {'list', 'find'} else row.name}"
    items = get_type_hints(row.answer)["items"].__args__[0]
    assert get_type_hints(getattr(Stemma, name))["return"].__args__ == (items,)
    assert getattr(StemmaClient, name) is getattr(Stemma, name)
    assert get_type_hints(getattr(AsyncStemmaClient, name))["return"].__args__ == (items,)


def test_every_write_says_whether_it_may_be_sent_twice() -> None:
    """Issue 6: a new write has to be thought about before a client may repeat it."""
    writes = {row.name for row in OPERATIONS if row.scope is not Scope.READ and row.method != "GET"}
    once = {name for name, route in ROUTES.items() if route.once}
    assert once & IDEMPOTENT == set()
    assert once | IDEMPOTENT == writes | {"bundle"}
    assert BY_NAME["bundle"].scope is Scope.READ
    assert ROUTES["bundle"].may_repeat({"query": "q"})
    assert ROUTES["bundle"].may_repeat({"query": "q", "session_id": None})
    assert not ROUTES["bundle"].may_repeat({"query": "q", "session_id": "s"})
    assert not ROUTES["forget_memory"].may_repeat({"memory_id": "m"})


@pytest.mark.parametrize("part", twins.parts())
def test_the_twins_are_current(part: str) -> None:
    """R-80: after a change of a face's part run scripts/async-client."""
    written = (ROOT / f"src/stemma/client/async_{part}.py").read_text(encoding="utf-8")
    assert _parts(written) == _parts(twins.twin(part, twins.source(part)))


def test_the_modules_of_errors_are_all_known_to_the_clients() -> None:
    """R-80: the same classes as in process."""
    modules = {f"stemma.{path.stem}" for path in (ROOT / "src/stemma").glob("*errors.py")}
    assert {module.__name__ for module in TREE} == modules


def test_a_client_is_offered_without_the_server() -> None:
    """Issue 6: `from stemma import …` loads what a client needs and nothing of the store, the models or the web."""
    assert {"AsyncStemmaClient", "Stemma", "StemmaClient"} <= set(dir(stemma))
    code = """
import sys
from stemma import AsyncStemmaClient, StemmaClient
loaded = {name.partition('.')[0] for name in sys.modules} | {name for name in sys.modules if name.startswith('stemma.')}
heavy = {'psycopg', 'numpy', 'fastapi', 'starlette', 'uvicorn', 'regex', 'Stemmer', 'structlog'}
heavy |= {'stemma.store', 'stemma.readers', 'stemma.models', 'stemma.edges', 'stemma.app.operations', 'stemma.config'}
print(sorted(heavy & loaded))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment(), check=False)
    assert (done.stdout, done.stderr) == (b"[]\n", b"")


def _form(method: Any) -> Any:
    signature = inspect.signature(method)
    return [(one.name, one.kind, one.default, one.annotation) for one in signature.parameters.values()] + [
        signature.return_annotation
    ]


def _parts(source: str) -> tuple[list[str], list[str]]:
    tree = ast.parse(source)
    imports = sorted(ast.dump(one) for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom))
    return imports, [ast.dump(one) for one in tree.body if not isinstance(one, ast.Import | ast.ImportFrom)]
