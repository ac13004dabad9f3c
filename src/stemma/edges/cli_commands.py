"""Every command but `serve`, by name: rows of the operation table, and what is no operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from stemma.edges.cli_ask import AskCommand
from stemma.edges.cli_calibrate import CALIBRATE
from stemma.edges.cli_compile import compile_new
from stemma.edges.cli_demo import demo
from stemma.edges.cli_doctor import doctor
from stemma.edges.cli_episode import episode
from stemma.edges.cli_evaluate import EVALUATE
from stemma.edges.cli_events import send_events
from stemma.edges.cli_keys import list_keys, revoke_key
from stemma.edges.cli_log import add
from stemma.edges.cli_migrate import migrate
from stemma.edges.cli_operations import RowCommand
from stemma.edges.cli_stress import STRESS
from stemma.edges.cli_sync import sync_folder
from stemma.edges.cli_trace import trace
from stemma.edges.cli_transfer import export_to, import_from
from stemma.edges.cli_verify import verify

_OTHERS: Final[Mapping[str, Callable[..., Any]]] = {
    "add": add,
    "calibrate": CALIBRATE,
    "compile": compile_new,
    "demo": demo,
    "doctor": doctor,
    "episode": episode,
    "eval": EVALUATE,
    "export": export_to,
    "import": import_from,
    "keys list": list_keys,
    "keys revoke": revoke_key,
    "migrate": migrate,
    "send-events": send_events,
    "stress": STRESS,
    "sync": sync_folder,
    "trace": trace,
    "verify": verify,
}


def command_of(name: str, operation: str | None) -> Callable[..., Any]:
    """Return what runs under a command's name."""
    if name in _OTHERS or operation is None:
        return _OTHERS[name]
    if name == "ask":
        return AskCommand(operation)
    return RowCommand(operation)
