"""A server held to its own OpenAPI document by requests that schemathesis makes of it (issue 6, R-81)."""

from __future__ import annotations

from pathlib import Path

import pytest

from stemma.app.operations import OPERATIONS
from tests.fuzzing import ABOUT_KEYS, CI_SECONDS, fuzz
from tests.serving import fork_server


@pytest.mark.slow
def test_every_answer_is_as_the_document_says(address: str, tmp_path: Path) -> None:
    """R-81: no 5xx, no status that is not documented, no body, header or method but those."""
    running = fork_server(address, tmp_path / "log")
    try:
        findings = fuzz(running.address, tmp_path / "report.json", CI_SECONDS)
    finally:
        code = running.stop()
    assert findings.found == (), findings.shown
    # Beside the table: health, readiness, and figures; the document itself is what it reads.
    assert (findings.operations, code) == (len(OPERATIONS) + 3 - len(ABOUT_KEYS), 0)
    assert findings.requests > 200
    assert '"fault"' not in running.log.read_text()
