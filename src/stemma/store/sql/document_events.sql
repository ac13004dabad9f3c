-- The event log: one row an id for ever, whatever became of the document.

-- name: events_by_key
SELECT event_key, status, payload_hash, document_id FROM document_events
WHERE tenant_id = %(tenant_id)s AND event_key = ANY(%(event_keys)b);

-- name: put_event
-- An applied id keeps its row; any other may come again, and the same again writes nothing.
INSERT INTO document_events (tenant_id, event_key, event_id, corpus_id, corpus, external_id, op, position, occurred_at,
                             payload_hash, status, document_id, note, error_code, error_detail, place, recorded_at)
VALUES (%(tenant_id)s, %(event_key)s, %(event_id)s, %(corpus_id)s, %(corpus)s, %(external_id)s, %(op)s, %(position)s,
        %(occurred_at)s, %(payload_hash)s, %(status)s, %(document_id)s, %(note)s, %(error_code)s, %(error_detail)s,
        %(place)s, %(recorded_at)s)
ON CONFLICT (tenant_id, event_key) DO UPDATE
SET corpus_id = excluded.corpus_id, corpus = excluded.corpus, external_id = excluded.external_id, op = excluded.op,
    position = excluded.position, occurred_at = excluded.occurred_at, payload_hash = excluded.payload_hash,
    status = excluded.status, document_id = excluded.document_id, note = excluded.note,
    error_code = excluded.error_code, error_detail = excluded.error_detail, place = excluded.place,
    recorded_at = excluded.recorded_at
WHERE document_events.status <> 'applied'
  AND (document_events.payload_hash, document_events.status, document_events.error_code) IS DISTINCT FROM
      (excluded.payload_hash, excluded.status, excluded.error_code);

-- name: export_document_events
SELECT event_id, corpus, external_id, op, position, occurred_at, payload_hash, status, document_id, note, error_code,
       error_detail, place, recorded_at
FROM document_events
WHERE tenant_id = %(tenant_id)s
ORDER BY event_key;

-- name: event_rows_by_key
SELECT event_key, event_id, corpus, external_id, op, position, occurred_at, payload_hash, status, document_id, note,
       error_code, error_detail, place, recorded_at
FROM document_events
WHERE tenant_id = %(tenant_id)s AND event_key = ANY(%(event_keys)b);

-- name: replace_event
INSERT INTO document_events (tenant_id, event_key, event_id, corpus_id, corpus, external_id, op, position, occurred_at,
                             payload_hash, status, document_id, note, error_code, error_detail, place, recorded_at)
VALUES (%(tenant_id)s, %(event_key)s, %(event_id)s, %(corpus_id)s, %(corpus)s, %(external_id)s, %(op)s, %(position)s,
        %(occurred_at)s, %(payload_hash)s, %(status)s, %(document_id)s, %(note)s, %(error_code)s, %(error_detail)s,
        %(place)s, %(recorded_at)s)
ON CONFLICT (tenant_id, event_key) DO UPDATE
SET corpus_id = excluded.corpus_id, corpus = excluded.corpus, external_id = excluded.external_id, op = excluded.op,
    position = excluded.position, occurred_at = excluded.occurred_at, payload_hash = excluded.payload_hash,
    status = excluded.status, document_id = excluded.document_id, note = excluded.note,
    error_code = excluded.error_code, error_detail = excluded.error_detail, place = excluded.place,
    recorded_at = excluded.recorded_at;

-- name: forget_names_in_events
-- The row and its id outlive the document; what the document was called does not outlive its erasure.
UPDATE document_events SET external_id = '', error_detail = NULL
WHERE tenant_id = %(tenant_id)s AND corpus_id = %(corpus_id)s AND external_id = %(external_id)s;

-- name: events_of_corpus
SELECT event_key, event_id, corpus, external_id, op, position, occurred_at, status, document_id, note, error_code,
       error_detail, place, recorded_at
FROM document_events
WHERE tenant_id = %(tenant_id)s AND corpus_id = %(corpus_id)s
  AND (recorded_at, place, event_key) > (%(after_at)s, %(after_place)s, %(after_key)s)
ORDER BY recorded_at, place, event_key
LIMIT %(limit)s;
