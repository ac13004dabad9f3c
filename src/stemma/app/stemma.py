"""The Python face in one process. Its methods stand in `face`, the rules in the use cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Self, Unpack

from stemma.app import embed
from stemma.app import models_calibrate as calibrate_wire
from stemma.app.asking import Answer, given
from stemma.app.calibrate import calibrate
from stemma.app.calibrate_sample import sample
from stemma.app.caller import tenant_named
from stemma.app.face import Face
from stemma.app.fields import CalibrateFields
from stemma.app.models_transfer import ExportResult, ImportResult
from stemma.app.operations import BY_NAME
from stemma.app.problems import ask
from stemma.app.repair import repair as repair_store
from stemma.app.runtime import open_runtime
from stemma.app.transfer import export_log, import_log
from stemma.app.verify import VerifyResult, verify
from stemma.config import load_settings


class Stemma(Face):
    """A store opened in this process. Use it as `with Stemma(folder) as memory`, from any number of threads.

    Times are aware datetimes or RFC 3339 texts. Raises the errors of `stemma.errors`.
    """

    def __init__(
        self,
        store: str | Path | None = None,
        *,
        clock: Callable[[], datetime] | None = None,
        tenant: str | None = None,
        embedder: str | None = None,
        chat: str | None = None,
    ) -> None:
        """Open a folder or `postgresql://…` (default: the settings' store), and migrate it where that is needed."""
        settings = load_settings()
        self.tenant = tenant_named(settings.tenant if tenant is None else tenant)
        self.runtime = open_runtime(store, clock=clock, settings=settings, embedder=embedder, chat=chat)

    def __enter__(self) -> Self:
        """Return the face itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the store."""
        self.close()

    def close(self) -> None:
        """Leave the store; an embedded server ends with its last user."""
        self.runtime.close()

    def make_vectors(self, *, limit: int = 32) -> int:
        """Embed up to `limit` texts that wait for a vector and say how many; `stemma serve` does so by itself."""
        return embed.fill(self.runtime, self.tenant, limit=limit)

    def export_log(self, write: Callable[[str], object]) -> ExportResult:
        """Write every record of this tenant's log, one a line after a header."""
        return export_log(self.runtime, self.tenant, write)

    def import_log(self, lines: Iterable[str]) -> ImportResult:
        """Join another log with this tenant's; in any order, any number of times, the same."""
        return import_log(self.runtime, self.tenant, lines)

    def calibrate(
        self, labels: Iterable[Mapping[str, Any]], **how: Unpack[CalibrateFields]
    ) -> calibrate_wire.CalibrationReport:
        """Say how the gates and the similarity part what `labels` call real from the rest; nothing is changed."""
        return calibrate(self.runtime, self.tenant, labels, ask(calibrate_wire.CalibrateRequest, how))

    def sample_candidates(self, kind: str, size: int, *, seed: int = 1) -> calibrate_wire.SampleResult:
        """Draw candidates of the store to label blind for `calibrate`: half accepted as the kind, half refused."""
        fields = {"kind": kind, "size": size, "seed": seed}
        return sample(self.runtime, self.tenant, ask(calibrate_wire.SampleRequest, fields))

    def verify(self, subject_id: str | None = None, *, repair: bool = False) -> VerifyResult:
        """Derive one subject, or all, anew from the log and say what differs; `repair` puts right what is derived."""
        check = repair_store if repair else verify
        return check(self.runtime, self.tenant, subject=subject_id)

    def _stream(self, name: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        return BY_NAME[name].run_stream(self.runtime, self.tenant, given(fields))

    def _run_as_given(self, name: str, answer: type[Answer], fields: Mapping[str, Any]) -> Answer:
        found = BY_NAME[name].run(self.runtime, self.tenant, fields)
        assert isinstance(found, answer)
        return found
