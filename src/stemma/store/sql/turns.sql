-- What was said, found turn by turn: words, vectors, neighbours, sessions and dates in one pass over a subject's rows.

-- name: without_nested_loops
-- The planner takes what a search keeps on the way for one row and would walk it once for each other row.
SELECT set_config('enable_nestloop', 'off', true);

-- name: with_nested_loops
SELECT set_config('enable_nestloop', 'on', true);

-- name: turn_candidates
-- One row a unit (a message, or an episode without any): its own scores, and with its neighbours' shares within the
-- session. Turns are numbered in their order, so a neighbour is a number away and nothing has to be written again when
-- the next one comes. Only those sessions are put in order that may come into the answer, and those that the floor is
-- drawn from, by their names, which are hashes. How often a session holds a term is read back from the rows' weights,
-- so no session has a row of its own. Statistics are those of the scope. A row of an older form is a session of its own.
WITH scoped AS MATERIALIZED (
    SELECT lex.ctid AS row, left(coalesce(lex.session, lex.unit, lex.owner_id), 32) AS session,
           CASE WHEN lex.session IS NOT NULL THEN lex.said_at END AS said_at, coalesce(lex.place, 0) AS place,
           left(lex.owner_id, 16) AS owner, CASE WHEN lex.speaker && %(query)b::integer[] THEN lex.speaker END AS named,
           coalesce(lex.length, 0) AS length,
           CASE WHEN %(model_id)s::text IS NOT NULL THEN lex.text_hash END AS text_hash,
           (SELECT 1 - (embeddings.emb <=> %(vector)s::halfvec) FROM embeddings
            WHERE embeddings.tenant_id = lex.tenant_id AND embeddings.model_id = %(model_id)s
              AND embeddings.text_hash = lex.text_hash) AS cosine,
           CASE WHEN lex.sv <#> %(asked)s::sparsevec < 0 THEN lex.sv END AS sv
    FROM lex
    WHERE lex.tenant_id = %(tenant_id)s AND lex.item_kind = 'episode'
      AND lex.subject_id = ANY(%(subject_ids)b::text[]) AND lex.stands @> %(now)s::timestamptz
), counted AS (
    SELECT count(*) AS documents FROM scoped
), named AS MATERIALIZED (
    SELECT term, ('{' || term || ':1}/1000000000')::sparsevec AS alone, term = ANY(%(dates)b::integer[]) AS is_date
    FROM unnest(%(query)b::integer[] || %(dates)b::integer[]) AS term
), held AS MATERIALIZED (
    SELECT session, length, term, is_date, -(sv <#> alone) AS weight
    FROM scoped JOIN named ON sv <#> alone < 0
    WHERE sv IS NOT NULL
), names AS (
    SELECT array_agg(DISTINCT term) AS terms
    FROM (SELECT DISTINCT named FROM scoped WHERE named IS NOT NULL) AS voices, unnest(voices.named) AS term
), worth AS MATERIALIZED (
    SELECT term, is_date, term = ANY(coalesce(terms, '{}')) AS is_name,
           ln(1 + (documents - coalesce(holding, 0) + 0.5)::float8 / (coalesce(holding, 0) + 0.5)) AS idf
    FROM named LEFT JOIN (SELECT term, count(*) AS holding FROM held GROUP BY term) AS h USING (term), counted, names
), asked AS MATERIALIZED (
    SELECT ('{' || coalesce(string_agg(term || ':' || idf, ',' ORDER BY term) FILTER (WHERE NOT is_date), '')
            || '}/1000000000')::sparsevec AS words,
           ('{' || coalesce(string_agg(term || ':' || idf, ',' ORDER BY term) FILTER (WHERE is_date), '')
            || '}/1000000000')::sparsevec AS dates,
           ('{' || coalesce(string_agg(term || ':' || idf, ',' ORDER BY term)
                            FILTER (WHERE NOT (is_date OR is_name)), '') || '}/1000000000')::sparsevec AS free,
           string_agg(term || ':' || idf, ',' ORDER BY term) FILTER (WHERE NOT is_date) AS worth,
           bool_or(is_date) AS has_dates, bool_or(is_name) AS has_names
    FROM worth
), found AS MATERIALIZED (
    SELECT row, session, -(sv <#> (SELECT words FROM asked)) AS bm25,
           CASE WHEN (SELECT has_dates FROM asked) THEN -(sv <#> (SELECT dates FROM asked)) ELSE 0 END AS dated,
           CASE WHEN (SELECT has_names FROM asked) THEN -(sv <#> (SELECT free FROM asked)) ELSE 0 END AS free
    FROM scoped WHERE sv IS NOT NULL
), sessions AS MATERIALIZED (
    SELECT session, sum(length) AS length, count(cosine) AS near, sum(count(cosine)) OVER (ORDER BY session) AS upto
    FROM scoped GROUP BY session
), span AS (
    SELECT count(*) AS sessions, greatest(avg(length), 1) AS mean FROM sessions
), tellings AS MATERIALIZED (
    SELECT session, term, sum(weight * %(k1)s * (1 - %(b)s + %(b)s * length / %(average)s)
                              / greatest(%(k1)s + 1 - weight, 1e-6)) AS times
    FROM held WHERE NOT is_date
    GROUP BY session, term
), session_scores AS MATERIALIZED (
    SELECT session, told, row_number() OVER (ORDER BY told DESC, session) AS nth
    FROM (SELECT session, sum(idf * times * (%(session_k1)s + 1) / (times + %(session_k1)s
                              * (1 - %(session_b)s + %(session_b)s * sessions.length / mean)))::float8 AS told
          FROM tellings
          JOIN (SELECT term, ln(1 + (sessions - count(*) + 0.5)::float8 / (count(*) + 0.5)) AS idf
                FROM tellings, span GROUP BY term, sessions) AS session_worth USING (term)
          JOIN sessions USING (session), span
          GROUP BY session) AS sums
), best_rows AS MATERIALIZED (
    (SELECT row, session FROM found WHERE bm25 > 0 ORDER BY bm25 DESC, row LIMIT %(limit)s)
    UNION
    (SELECT row, session FROM scoped WHERE cosine IS NOT NULL ORDER BY cosine DESC, row LIMIT %(limit)s)
    UNION
    (SELECT row, session FROM found WHERE dated > 0 ORDER BY dated DESC, bm25 DESC, row LIMIT %(limit)s)
), drawn AS MATERIALIZED (
    SELECT session FROM sessions WHERE near > 0 AND upto - near < %(sample_size)s
), placed AS MATERIALIZED (
    SELECT row, session, text_hash, cosine, sv,
           dense_rank() OVER (ORDER BY session, said_at, place, owner) AS turn,
           session = ANY(ARRAY(SELECT session FROM drawn)) AS is_drawn
    FROM scoped
    WHERE session = ANY(ARRAY(SELECT session FROM best_rows UNION SELECT session FROM drawn
                              UNION SELECT session FROM session_scores WHERE nth <= %(sessions_whole)s))
), hits AS MATERIALIZED (
    SELECT turn, placed.session, max(bm25) AS bm25, max(dated) AS dated, max(free) AS free
    FROM placed JOIN found USING (row)
    GROUP BY turn, placed.session
), near AS MATERIALIZED (
    SELECT DISTINCT ON (turn) turn, session, cosine, text_hash FROM placed WHERE cosine IS NOT NULL
    ORDER BY turn, cosine DESC, text_hash
), sample AS MATERIALIZED (
    SELECT DISTINCT turn, session FROM placed WHERE is_drawn AND cosine IS NOT NULL
), chosen AS MATERIALIZED (
    SELECT turn + step AS turn, session
    FROM (SELECT DISTINCT turn, placed.session FROM placed JOIN best_rows USING (row)) AS leads,
         unnest(ARRAY[-1, 0, 1, 2]) AS step
    UNION
    (SELECT DISTINCT turn, session FROM placed
     WHERE session = ANY(ARRAY(SELECT session FROM session_scores WHERE nth <= %(sessions_whole)s))
     ORDER BY turn LIMIT %(limit)s)
-- In single precision: half of it calls a small part of a small share an error.
), shares AS MATERIALIZED (
    SELECT step, share, array_fill(mixed::real, ARRAY[coalesce(vector_dims(%(vector)s::halfvec::vector), 1)])::vector AS mixed
    FROM (VALUES (0, 1.0::float8, 1.0::float8), (-1, %(before)s, %(mixed_before)s), (1, %(after)s, %(mixed_after)s),
                 (-2, %(second)s, %(mixed_second)s)) AS listed (step, share, mixed)
), wanted AS MATERIALIZED (
    SELECT turn, session FROM chosen UNION SELECT turn, session FROM sample
), words_beside AS (
    SELECT wanted.turn, wanted.session, sum(bm25 * share ORDER BY step) AS shared,
           max(bm25) FILTER (WHERE step = -1) AS preceding,
           max(bm25) FILTER (WHERE step = 0) AS bm25, max(dated) FILTER (WHERE step = 0) AS dated,
           max(free) FILTER (WHERE step = 0) AS free
    FROM wanted CROSS JOIN shares JOIN hits ON hits.turn = wanted.turn + step AND hits.session = wanted.session
    GROUP BY wanted.turn, wanted.session
), vectors_beside AS (
    SELECT wanted.turn, wanted.session, max(cosine) FILTER (WHERE step = 0) AS cosine,
           sum((SELECT emb::vector FROM embeddings
                WHERE embeddings.tenant_id = %(tenant_id)s AND embeddings.model_id = %(model_id)s
                  AND embeddings.text_hash = near.text_hash) * mixed ORDER BY step) AS mixture
    FROM wanted CROSS JOIN shares JOIN near ON near.turn = wanted.turn + step AND near.session = wanted.session
    GROUP BY wanted.turn, wanted.session
), measured AS MATERIALIZED (
    SELECT turn, session, bm25, shared, preceding, dated, free, cosine,
           CASE WHEN cosine IS NOT NULL THEN 1 - (mixture <=> %(vector)s::halfvec::vector) END AS mixed
    FROM words_beside FULL JOIN vectors_beside USING (turn, session)
), ground AS MATERIALIZED (
    SELECT min(mixed) AS floor, min(cosine) AS plain_floor, count(*) AS sampled FROM sample JOIN measured USING (turn, session)
), parts AS MATERIALIZED (
    SELECT placed.* FROM placed JOIN chosen USING (turn, session)
)
SELECT DISTINCT ON (parts.turn)
       coalesce(unit, owner_id) AS unit, owner_id, item_id, parts.session, lex.said_at,
       coalesce(lex.place, 0) AS place, role, speaker, coalesce(words, 0) AS words, coalesce(asks, false) AS asks,
       starts, ends, coalesce(measured.bm25, 0) AS bm25, coalesce(shared, 0) AS shared,
       coalesce(preceding, 0) AS preceding, coalesce(dated, 0) AS dated, coalesce(free, 0) AS free,
       coalesce(told, 0) AS told, measured.cosine, mixed, ground.floor, ground.plain_floor, ground.sampled,
       CASE WHEN row_number() OVER by_turn = 1 THEN (SELECT worth FROM asked) END AS worth
FROM parts
JOIN lex ON lex.tenant_id = %(tenant_id)s AND lex.ctid = parts.row AND lex.ctid = ANY(ARRAY(SELECT row FROM parts))
LEFT JOIN measured ON measured.turn = parts.turn AND measured.session = parts.session
LEFT JOIN session_scores ON session_scores.session = parts.session, ground
WINDOW by_turn AS (ORDER BY parts.turn, parts.sv <#> (SELECT words FROM asked), parts.cosine DESC NULLS LAST, item_id)
ORDER BY parts.turn, parts.sv <#> (SELECT words FROM asked), parts.cosine DESC NULLS LAST, item_id;

-- name: mixed_cosines
-- The same mixing for vectors that are named, a row each with its share; a text without a vector has no part in it.
SELECT unit, 1 - (sum(emb::vector * array_fill(share::real, ARRAY[vector_dims(emb)])::vector ORDER BY step)
                  <=> %(vector)s::halfvec::vector) AS mixed
FROM unnest(%(units)b::text[], %(steps)b::integer[], %(shares)b::float8[], %(text_hashes)b::bytea[])
     AS parts (unit, step, share, text_hash)
JOIN embeddings ON embeddings.tenant_id = %(tenant_id)s AND embeddings.model_id = %(model_id)s
               AND embeddings.text_hash = parts.text_hash
GROUP BY unit;

-- name: turn_frequencies
-- In how many of a sample of the scope's passages each term stands; the smallest hashes are random as to what they say.
SELECT term, count(*) AS holding
FROM (SELECT terms FROM lex
      WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND item_kind = 'episode'
        AND stands @> %(now)s::timestamptz
      ORDER BY text_hash, item_id LIMIT %(sample_size)s) AS sample, unnest(sample.terms) AS term
WHERE term = ANY(%(asked)b::integer[])
GROUP BY term;

-- name: turn_sample
SELECT count(*) AS documents
FROM (SELECT FROM lex
      WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND item_kind = 'episode'
        AND stands @> %(now)s::timestamptz
      LIMIT %(sample_size)s) AS sample;
