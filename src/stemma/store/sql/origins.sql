-- Which documents share an origin: signatures, bands, links. What makes an origin is `core/origins`'s.

-- name: put_document_signature
INSERT INTO document_signatures (tenant_id, document_id, signature)
VALUES (%(tenant_id)s, %(document_id)s, %(signature)s)
ON CONFLICT (tenant_id, document_id) DO UPDATE SET signature = excluded.signature;

-- name: put_document_bands
INSERT INTO document_bands (tenant_id, band, document_id)
SELECT %(tenant_id)s, b, %(document_id)s FROM unnest(%(bands)b::bigint[]) AS b
ON CONFLICT DO NOTHING;

-- name: delete_document_signature
DELETE FROM document_signatures WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;

-- name: delete_document_bands
DELETE FROM document_bands WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;

-- name: texts_that_may_be_copies
-- Texts that share enough bands: one sentence that a thousand documents have in common makes no candidate of them. One
-- row a text: of a thousand documents that say the same, one speaks.
WITH near AS (
    SELECT document_id FROM document_bands
    WHERE tenant_id = %(tenant_id)s AND band = ANY(%(bands)b::bigint[])
    GROUP BY document_id
    HAVING count(*) >= %(least)s
)
SELECT DISTINCT ON (d.revision) d.revision, s.signature
FROM near
JOIN document_signatures s ON s.tenant_id = %(tenant_id)s AND s.document_id = near.document_id
JOIN documents d ON d.tenant_id = %(tenant_id)s AND d.document_id = near.document_id
WHERE d.revision <> %(revision)s
ORDER BY d.revision, s.document_id;

-- name: put_document_links
INSERT INTO document_links (tenant_id, document_id, other_id, reason)
SELECT %(tenant_id)s, %(document_id)s, l.*
FROM unnest(%(other_ids)b::text[], %(reasons)b::text[]) AS l
ON CONFLICT DO NOTHING;

-- name: delete_copy_links
DELETE FROM document_links
WHERE tenant_id = %(tenant_id)s AND reason <> 'derived' AND document_id = %(document_id)s;

-- name: delete_derived_links
DELETE FROM document_links
WHERE tenant_id = %(tenant_id)s AND reason = 'derived' AND document_id = %(document_id)s;

-- name: links_of_documents
SELECT document_id, other_id, reason FROM document_links
WHERE tenant_id = %(tenant_id)s AND (document_id = ANY(%(document_ids)b) OR other_id = ANY(%(document_ids)b));

-- name: set_origins
UPDATE documents SET origin_id = n.origin_id
FROM unnest(%(document_ids)b::text[], %(origin_ids)b::text[]) AS n (document_id, origin_id)
WHERE documents.tenant_id = %(tenant_id)s AND documents.document_id = n.document_id
  AND documents.origin_id <> n.origin_id
RETURNING documents.document_id, documents.corpus, documents.external_id;
