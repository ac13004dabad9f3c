-- The two search indexes: hashed terms with BM25 weights, and vectors by model and text.

-- name: put_lexical
INSERT INTO lex (tenant_id, item_kind, item_id, owner_id, subject_id, stands, text_hash, analyser, terms, sv,
                 unit, session, said_at, place, role, speaker, words, asks, length, starts, ends)
VALUES (%(tenant_id)s, %(item_kind)s, %(item_id)s, %(owner_id)s, %(subject_id)s, %(stands)s::tstzmultirange, %(text_hash)s, %(analyser)s,
        %(terms)b::integer[], %(weights)s::sparsevec, %(unit)s, %(session)s, %(said_at)s, %(place)s, %(role)s,
        %(speaker)s::integer[], %(words)s, %(asks)s, %(length)s, %(starts)s, %(ends)s)
ON CONFLICT (tenant_id, item_kind, item_id) DO UPDATE
SET owner_id = excluded.owner_id, subject_id = excluded.subject_id, stands = excluded.stands,
    text_hash = excluded.text_hash, analyser = excluded.analyser, terms = excluded.terms, sv = excluded.sv,
    unit = excluded.unit, session = excluded.session, said_at = excluded.said_at, place = excluded.place,
    role = excluded.role, speaker = excluded.speaker, words = excluded.words, asks = excluded.asks,
    length = excluded.length, starts = excluded.starts, ends = excluded.ends
-- The same again writes nothing: a memory that was only said once more is found by the same terms.
WHERE (lex.text_hash, lex.stands, lex.analyser, lex.sv, lex.unit, lex.session, lex.said_at, lex.place, lex.role,
       lex.speaker, lex.words, lex.asks, lex.length, lex.starts, lex.ends) IS DISTINCT FROM
      (excluded.text_hash, excluded.stands, excluded.analyser, excluded.sv, excluded.unit, excluded.session,
       excluded.said_at, excluded.place, excluded.role, excluded.speaker, excluded.words, excluded.asks,
       excluded.length, excluded.starts, excluded.ends);

-- name: set_lexical_stands
UPDATE lex SET stands = new.stands::tstzmultirange
FROM unnest(%(owner_ids)b::text[], %(stands)b::text[]) AS new (owner_id, stands)
WHERE lex.tenant_id = %(tenant_id)s AND lex.owner_id = new.owner_id;

-- name: delete_lexical
-- Gives the hashes of the texts that are gone, so that vectors that no text needs any more can follow.
DELETE FROM lex WHERE tenant_id = %(tenant_id)s AND owner_id = ANY(%(owner_ids)b) RETURNING text_hash;

-- name: delete_other_items
-- What is left of owners' former texts.
DELETE FROM lex
WHERE tenant_id = %(tenant_id)s AND owner_id = ANY(%(owner_ids)b)
  AND (item_id, text_hash) NOT IN (SELECT * FROM unnest(%(item_ids)b::text[], %(text_hashes)b::bytea[]))
RETURNING text_hash;

-- name: delete_vectors_without_text
DELETE FROM embeddings
WHERE tenant_id = %(tenant_id)s AND text_hash = ANY(%(text_hashes)b)
  AND NOT EXISTS (SELECT FROM lex
                  WHERE lex.tenant_id = embeddings.tenant_id AND lex.text_hash = embeddings.text_hash)
  AND NOT EXISTS (SELECT FROM passages
                  WHERE passages.tenant_id = embeddings.tenant_id AND passages.text_hash = embeddings.text_hash);

