-- Corpora, what each document is now, and everything that it ever said.

-- name: hold_documents
-- Writers of documents take turns, so that two near copies arriving at once see one another.
SELECT pg_advisory_xact_lock(%(key)s);

-- name: corpora_by_id
SELECT corpus_id, name, is_live, recorded_at, changed_at FROM corpora
WHERE tenant_id = %(tenant_id)s AND corpus_id = ANY(%(corpus_ids)b);

-- name: live_corpora
SELECT c.corpus_id, c.name, c.recorded_at,
       (SELECT count(*) FROM documents d
        WHERE d.tenant_id = c.tenant_id AND d.corpus_id = c.corpus_id AND d.revision IS NOT NULL) AS documents
FROM corpora c
WHERE c.tenant_id = %(tenant_id)s AND c.is_live AND c.name > %(after)s
ORDER BY c.name
LIMIT %(limit)s;

-- name: corpora_to_search
-- Those of some corpora, or of all, that are there. Under a filter what follows is planned once and not for each search: its
-- plan hangs on no value, and planning it costs a fourth of it.
SELECT corpus_id, set_config('plan_cache_mode', %(planning)s, true) AS planning
FROM corpora
WHERE tenant_id = %(tenant_id)s AND is_live AND (%(every)s::boolean OR corpus_id = ANY(%(corpus_ids)b::text[]))
ORDER BY corpus_id;

-- name: put_corpus
INSERT INTO corpora (tenant_id, corpus_id, name, is_live, recorded_at, changed_at)
VALUES (%(tenant_id)s, %(corpus_id)s, %(name)s, %(is_live)s, %(recorded_at)s, %(changed_at)s)
ON CONFLICT (tenant_id, corpus_id) DO UPDATE
SET is_live = excluded.is_live, recorded_at = excluded.recorded_at, changed_at = excluded.changed_at;

-- name: documents_by_id
SELECT document_id, corpus_id, corpus, external_id, revision, title, uri, metadata, derived_from, position, origin_id,
       recorded_at, changed_at, revised_at
FROM documents
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)b)
ORDER BY document_id;

-- name: documents_of_corpus
-- By the name that its source gave it; a corpus is listed by people, and rarely.
SELECT document_id, corpus_id, corpus, external_id, revision, title, uri, metadata, derived_from, position, origin_id,
       recorded_at, changed_at, revised_at
FROM documents
WHERE tenant_id = %(tenant_id)s AND corpus_id = %(corpus_id)s AND revision IS NOT NULL AND external_id > %(after)s
ORDER BY external_id
LIMIT %(limit)s;

-- name: page_of_documents
SELECT document_id, corpus_id, corpus, external_id, revision, title, uri, metadata, derived_from, position, origin_id,
       recorded_at, changed_at, revised_at
FROM documents
WHERE tenant_id = %(tenant_id)s AND document_id > %(after)s
ORDER BY document_id
LIMIT %(limit)s;

-- name: export_corpora
SELECT name, is_live, recorded_at, changed_at FROM corpora WHERE tenant_id = %(tenant_id)s ORDER BY corpus_id;

-- name: export_document_revisions
SELECT d.corpus, d.external_id, r.revision, r.text, r.reading, r.title, r.uri, r.metadata, r.recorded_at
FROM document_revisions r
JOIN documents d ON d.tenant_id = r.tenant_id AND d.document_id = r.document_id
WHERE r.tenant_id = %(tenant_id)s
ORDER BY r.document_id, r.revision;

-- name: export_documents
SELECT corpus, external_id, revision, title, uri, metadata, derived_from, position, recorded_at, changed_at, revised_at
FROM documents
WHERE tenant_id = %(tenant_id)s
ORDER BY document_id;

-- name: put_document
INSERT INTO documents (tenant_id, document_id, corpus_id, corpus, external_id, revision, title, uri, metadata,
                       derived_from, position, origin_id, recorded_at, changed_at, revised_at)
VALUES (%(tenant_id)s, %(document_id)s, %(corpus_id)s, %(corpus)s, %(external_id)s, %(revision)s, %(title)s, %(uri)s,
        %(metadata)s, %(derived_from)s, %(position)s, %(origin_id)s, %(recorded_at)s, %(changed_at)s, %(revised_at)s)
