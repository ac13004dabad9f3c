"""All that one can do with a store, whichever way it is reached. Each part of it stands in a module of its own."""

from __future__ import annotations

from stemma.app.stemma_pages import PagesFace
from stemma.app.stemma_traces import TracesFace


class Face(PagesFace, TracesFace):
    """A method for each row of the operation table, with its fields and its typed answer."""