-- name: lexical_candidates
-- Filtered before ranked, and the number of texts and of those that hold a term are counted within the scope, so no
-- statistics cross from one scope into another. The idf is that of core/lexical (a test holds the two equal); a term
-- that no text holds counts as the rarest possible. Plans are custom, so an empty scope and an empty list of subjects
-- fall away. A long text is several items; the best of them speaks for its owner, and is looked up for the best owners
-- alone: to sort every text that shares a word would cost as much as to weigh it.
WITH scoped AS MATERIALIZED (
    SELECT item_kind, owner_id, item_id, CASE WHEN sv <#> %(asked)s::sparsevec < 0 THEN sv END AS sv
    FROM lex
    WHERE tenant_id = %(tenant_id)s
      AND (cardinality(%(scope)b::integer[]) = 0 OR terms @> %(scope)b::integer[])
      AND item_kind = ANY(%(item_kinds)b) AND stands @> %(now)s::timestamptz
      AND (cardinality(%(subject_ids)b::text[]) = 0 OR subject_id = ANY(%(subject_ids)b::text[]))
), counted AS (
    SELECT count(*) AS documents FROM scoped
), hits AS (
    SELECT item_kind, owner_id, item_id, sv FROM scoped WHERE sv IS NOT NULL
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
), weighed AS MATERIALIZED (
    SELECT item_kind, owner_id, item_id, sv <#> weights AS distance FROM hits, asked
), best AS MATERIALIZED (
    SELECT item_kind, owner_id, min(distance) AS distance
    FROM weighed
    GROUP BY item_kind, owner_id
    ORDER BY distance, item_kind, owner_id
    LIMIT %(limit)s
)
SELECT item_kind, owner_id, min(item_id) AS item_id, -distance AS bm25, ideal, documents
FROM best JOIN weighed USING (item_kind, owner_id, distance), asked, counted
GROUP BY item_kind, owner_id, distance, ideal, documents
ORDER BY bm25 DESC, item_kind, owner_id;

-- name: dense_candidates
-- Exact over the scope: every distance is computed before anything is ordered, since an approximate index that is
-- filtered afterwards loses what it should find. The sample for the floor is the texts with the smallest hashes, which
-- is random as to what they say and the same every time. It is looked at once: unfolded, it would be for every row.
WITH scoped AS MATERIALIZED (
    SELECT lex.item_kind, lex.owner_id, lex.item_id, lex.text_hash, embeddings.emb <=> %(vector)s::halfvec AS distance
    FROM lex
    JOIN embeddings ON embeddings.tenant_id = lex.tenant_id AND embeddings.model_id = %(model_id)s
                   AND embeddings.text_hash = lex.text_hash
    WHERE lex.tenant_id = %(tenant_id)s
      AND (cardinality(%(scope)b::integer[]) = 0 OR lex.terms @> %(scope)b::integer[])
      AND (cardinality(%(subject_ids)b::text[]) = 0 OR lex.subject_id = ANY(%(subject_ids)b::text[]))
      AND lex.item_kind = ANY(%(item_kinds)b) AND lex.stands @> %(now)s::timestamptz
), sample AS (
    SELECT distance FROM scoped ORDER BY text_hash, item_id LIMIT %(sample_size)s
), ground AS MATERIALIZED (
    SELECT 1 - max(distance) AS floor, count(*) AS sampled FROM sample
), ranked AS (
    SELECT item_kind, owner_id, item_id, distance,
           row_number() OVER (PARTITION BY item_kind, owner_id ORDER BY distance + 0, item_id) AS place
    FROM scoped
)
SELECT item_kind, owner_id, item_id, 1 - distance AS cosine, floor, sampled
FROM ranked, ground
WHERE place = 1
ORDER BY distance + 0, item_kind, owner_id
LIMIT %(limit)s;

-- name: cosines_of_items
-- What the dense leg says of items that another leg found, so that fusion need not count them as unlike.
SELECT lex.item_kind, lex.owner_id, 1 - min(embeddings.emb <=> %(vector)s::halfvec) AS cosine
FROM lex
JOIN embeddings ON embeddings.tenant_id = lex.tenant_id AND embeddings.model_id = %(model_id)s
               AND embeddings.text_hash = lex.text_hash
WHERE lex.tenant_id = %(tenant_id)s AND lex.owner_id = ANY(%(owner_ids)b)
  AND lex.item_kind = ANY(%(item_kinds)b) AND lex.stands @> %(now)s::timestamptz
GROUP BY lex.item_kind, lex.owner_id;

-- name: cosines_of_texts
SELECT text_hash, 1 - (emb <=> %(vector)s::halfvec) AS cosine
FROM embeddings
WHERE tenant_id = %(tenant_id)s AND model_id = %(model_id)s AND text_hash = ANY(%(text_hashes)b);

