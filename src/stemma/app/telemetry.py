"""Who listens to a runtime from its start on, by its settings."""

from __future__ import annotations

from stemma.app.observing import Observers
from stemma.config import Settings
from stemma.errors import InvalidSettings


def observers_of(settings: Settings) -> Observers:
    """Return the listeners that the settings ask for. Raises InvalidSettings where the extra for spans is missing."""
    if not settings.spans:
        return Observers()
    try:
        from stemma.app.spans import Spans
    except ImportError as error:
        raise InvalidSettings(
            "STEMMA_SPANS is on and OpenTelemetry is not installed; pip install 'stemma-memory[otel]'", field="spans"
        ) from error
    return Observers([Spans.open()])
