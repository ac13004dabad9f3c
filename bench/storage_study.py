"""The retrieval of the storage study on the rows that the product holds: exact cosine, and BM25 by an inverted index.

Two tables of its own beside the product's, without row security; each leg alone, the best 50, nothing fetched besides.
R-103 compares the product's search with the sum of the two.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from stemma.store.index import vector_text
from stemma.store.transaction import Transaction

LIMIT: Final = 50
_MAKE: Final = """
CREATE TABLE study_dense (shelf integer NOT NULL, item_id text COLLATE "C" NOT NULL, emb halfvec NOT NULL);
CREATE TABLE study_lexical (item_id text COLLATE "C" NOT NULL, terms integer[] NOT NULL, sv sparsevec NOT NULL);
ALTER TABLE study_lexical ALTER terms SET STORAGE PLAIN, ALTER sv SET STORAGE PLAIN;
"""
_FILL_DENSE: Final = """
INSERT INTO study_dense
SELECT s.shelf, p.passage_id, e.emb
FROM unnest(%(documents)s::text[], %(shelves)s::integer[]) AS s (document_id, shelf)
JOIN passages p ON p.tenant_id = %(tenant_id)s AND p.document_id = s.document_id
JOIN embeddings e ON e.tenant_id = p.tenant_id AND e.model_id = %(model_id)s AND e.text_hash = p.text_hash
"""
# The study's index holds the scope among the terms; a shelf is a negative one, which no word hashes to.
_FILL_LEXICAL: Final = """
INSERT INTO study_lexical
SELECT p.passage_id,
       (SELECT array_agg(split_part(pair, ':', 1)::integer)
        FROM unnest(string_to_array(btrim(split_part(p.sv::text, '/', 1), '{}'), ',')) AS pair) || -(s.shelf + 1), p.sv
FROM unnest(%(documents)s::text[], %(shelves)s::integer[]) AS s (document_id, shelf)
JOIN passages p ON p.tenant_id = %(tenant_id)s AND p.document_id = s.document_id
"""
_INDEX: Final = """
CREATE INDEX ON study_dense (shelf);
CREATE INDEX ON study_lexical USING gin (terms) WITH (fastupdate = off);
"""
_DENSE: Final = "SELECT item_id FROM study_dense ORDER BY emb <=> %(vector)s::halfvec LIMIT %(limit)s"
_DENSE_IN: Final = """
SELECT item_id FROM study_dense WHERE shelf = %(shelf)s ORDER BY emb <=> %(vector)s::halfvec LIMIT %(limit)s
"""
# "df of the scope counted in the query": as in the product, the idf is the scope's own.
_LEXICAL: Final = """
WITH hits AS MATERIALIZED (
    SELECT item_id, terms, sv FROM study_lexical WHERE terms && %(query)s::integer[] AND terms @> %(scope)s::integer[]
), counted AS (
    SELECT count(*) AS documents FROM study_lexical WHERE terms @> %(scope)s::integer[]
), held AS (
    SELECT term, count(*) AS holding
    FROM hits, unnest(terms) AS term
    WHERE term = ANY(%(query)s::integer[])
    GROUP BY term
), asked AS (
    SELECT ('{' || string_agg(term || ':' || ln(1 + (documents - holding + 0.5)::float8 / (holding + 0.5)), ','
                              ORDER BY term) || '}/1000000000')::sparsevec AS weights
    FROM held, counted
)
SELECT item_id, -(sv <#> weights) AS bm25 FROM hits, asked ORDER BY bm25 DESC LIMIT %(limit)s
"""


def build(t: Transaction, model_id: str, shelves: Mapping[str, int]) -> None:
    """Make and fill the study's tables from the product's rows; `shelves` by document id."""
    named = {"documents": list(shelves), "shelves": list(shelves.values()), "tenant_id": t.tenant}
    for statement in _statements(_MAKE):
        t.connection.execute(statement)
    t.connection.execute(_FILL_DENSE, {**named, "model_id": model_id})
    t.connection.execute(_FILL_LEXICAL, named)
    for statement in [*_statements(_INDEX), "ANALYZE study_dense", "ANALYZE study_lexical"]:
        t.connection.execute(statement)


def dense(t: Transaction, vector: Sequence[float], shelf: int | None) -> list[str]:
    """Find the nearest items exactly, in one shelf or in all."""
    named: dict[str, Any] = {"vector": vector_text(vector), "limit": LIMIT}
    if shelf is None:
        rows = t.connection.execute(_DENSE, named).fetchall()
    else:
        rows = t.connection.execute(_DENSE_IN, {**named, "shelf": shelf}).fetchall()
    return [row["item_id"] for row in rows]


def lexical(t: Transaction, query: Sequence[int], shelf: int | None) -> list[str]:
    """Find the items that share a term, by BM25 of the scope's own statistics."""
    named = {"query": list(query), "scope": [] if shelf is None else [-(shelf + 1)], "limit": LIMIT}
    return [row["item_id"] for row in t.connection.execute(_LEXICAL, named).fetchall()]


def _statements(script: str) -> list[str]:
    return [each.strip() for each in script.split(";") if each.strip()]
