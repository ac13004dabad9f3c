-- The passages of documents: swapping them, and the two legs of a search among them.

-- name: passages_of_document
SELECT passage_id, text_start, text_end, heading, lead, hidden, page, tokens, text_hash, analyser
FROM passages
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
ORDER BY text_start, text_end, passage_id;

-- name: delete_other_passages
-- Gives the hashes of the texts that are gone, so that vectors that no text needs any more can follow.
DELETE FROM passages
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND NOT passage_id = ANY(%(passage_ids)b)
RETURNING text_hash;

-- name: put_passage
-- A passage that says the same keeps its row, its terms and its vector; only its place moves.
INSERT INTO passages (tenant_id, passage_id, document_id, corpus_id, text_start, text_end, heading, lead, hidden, page,
                      tokens, text_hash, analyser, sv)
VALUES (%(tenant_id)s, %(passage_id)s, %(document_id)s, %(corpus_id)s, %(text_start)s, %(text_end)s, %(heading)s,
        %(lead)s, %(hidden)s, %(page)s, %(tokens)s, %(text_hash)s, %(analyser)s, %(weights)s::sparsevec)
ON CONFLICT (tenant_id, passage_id) DO UPDATE
SET text_start = excluded.text_start, text_end = excluded.text_end, page = excluded.page, lead = excluded.lead,
    hidden = excluded.hidden, tokens = excluded.tokens, text_hash = excluded.text_hash, analyser = excluded.analyser,
    sv = excluded.sv
WHERE (passages.text_start, passages.text_end, passages.page, passages.lead, passages.hidden, passages.tokens,
       passages.text_hash, passages.analyser, passages.sv) IS DISTINCT FROM
      (excluded.text_start, excluded.text_end, excluded.page, excluded.lead, excluded.hidden, excluded.tokens,
       excluded.text_hash, excluded.analyser, excluded.sv);

