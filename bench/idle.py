"""What `stemma serve` holds in memory when it has answered a recall and rests: the process and its embedded server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx

from bench.spine_load import Server

STEMMA = Path(sys.executable).parent / "stemma"


def idle_memory() -> dict[str, float]:
    """Return megabytes (proportional set size) with the default embedder loaded by one recall."""
    folder = Path(tempfile.mkdtemp(prefix="stemma-bench-"))
    folder.chmod(0o755)
    command = [str(STEMMA), "serve", "--store", str(folder / "store"), "--port", "0", "--json"]
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serve:
            try:
                return _measured(serve, folder / "store")
            finally:
                serve.terminate()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measured(serve: subprocess.Popen[str], store: Path) -> dict[str, float]:
    if serve.stdout is None:
        raise AssertionError("serve was started without its answer being read")
    address = json.loads(serve.stdout.readline())["address"]
    with httpx.Client(base_url=address, timeout=60) as client:
        client.post("/v1/memories", json={"subject_id": "ana", "text": "I prefer dark mode."}).raise_for_status()
        client.post("/v1/recall", json={"subject_id": "ana", "query": "dark mode"}).raise_for_status()
        without = _resident_mb(serve.pid)
        client.post("/v1/bundle", json={"subject_id": "ana", "query": "dark mode"}).raise_for_status()
    return {
        "serve after a recall, MB": without,
        "serve after a bundle (tokenizer loaded), MB": _resident_mb(serve.pid),
        "embedded server, MB": Server(store).resident_mb(),
    }


def _resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return round(sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024, 1)
