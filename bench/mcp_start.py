"""What `stemma mcp` takes of a processor from its start to its end, beside a bare server of the same library.

Both shake hands, list their tools and are left. Run as `python -m bench.mcp_start`; no store is opened.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any, Final

MOST_SECONDS: Final = 0.3
ROUNDS: Final = 11

_BARE: Final = """
import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def list_tools(ctx, params):
    return types.ListToolsResult(tools=[])

async def main():
    server = Server("bare", on_list_tools=list_tools)
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())

anyio.run(main)
"""
_STEMMA: Final = "from stemma.edges.cli import main; main()"


def main() -> None:
    """Measure both in turn and print the medians, their difference and their ratio."""
    figures = measured()
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    if figures["stemma mcp adds, CPU s"] > MOST_SECONDS:
        sys.exit(1)


def measured() -> dict[str, float]:
    """Return the median seconds of a processor that each took."""
    with tempfile.TemporaryDirectory() as folder:
        bare = [sys.executable, "-c", _BARE]
        ours = [sys.executable, "-c", _STEMMA, "mcp", "--store", f"{folder}/store"]
        # The first of each writes byte code.
        for command in (bare, ours):
            _cpu_seconds(command)
        pairs = [(_cpu_seconds(bare), _cpu_seconds(ours)) for _ in range(ROUNDS)]
    of_bare, of_ours = (statistics.median(one) for one in zip(*pairs, strict=True))
    return {
        "bare server, CPU s": round(of_bare, 3),
        "stemma mcp, CPU s": round(of_ours, 3),
        "stemma mcp adds, CPU s": round(statistics.median(ours - bare for bare, ours in pairs), 3),
        "ratio": round(of_ours / of_bare, 3),
    }


def _cpu_seconds(command: list[str]) -> float:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        _ask(server, {"id": 0, "method": "initialize", "params": client})
        _ask(server, {"method": "notifications/initialized"})
        _ask(server, {"id": 1, "method": "tools/list", "params": {}})
        if server.stdin is None:
            raise AssertionError("the server was started without its input being written")
        server.stdin.close()
        _, status, used = os.wait4(server.pid, 0)
        server.returncode = os.waitstatus_to_exitcode(status)
    if server.returncode:
        raise RuntimeError(f"{command[-1]} ended with {server.returncode}")
    return used.ru_utime + used.ru_stime


def _ask(server: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    if server.stdin is None or server.stdout is None:
        raise AssertionError("the server was started without its streams being read")
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()
    if "id" in message:
        answer = json.loads(server.stdout.readline())
        if "result" not in answer:
            raise RuntimeError(f"{message['method']} was refused: {answer}")


if __name__ == "__main__":
    main()
