"""The server of the protocol: lists tools, has them called, and turns refusals into errors that a model can read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import structlog
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from stemma import __version__
from stemma.edges.logs import raised_at
from stemma.edges.mcp_listing import Listing
from stemma.errors import StemmaError

# The tool, its arguments, and the request they came with.
Call = Callable[[str, Mapping[str, Any], ServerRequestContext], Awaitable["Told"]]
Told = tuple[str, dict[str, Any]]

ERROR_META: Final = "stemma/error"
_log = structlog.get_logger("stemma.mcp")


def build_server(instructions: str, offered: Callable[[ServerRequestContext], Listing], call: Call) -> Server:
    """Build a server of the tools offered to a request; `call` does the work and gives text and structured answer."""

    async def list_tools(ctx: ServerRequestContext, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        try:
            return types.ListToolsResult(tools=list(offered(ctx).tools.values()))
        except StemmaError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=f"{error.code}: {error.detail}") from error

    async def call_tool(ctx: ServerRequestContext, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        try:
            listing = offered(ctx)
            if params.name not in listing.tools:
                known = ", ".join(listing.tools)
                raise MCPError(code=types.INVALID_PARAMS, message=f"there is no tool of that name; there are {known}")
            listing.require_known(params.name, arguments)
            text, structured = await call(params.name, arguments, ctx)
        except StemmaError as error:
            if error.status >= 500:
                _log.warning("refused", tool=params.name, code=error.code, raised_at=raised_at(error))
            return _refused(error)
        except MCPError:
            raise
        except Exception as error:
            # The words of an unforeseen error may quote a memory, so neither the reply nor the log repeats them.
            _log.error("fault", tool=params.name, error=type(error).__name__, raised_at=raised_at(error))
            raise MCPError(
                code=types.INTERNAL_ERROR, message="internal: a fault of ours; the log says where"
            ) from error
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=structured)

    return Server(
        "stemma",
        version=__version__,
        title="Stemma",
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        # No argument comes in a header.
        get_tool_input_schema=lambda _: None,
    )


def client_name(ctx: ServerRequestContext) -> str:
    """Return what the client calls itself: what it does is signed with that."""
    asked = ctx.session.client_params
    name = " ".join(asked.client_info.name.split())[:100] if asked is not None else ""
    return f"mcp:{name}" if name.isprintable() and name else "mcp"


def _refused(error: StemmaError) -> types.CallToolResult:
    facts = {"code": error.code, "detail": error.detail, "errors": list(error.fields), "retryable": error.retryable}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"{error.code}: {error.detail}")],
        is_error=True,
        _meta={ERROR_META: facts},
    )
