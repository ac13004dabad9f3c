"""A check of a machine and a store, for who runs them: what is amiss, and what to do. Nothing is changed.

Here stands what can be looked at without the store; what is looked at in it, in `doctor_store`.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from stemma.app.calibration import calibration_of
from stemma.app.doctor_store import examine_store
from stemma.app.models_doctor import Examination, Finding, fail, ok, warn
from stemma.app.registry_files import load_registry
from stemma.app.runtime import is_there, open_store, store_target
from stemma.config import Settings
from stemma.errors import EmbedderError, StemmaError, StoreError
from stemma.models.embedding import Embedder, open_embedder

# An embedded server asks for this much at its start, and a log grows by some kilobytes an episode.
_LITTLE_DISK: Final = 2 * 2**30
_NO_DISK: Final = 300 * 2**20
# The model and an embedded server take about half of it.
_LITTLE_MEMORY: Final = 2**30
# A store that does not answer is told soon: nobody waits half a minute for a check.
_PATIENCE_SECONDS: Final = 5.0
_HERE: Final = "see the words before; the server's own log is the file server.log in the folder"
_THERE: Final = "see that its server runs, and that address, role and password are right"
_SAMPLE: Final = "The model is asked for one vector."
_WORST: Final = ("ok", "warn", "fail")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the store is: a folder, or the address of a server as it may be shown, without its password."""

    target: str | Path
    shown: str
    folder: Path | None


def examine(store: str | Path | None, settings: Settings) -> Examination:
    """Look at the machine, then at the store that is named, as far as it can be reached."""
    place = _place(store, settings)
    findings = [*_machine(place), *_settings(settings)]
    embedder, found = _embedder(settings)
    findings += found
    reached = True
    if not is_there(store, settings):
        findings.append(
            warn("store", f"there is none in {place.shown} yet", "the first command that writes makes it: stemma add")
        )
    else:
        patient = settings.model_copy(update={"restore_seconds": min(settings.restore_seconds, _PATIENCE_SECONDS)})
        try:
            with open_store(store, patient) as opened:
                findings += examine_store(opened, place.shown, patient, embedder)
        except StoreError as error:
            reached = False
            advice = _HERE if place.folder else _THERE
            findings.append(fail("store", f"{place.shown}: {error.code}: {' '.join(error.detail.split())}", advice))
    worst = max((one.verdict for one in findings), key=_WORST.index)
    return Examination(verdict=worst, reached=reached, findings=tuple(findings))


def _place(store: str | Path | None, settings: Settings) -> Place:
    target = store_target(store, settings)
    if isinstance(target, str) and "://" in target:
        parts = urlsplit(target)
        port = f":{parts.port}" if parts.port else ""
        return Place(target, f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}", None)
    return Place(target, str(target), Path(target))


def _machine(place: Place) -> Iterator[Finding]:
    version = platform.python_version()
    yield ok("python", f"{version} on {platform.system()} {platform.machine()}, {os.cpu_count()} processors")
    memory = _memory()
    if memory is not None:
        told = f"{memory / 2**30:.1f} GiB"
        if memory < _LITTLE_MEMORY:
            yield warn("memory", told, "work without an embedder (STEMMA_EMBEDDER=none), or take a machine with 1 GiB")
        else:
            yield ok("memory", told)
    if place.folder is not None:
        yield _disk(place.folder)


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _disk(folder: Path) -> Finding:
    there = next(one for one in (folder.resolve(), *folder.resolve().parents) if one.exists())
    free = shutil.disk_usage(there).free
    told = f"{free / 2**30:.1f} GiB free where the store is"
    if free < _NO_DISK:
        return fail("disk", told, "make room: the embedded server does not start, or stops taking writes")
    if free < _LITTLE_DISK:
        return warn("disk", told, "make room before it is full: a full disk stops every write")
    return ok("disk", told)


def _settings(settings: Settings) -> Iterator[Finding]:
    try:
        kinds = len(load_registry(None if settings.registry is None else Path(settings.registry)).kinds)
    except StemmaError as error:
        yield fail("registry", f"{settings.registry}: {error.detail}", "correct the file that STEMMA_REGISTRY names")
    else:
        where = settings.registry or "as shipped"
        yield ok("registry", f"{kinds} kinds, {where}")
    if settings.spans and importlib.util.find_spec("opentelemetry.sdk") is None:
        yield fail(
            "spans", "STEMMA_SPANS is on and OpenTelemetry is not installed", "pip install 'stemma-memory[otel]'"
        )
    if settings.chat == "none":
        yield ok("chat", "none: answers are made of the documents' own sentences")
    else:
        yield ok("chat", f"{settings.chat.rpartition('#')[2]}, which is asked by `stemma ask` alone")


def _embedder(settings: Settings) -> tuple[Embedder | None, list[Finding]]:
    choose = "or choose another: STEMMA_EMBEDDER=none leaves the words to answer"
    try:
        embedder = open_embedder(settings.embedder, api_key=settings.embedder_key)
        if embedder is None:
            return None, [ok("embedder", "none: words alone are searched")]
        size = len(embedder.query(_SAMPLE))
    except EmbedderError as error:
        return None, [fail("embedder", f"{settings.embedder}: {error.code}: {error.detail}", f"mend that, {choose}")]
    found = [ok("embedder", f"{embedder.id}, {size} dimensions, gives vectors")]
    measured = calibration_of(embedder.id)
    if measured.is_of(embedder.id):
        found.append(ok("calibration", f"measured on {embedder.id}"))
    else:
        advice = "answers are right and their similarity is a guess; `stemma calibrate` shows how it does on your texts"
        found.append(warn("calibration", f"none of {embedder.id}; that of {measured.embedder} is used", advice))
    return embedder, found
