"""The guide on traces against what the code says (API traces: a closed list in the reference)."""

from __future__ import annotations

import re
from pathlib import Path

from stemma.core.trace import STAGES, Reason

GUIDE = (Path(__file__).parents[2] / "docs/guides/traces.md").read_text(encoding="utf-8")


def test_the_guide_lists_every_reason_and_no_other() -> None:
    """API traces: drop reasons are a closed list in the reference."""
    rows = [line for line in GUIDE.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])}
    assert named == {reason.value for reason in Reason}
    stages = {name.strip() for row in rows for name in row.split("|")[2].split(",")}
    assert stages <= set(STAGES)


def test_the_guide_lists_the_stages_in_order() -> None:
    """R-42."""
    assert f"`{', '.join(STAGES)}`" in GUIDE