ON CONFLICT (tenant_id, document_id) DO UPDATE
SET revision = excluded.revision, title = excluded.title, uri = excluded.uri, metadata = excluded.metadata,
    derived_from = excluded.derived_from, position = excluded.position, recorded_at = excluded.recorded_at,
    changed_at = excluded.changed_at, revised_at = excluded.revised_at;

-- name: put_document_revision
-- A content stays as it was first recorded, with what it was called then; another log may have recorded it earlier.
INSERT INTO document_revisions (tenant_id, document_id, revision, text, reading, title, uri, metadata, recorded_at)
VALUES (%(tenant_id)s, %(document_id)s, %(revision)s, %(text)s, %(reading)s, %(title)s, %(uri)s, %(metadata)s,
        %(recorded_at)s)
ON CONFLICT (tenant_id, document_id, revision) DO UPDATE
SET title = excluded.title, uri = excluded.uri, metadata = excluded.metadata, recorded_at = excluded.recorded_at
WHERE excluded.recorded_at < document_revisions.recorded_at
   OR (excluded.recorded_at = document_revisions.recorded_at
       AND (document_revisions.title, document_revisions.uri, document_revisions.metadata) IS DISTINCT FROM
           (excluded.title, excluded.uri, excluded.metadata));

-- name: document_revision
SELECT revision, text, reading, title, uri, metadata, recorded_at FROM document_revisions
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND revision = %(revision)s;

-- name: known_document_revisions
SELECT document_id, revision FROM document_revisions
WHERE tenant_id = %(tenant_id)s
  AND (document_id, revision) IN (SELECT * FROM unnest(%(document_ids)b::text[], %(revisions)b::text[]));

-- name: names_of_revisions
SELECT revision, recorded_at FROM document_revisions
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
ORDER BY recorded_at, revision;

-- name: spans_of_texts
SELECT w.number, substr(r.text, w.text_start + 1, w.text_end - w.text_start) AS text
FROM unnest(%(document_ids)b::text[], %(revisions)b::text[], %(starts)b::integer[], %(ends)b::integer[])
     WITH ORDINALITY AS w (document_id, revision, text_start, text_end, number)
JOIN document_revisions r
  ON r.tenant_id = %(tenant_id)s AND r.document_id = w.document_id AND r.revision = w.revision
ORDER BY w.number;

-- name: texts_of_documents
-- Every content of some documents, the present one marked: what a memory that was learned from them is held against.
SELECT r.document_id, r.revision, r.text, r.revision = d.revision AS present
FROM document_revisions r
JOIN documents d ON d.tenant_id = r.tenant_id AND d.document_id = r.document_id
WHERE r.tenant_id = %(tenant_id)s AND r.document_id = ANY(%(document_ids)b)
  AND (%(earlier)s::boolean OR r.revision = d.revision);

-- name: mark_learned_from
-- What was learned from a document has something new.
INSERT INTO dirty (tenant_id, subject_id, group_id)
SELECT DISTINCT e.tenant_id, e.subject_id, e.group_id
FROM episodes e
JOIN unnest(%(corpora)b::text[], %(external_ids)b::text[]) AS n (corpus, external_id)
  ON e.document_digest = md5(n.corpus || E'\x1f' || n.external_id)
 AND e.document_corpus = n.corpus AND e.document_external_id = n.external_id
WHERE e.tenant_id = %(tenant_id)s;

-- name: episodes_learned_from
SELECT subject_id, episode_id FROM episodes
WHERE tenant_id = %(tenant_id)s AND document_digest = md5(%(corpus)s || E'\x1f' || %(external_id)s)
  AND document_corpus = %(corpus)s AND document_external_id = %(external_id)s
ORDER BY subject_id, episode_id;

-- name: tags_of_document
SELECT tag FROM document_tags WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;

-- name: put_document_tags
INSERT INTO document_tags (tenant_id, corpus_id, tag, document_id)
SELECT %(tenant_id)s, %(corpus_id)s, t, %(document_id)s FROM unnest(%(tags)b::text[]) AS t
ON CONFLICT DO NOTHING;

-- name: delete_document_tags
DELETE FROM document_tags WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;

-- name: erase_document
DELETE FROM documents WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;

-- name: erase_document_revisions
DELETE FROM document_revisions WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