-- name: passage_candidates_lexical
-- As `lexical_candidates`: filtered before ranked, counted within the scope, the idf that of core/lexical. Each passage
-- is an item of its own. Plans are custom, so a filter that is not asked for falls away.
WITH tagged AS MATERIALIZED (
    -- The documents that hold, for every asked field, one of its values.
    SELECT t.document_id
    FROM document_tags t
    JOIN unnest(%(fields)b::integer[], %(tags)b::text[]) AS wanted (field, tag) ON wanted.tag = t.tag
    WHERE t.tenant_id = %(tenant_id)s AND t.corpus_id = ANY(%(corpus_ids)b::text[])
    GROUP BY t.document_id
    HAVING count(DISTINCT wanted.field) = %(wanted)s
), counted AS (
    SELECT count(*) AS documents
    FROM passages
    WHERE tenant_id = %(tenant_id)s AND corpus_id = ANY(%(corpus_ids)b::text[])
      AND (NOT %(filtered)s::boolean OR document_id = ANY(ARRAY(SELECT document_id FROM tagged)))
), hits AS MATERIALIZED (
    SELECT passage_id, document_id, sv
    FROM passages
    WHERE tenant_id = %(tenant_id)s AND corpus_id = ANY(%(corpus_ids)b::text[])
      AND (NOT %(filtered)s::boolean OR document_id = ANY(ARRAY(SELECT document_id FROM tagged)))
      AND sv <#> %(asked)s::sparsevec < 0
), named AS MATERIALIZED (
    SELECT term, ('{' || term || ':1}/1000000000')::sparsevec AS alone FROM unnest(%(query)b::integer[]) AS term
), held AS (
    SELECT term, count(*) AS holding FROM hits JOIN named ON hits.sv <#> named.alone < 0
    GROUP BY term
), worth AS (
    SELECT term, ln(1 + (documents - coalesce(holding, 0) + 0.5)::float8 / (coalesce(holding, 0) + 0.5)) AS idf
    FROM counted, unnest(%(query)b::integer[]) AS term LEFT JOIN held USING (term)
), asked AS (
    SELECT ('{' || string_agg(term || ':' || idf, ',' ORDER BY term) || '}/1000000000')::sparsevec AS weights,
           sum(idf)::float8 AS ideal
    FROM worth
)
SELECT passage_id, document_id, -(sv <#> weights) AS bm25, ideal, documents
FROM hits, asked, counted
ORDER BY bm25 DESC, passage_id
LIMIT %(limit)s;

-- name: passage_candidates_dense
-- As `dense_candidates`: exact over the scope. One row tells of the scope where no passage has a vector yet.
WITH scoped AS MATERIALIZED (
    SELECT p.passage_id, p.document_id, p.text_hash, e.emb <=> %(vector)s::halfvec AS distance
    FROM passages p
    LEFT JOIN embeddings e ON e.tenant_id = p.tenant_id AND e.model_id = %(model_id)s AND e.text_hash = p.text_hash
    WHERE p.tenant_id = %(tenant_id)s AND p.corpus_id = ANY(%(corpus_ids)b::text[])
), waiting AS (
    SELECT count(*) AS outstanding FROM scoped WHERE distance IS NULL
), sample AS (
    SELECT distance FROM scoped WHERE distance IS NOT NULL ORDER BY text_hash, passage_id LIMIT %(sample_size)s
), ground AS MATERIALIZED (
    SELECT 1 - max(distance) AS floor, count(*) AS sampled FROM sample
), nearest AS (
    SELECT passage_id, document_id, distance
    FROM scoped
    WHERE distance IS NOT NULL
    ORDER BY distance + 0, passage_id
    LIMIT %(limit)s
)
SELECT passage_id, document_id, 1 - distance AS cosine, floor, sampled, outstanding
FROM waiting CROSS JOIN ground LEFT JOIN nearest ON true
ORDER BY distance + 0, passage_id;

-- name: passage_candidates_among
-- Both legs among the passages of documents with some metadata, which are read once; each leg as above. `OFFSET 0` keeps
-- the vectors a look-up by text: joined as a table they would all be read for the few.
WITH tagged AS MATERIALIZED (
    -- The documents that hold, for every asked field, one of its values.
    SELECT t.document_id
    FROM document_tags t
    JOIN unnest(%(fields)b::integer[], %(tags)b::text[]) AS wanted (field, tag) ON wanted.tag = t.tag
    WHERE t.tenant_id = %(tenant_id)s AND t.corpus_id = ANY(%(corpus_ids)b::text[])
    GROUP BY t.document_id
    HAVING count(DISTINCT wanted.field) = %(wanted)s
), inside AS MATERIALIZED (
    SELECT p.passage_id, p.document_id, p.text_hash, p.sv, e.emb <=> %(vector)s::halfvec AS distance
    FROM passages p
    LEFT JOIN LATERAL (
        SELECT emb FROM embeddings
        WHERE text_hash = p.text_hash AND tenant_id = %(tenant_id)s AND model_id = %(model_id)s
        OFFSET 0
    ) e ON true
    WHERE p.tenant_id = %(tenant_id)s AND p.document_id = ANY(ARRAY(SELECT document_id FROM tagged))
      AND p.corpus_id = ANY(%(corpus_ids)b::text[])
), counted AS (
    SELECT count(*) AS documents, count(*) - count(distance) AS outstanding FROM inside
), hits AS MATERIALIZED (
    SELECT passage_id, document_id, distance, sv FROM inside WHERE sv <#> %(asked)s::sparsevec < 0
), named AS MATERIALIZED (
    SELECT term, ('{' || term || ':1}/1000000000')::sparsevec AS alone FROM unnest(%(query)b::integer[]) AS term
), held AS (
    SELECT term, count(*) AS holding FROM hits JOIN named ON hits.sv <#> named.alone < 0
    GROUP BY term
), worth AS (
    SELECT term, ln(1 + (documents - coalesce(holding, 0) + 0.5)::float8 / (coalesce(holding, 0) + 0.5)) AS idf
    FROM counted, unnest(%(query)b::integer[]) AS term LEFT JOIN held USING (term)
), weighed AS (
    SELECT ('{' || string_agg(term || ':' || idf, ',' ORDER BY term) || '}/1000000000')::sparsevec AS weights,
           sum(idf)::float8 AS ideal
    FROM worth
), worded AS MATERIALIZED (
    SELECT passage_id, document_id, -(sv <#> weights) AS bm25, distance
    FROM hits, weighed
    ORDER BY bm25 DESC, passage_id
    LIMIT %(limit)s
), nearest AS (
    SELECT passage_id, document_id, distance
    FROM inside
    WHERE distance IS NOT NULL
    ORDER BY distance + 0, passage_id
    LIMIT %(limit)s
), sample AS (
    SELECT distance FROM inside WHERE distance IS NOT NULL ORDER BY text_hash, passage_id LIMIT %(sample_size)s
), ground AS MATERIALIZED (
    SELECT 1 - max(distance) AS floor, count(*) AS sampled FROM sample
), found AS (
    SELECT passage_id, document_id, bm25, distance FROM worded
    UNION ALL
    SELECT passage_id, document_id, NULL, distance FROM nearest
    WHERE NOT EXISTS (SELECT FROM worded WHERE worded.passage_id = nearest.passage_id)
)
SELECT passage_id, document_id, bm25, 1 - distance AS cosine,
       CASE WHEN EXISTS (SELECT FROM hits) THEN ideal END AS ideal, floor, sampled, outstanding
FROM counted CROSS JOIN weighed CROSS JOIN ground LEFT JOIN found ON true;

-- name: passages_cited
-- What a citation shows of its passages, and the heads of their documents, in one look.
SELECT p.passage_id, p.text_start, p.text_end, p.heading, p.page, p.hidden,
       substr(r.text, p.text_start + 1, p.text_end - p.text_start) AS text,
       d.document_id, d.corpus, d.external_id, d.revision, d.title, d.uri, d.metadata, d.derived_from, d.position,
       d.origin_id, d.recorded_at, d.changed_at, d.revised_at
FROM passages p
JOIN documents d ON d.tenant_id = p.tenant_id AND d.document_id = p.document_id
JOIN document_revisions r ON r.tenant_id = d.tenant_id AND r.document_id = d.document_id AND r.revision = d.revision
WHERE p.tenant_id = %(tenant_id)s AND p.passage_id = ANY(%(passage_ids)b);

-- name: cosines_of_passages
SELECT p.passage_id, 1 - (e.emb <=> %(vector)s::halfvec) AS cosine
FROM passages p
JOIN embeddings e ON e.tenant_id = p.tenant_id AND e.model_id = %(model_id)s AND e.text_hash = p.text_hash
WHERE p.tenant_id = %(tenant_id)s AND p.passage_id = ANY(%(passage_ids)b);

-- name: passages_by_id
SELECT passage_id, document_id, text_start, text_end, heading, lead, hidden, page
FROM passages
WHERE tenant_id = %(tenant_id)s AND passage_id = ANY(%(passage_ids)b);

-- name: passages_that_differ
-- Stored passages whose columns are not what they should be.
SELECT p.passage_id
FROM passages p
JOIN unnest(%(passage_ids)b::text[], %(corpus_ids)b::text[], %(starts)b::integer[], %(ends)b::integer[],
            %(headings)b::text[], %(leads)b::text[], %(text_hashes)b::bytea[], %(analysers)b::text[],
            %(weights)b::text[])
     AS w (passage_id, corpus_id, text_start, text_end, heading, lead, text_hash, analyser, sv) USING (passage_id)
WHERE p.tenant_id = %(tenant_id)s
  AND (p.corpus_id, p.text_start, p.text_end, p.heading, p.lead, p.text_hash, p.analyser, p.sv) IS DISTINCT FROM
      (w.corpus_id, w.text_start, w.text_end, w.heading, w.lead, w.text_hash, w.analyser, w.sv::sparsevec);

-- name: passage_orphans
SELECT p.passage_id FROM passages p
WHERE p.tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM documents d
                  WHERE d.tenant_id = p.tenant_id AND d.document_id = p.document_id AND d.revision IS NOT NULL)
LIMIT %(limit)s;

-- name: delete_passage_orphans
DELETE FROM passages
WHERE tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM documents d
                  WHERE d.tenant_id = passages.tenant_id AND d.document_id = passages.document_id
                    AND d.revision IS NOT NULL);

-- name: passage_vectors_missing
SELECT text_hash, document_id, passage_id
FROM passages
WHERE tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM embeddings e
                  WHERE e.tenant_id = passages.tenant_id AND e.model_id = %(model_id)s
                    AND e.text_hash = passages.text_hash)
LIMIT %(limit)s;

-- name: count_passage_vectors_missing
SELECT count(DISTINCT text_hash) AS outstanding
FROM passages
WHERE tenant_id = %(tenant_id)s
  AND NOT EXISTS (SELECT FROM embeddings e
                  WHERE e.tenant_id = passages.tenant_id AND e.model_id = %(model_id)s
                    AND e.text_hash = passages.text_hash);
