-- What was said, found turn by turn: words, vectors, neighbours, sessions and dates in one pass over a subject's rows.

-- name: without_nested_loops
-- The planner takes what a search keeps on the way for one row and would walk it once for each other row.
SELECT set_config('enable_nestloop', 'off', true);

-- name: with_nested_loops
SELECT set_config('enable_nestloop', 'on', true);

-- name: turn_candidates
-- One row a unit (a message, or an episode without any): its own scores, and with its neighbours' shares within the
-- session, which the window takes from the plain ones, so that nothing has to be written again when the next turn comes.
-- The length of a mixed vector is that of parts as like one another as any two texts (`likeness`). How often a session
-- holds a term is read back from the rows' weights, so no session has a row of its own. Statistics are those of the
-- scope. A row of an older form is a session of its own.
WITH scoped AS MATERIALIZED (
    SELECT coalesce(lex.unit, lex.owner_id) AS unit, lex.owner_id, lex.item_id,
           coalesce(lex.session, lex.unit, lex.owner_id) AS session, lex.said_at, coalesce(lex.place, 0) AS place,
           lex.role, lex.speaker, coalesce(lex.words, 0) AS words, coalesce(lex.asks, false) AS asks,
           coalesce(lex.length, 0) AS length, lex.starts, lex.ends,
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
    FROM (SELECT DISTINCT speaker FROM scoped WHERE speaker && %(query)b::integer[]) AS voices, unnest(speaker) AS term
), worth AS MATERIALIZED (
    SELECT term, is_date, term = ANY(coalesce(terms, '{}')) AS is_name,
           ln(1 + (documents - coalesce(holding, 0) + 0.5)::float8 / (coalesce(holding, 0) + 0.5)) AS idf
    FROM named LEFT JOIN (SELECT term, count(*) AS holding FROM held GROUP BY term) AS h USING (term), counted, names
), asked AS MATERIALIZED (
    SELECT ('{' || coalesce(string_agg(term || ':' || idf, ',' ORDER BY term) FILTER (WHERE NOT is_date), '')
            || '}/1000000000')::sparsevec AS words,
           ('{' || coalesce(string_agg(term || ':' || idf, ',' ORDER BY term) FILTER (WHERE is_date), '')
            || '}/1000000000')::sparsevec AS dates,
           ('{' || coalesce(string_agg(term || ':' || idf, ',' ORDER BY term) FILTER (WHERE NOT (is_date OR is_name)), '')
            || '}/1000000000')::sparsevec AS free,
           string_agg(term || ':' || idf, ',' ORDER BY term) FILTER (WHERE NOT is_date) AS worth
    FROM worth
), scored AS MATERIALIZED (
    SELECT unit, owner_id, item_id, session, said_at, place, role, speaker, words, asks, starts, ends,
           coalesce(-(sv <#> (SELECT words FROM asked)), 0) AS bm25,
           coalesce(-(sv <#> (SELECT dates FROM asked)), 0) AS dated,
           coalesce(-(sv <#> (SELECT free FROM asked)), 0) AS free,
           cosine, row_number() OVER (PARTITION BY unit ORDER BY sv <#> (SELECT words FROM asked), cosine DESC NULLS LAST, item_id) AS nth,
           max(cosine) OVER (PARTITION BY unit) AS nearest
    FROM scoped
), around AS MATERIALIZED (
    SELECT unit, owner_id, item_id, session, said_at, place, role, speaker, words, asks, starts, ends, bm25, dated, free,
           nearest AS cosine,
           bm25 + %(before)s * lag(bm25, 1, 0) OVER told_in + %(after)s * lead(bm25, 1, 0) OVER told_in
               + %(second)s * lag(bm25, 2, 0) OVER told_in AS shared,
           lag(nearest) OVER told_in AS near_before, lead(nearest) OVER told_in AS near_after,
           lag(nearest, 2) OVER told_in AS near_second
    FROM scored
    WHERE nth = 1
    WINDOW told_in AS (PARTITION BY session ORDER BY said_at, place, unit)
), summed AS (
    SELECT *,
           cosine + %(mixed_before)s * coalesce(near_before, 0) + %(mixed_after)s * coalesce(near_after, 0)
               + %(mixed_second)s * coalesce(near_second, 0) AS sum_near,
           1 + CASE WHEN near_before IS NULL THEN 0 ELSE %(mixed_before)s END
               + CASE WHEN near_after IS NULL THEN 0 ELSE %(mixed_after)s END
               + CASE WHEN near_second IS NULL THEN 0 ELSE %(mixed_second)s END AS parts,
           1 + CASE WHEN near_before IS NULL THEN 0 ELSE %(mixed_before)s * %(mixed_before)s END
               + CASE WHEN near_after IS NULL THEN 0 ELSE %(mixed_after)s * %(mixed_after)s END
               + CASE WHEN near_second IS NULL THEN 0 ELSE %(mixed_second)s * %(mixed_second)s END AS squares
    FROM around
), spoken AS (
    SELECT session, sum(length) AS length FROM scoped GROUP BY session
), span AS (
    SELECT count(*) AS sessions, greatest(avg(length), 1) AS mean FROM spoken
), tellings AS MATERIALIZED (
    SELECT session, term, sum(weight * %(k1)s * (1 - %(b)s + %(b)s * length / %(average)s)
                              / greatest(%(k1)s + 1 - weight, 1e-6)) AS times
    FROM held WHERE NOT is_date
    GROUP BY session, term
), session_worth AS (
    SELECT term, ln(1 + (sessions - count(*) + 0.5)::float8 / (count(*) + 0.5)) AS idf
    FROM tellings, span GROUP BY term, sessions
), session_scores AS MATERIALIZED (
    SELECT session, told, row_number() OVER (ORDER BY told DESC, session) AS place_of_session
    FROM (SELECT session, sum(idf * times * (%(session_k1)s + 1) / (times + %(session_k1)s
                              * (1 - %(session_b)s + %(session_b)s * spoken.length / mean)))::float8 AS told
          FROM tellings JOIN session_worth USING (term) JOIN spoken USING (session), span
          GROUP BY session) AS sums
), measured AS MATERIALIZED (
    SELECT summed.*, coalesce(told, 0) AS told, place_of_session,
           sum_near / sqrt((1 - %(likeness)s) * squares + %(likeness)s * parts * parts) AS mixed
    FROM summed LEFT JOIN session_scores USING (session)
), ground AS MATERIALIZED (
    SELECT min(mixed) AS floor, count(*) AS sampled
    FROM (SELECT mixed FROM measured WHERE mixed IS NOT NULL ORDER BY md5(unit), unit LIMIT %(sample_size)s) AS sample
), bounds AS MATERIALIZED (
    SELECT (SELECT min(shared) FROM (SELECT shared FROM measured WHERE shared > 0 ORDER BY shared DESC LIMIT %(limit)s) AS a) AS shared,
           (SELECT min(mixed) FROM (SELECT mixed FROM measured WHERE mixed IS NOT NULL ORDER BY mixed DESC LIMIT %(limit)s) AS b) AS mixed,
           (SELECT min(dated) FROM (SELECT dated FROM measured WHERE dated > 0 ORDER BY dated DESC LIMIT %(limit)s) AS c) AS dated
)
SELECT unit, owner_id, item_id, session, said_at, place, role, speaker, words, asks, starts, ends, bm25, shared, dated,
       free, told, cosine, mixed, ground.floor, ground.sampled,
       CASE WHEN row_number() OVER (ORDER BY unit) = 1 THEN (SELECT worth FROM asked) END AS worth
FROM (SELECT measured.* FROM measured, bounds
      WHERE (measured.shared > 0 AND measured.shared >= bounds.shared) OR measured.mixed >= bounds.mixed
         OR (measured.dated > 0 AND measured.dated >= bounds.dated) OR place_of_session <= %(sessions_whole)s
      ORDER BY place_of_session, measured.shared DESC, measured.unit
      LIMIT 5 * %(limit)s) AS chosen, ground
ORDER BY unit;
