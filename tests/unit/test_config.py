"""Settings: defaults, bounds, names (HOUSE_STYLE, Configuration)."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from stemma.config import Settings
from stemma.errors import InvalidSettings


def test_every_setting_has_a_default_a_sentence_and_there_are_at_most_forty() -> None:
    """HOUSE_STYLE: one frozen Settings."""
    Settings()
    assert len(Settings.model_fields) <= 40
    assert all(field.description for field in Settings.model_fields.values())
    with pytest.raises(ValidationError):
        Settings().port = 1


def test_settings_are_read_from_the_environment() -> None:
    """HOUSE_STYLE: STEMMA_ and the name of the field."""
    read = Settings.from_environment({"STEMMA_STORE": "/srv/a", "STEMMA_PORT": "9000", "PATH": "/bin", "STEMMAX": "1"})
    assert (read.store, read.port, read.embedder) == ("/srv/a", 9000, Settings().embedder)


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"STEMMA_STROE": "/srv/a"}, ("STEMMA_STROE",)),
        ({"STEMMA_PORT": "70000"}, ("STEMMA_PORT",)),
        ({"STEMMA_LOCK_SECONDS": "nan", "STEMMA_CONNECTIONS": "many"}, ("STEMMA_CONNECTIONS", "STEMMA_LOCK_SECONDS")),
    ],
)
def test_an_unknown_or_impossible_setting_is_named(environment: dict[str, str], named: tuple[str, ...]) -> None:
    """HOUSE_STYLE: unknown names are errors."""
    with pytest.raises(InvalidSettings) as refused:
        Settings.from_environment(environment)
    assert refused.value.fields == named
    assert all(name in refused.value.detail for name in named)


def test_a_key_does_not_show() -> None:
    """R-94: no secret in a log."""
    assert "hunter2" not in repr(Settings(embedder_key="hunter2", chat_key="hunter2"))