-- name: put_vectors
-- A text that went while it was embedded gets no vector: what was erased must not come back. The lock keeps an erasure
-- at the same moment from looking for vectors before this one is there.
INSERT INTO embeddings (tenant_id, model_id, text_hash, emb)
SELECT %(tenant_id)s, %(model_id)s, made.text_hash, made.vector::halfvec
FROM unnest(%(text_hashes)b::bytea[], %(vectors)b::text[]) AS made (text_hash, vector),
     LATERAL (SELECT FROM lex
              WHERE lex.tenant_id = %(tenant_id)s AND lex.text_hash = made.text_hash
              LIMIT 1 FOR SHARE) AS held
ON CONFLICT (tenant_id, model_id, text_hash) DO NOTHING;

-- name: put_passage_vectors
-- The same for texts that passages of documents hold.
INSERT INTO embeddings (tenant_id, model_id, text_hash, emb)
SELECT %(tenant_id)s, %(model_id)s, made.text_hash, made.vector::halfvec
FROM unnest(%(text_hashes)b::bytea[], %(vectors)b::text[]) AS made (text_hash, vector),
     LATERAL (SELECT FROM passages
              WHERE passages.tenant_id = %(tenant_id)s AND passages.text_hash = made.text_hash
              LIMIT 1 FOR SHARE) AS held
ON CONFLICT (tenant_id, model_id, text_hash) DO NOTHING;

-- name: vectors_missing
-- Live memories first, then other memories, then episodes; within these by hash, so that no late text starves another.
SELECT text_hash, item_kind, owner_id, item_id
FROM (SELECT DISTINCT ON (text_hash) text_hash, item_kind, owner_id, item_id,
                                        stands = '{}'::tstzmultirange AS retired
      FROM lex
      WHERE tenant_id = %(tenant_id)s
        AND NOT EXISTS (SELECT FROM embeddings
                        WHERE embeddings.tenant_id = lex.tenant_id AND embeddings.model_id = %(model_id)s
                          AND embeddings.text_hash = lex.text_hash)
      ORDER BY text_hash, item_kind = 'memory' DESC, stands = '{}'::tstzmultirange, item_id) AS missing
ORDER BY item_kind = 'memory' DESC, retired, text_hash
LIMIT %(limit)s;

-- name: count_vectors_missing
-- Of some subjects, or of all where none is named.
SELECT count(DISTINCT text_hash) AS outstanding
FROM lex
WHERE tenant_id = %(tenant_id)s
  AND (cardinality(%(subject_ids)b::text[]) = 0 OR subject_id = ANY(%(subject_ids)b::text[]))
  AND NOT EXISTS (SELECT FROM embeddings
                  WHERE embeddings.tenant_id = lex.tenant_id AND embeddings.model_id = %(model_id)s
                    AND embeddings.text_hash = lex.text_hash);

-- name: vector_models
-- One step a model along the key, not one a vector.
WITH RECURSIVE models AS (
    (SELECT model_id, vector_dims(emb) AS dimensions FROM embeddings
     WHERE tenant_id = %(tenant_id)s ORDER BY model_id LIMIT 1)
    UNION ALL
    SELECT after.model_id, after.dimensions
    FROM models, LATERAL (SELECT model_id, vector_dims(emb) AS dimensions FROM embeddings
                          WHERE tenant_id = %(tenant_id)s AND model_id > models.model_id
                          ORDER BY model_id LIMIT 1) AS after
)
SELECT model_id, dimensions FROM models ORDER BY model_id;

-- name: delete_vectors_of_model
DELETE FROM embeddings WHERE tenant_id = %(tenant_id)s AND model_id = %(model_id)s;

-- name: owners_of_other_form
-- Episodes with rows that another version wrote, or that wrote no turns yet, page by page.
SELECT DISTINCT owner_id FROM lex
WHERE tenant_id = %(tenant_id)s AND item_kind = 'episode' AND analyser <> %(form)s AND owner_id > %(after)s
ORDER BY owner_id
LIMIT %(limit)s;

-- name: count_other_analysers
-- Rows that another analyser's version made; they are to be written again before they answer well.
SELECT count(*) AS outdated FROM lex WHERE tenant_id = %(tenant_id)s AND analyser <> %(analyser)s;
