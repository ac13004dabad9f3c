"""The options that every command takes. They are declared apart, so that a command may load without the store."""

from __future__ import annotations

from typing import Annotated

import typer

StoreOption = Annotated[
    str | None,
    typer.Option("--store", help="A folder, or postgresql://… (default: STEMMA_STORE, else your own folder)"),
]
TenantOption = Annotated[str | None, typer.Option("--tenant", help="Whose store it is (default: default)")]
JsonOption = Annotated[bool, typer.Option("--json", help="Write the answer as JSON")]
