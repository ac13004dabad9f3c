"""Which methods a path knows. A path that is written out goes before one with a name to fill in, as OpenAPI has it.

A name that may hold slashes is taken whole, line feeds too: the library's own pattern lets one at the end go, and the
document `x` would be put and deleted as `x` and a line feed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fastapi import FastAPI
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, compile_path

from stemma.app.operations import Operation

_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")


class _Whole(PathConvertor):
    regex = r"(?s:.*)"


def written_out(rows: Sequence[Operation]) -> Mapping[str, tuple[str, ...]]:
    """Return the paths that a row writes out and another row's template would take as well, with their own methods."""
    patterns = [compile_path(row.path)[0] for row in rows if "{" in row.path]
    found: dict[str, list[str]] = {}
    for row in rows:
        if "{" not in row.path and any(one.fullmatch(row.path) for one in patterns):
            found.setdefault(row.path, []).append(row.method)
    return {path: _with_head(methods) for path, methods in found.items()}


def take_names_whole() -> None:
    """Have every path that is added from here on take a name with slashes as it is, to its last line feed."""
    register_url_convertor("path", _Whole())


def keep_apart(app: FastAPI, paths: Mapping[str, Sequence[str]]) -> None:
    """Refuse the other methods of these paths, before a template can take their last part for an id."""
    for path, known in paths.items():
        others = [one for one in _METHODS if one not in known]
        app.add_route(path, _refuse, methods=others, name="none", include_in_schema=False)


def methods_of(request: Request, paths: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the methods that the path of a request knows, in order."""
    path = request.scope["path"]
    if path in paths:
        return sorted(paths[path])
    # Several routes may share a path, one a method; the router only tells of the first.
    here = [one for one in request.app.routes if one.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for one in here for method in one.methods})


def _with_head(methods: Sequence[str]) -> tuple[str, ...]:
    return (*methods, "HEAD") if "GET" in methods else tuple(methods)


async def _refuse(_: Request) -> Response:
    raise HTTPException(405)
