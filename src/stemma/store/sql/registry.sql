-- What a tenant has registered, over what is shipped; and the subjects that a change of it concerns.

-- name: key_policies_of_sources
SELECT name, key_policy FROM sources
WHERE tenant_id = %(tenant_id)s AND name = ANY(%(names)b) AND key_policy IS NOT NULL;

-- name: all_sources
SELECT name, key_policy, authority, set_at FROM sources WHERE tenant_id = %(tenant_id)s ORDER BY name;

-- name: all_claim_keys
SELECT name, cardinality, kind, policy, corroboration, half_life_days, set_at
FROM claim_keys
WHERE tenant_id = %(tenant_id)s
ORDER BY name;

-- name: sources_page
SELECT name, key_policy, authority, set_at
FROM sources
WHERE tenant_id = %(tenant_id)s AND name > %(after)s
ORDER BY name
LIMIT %(limit)s;

-- name: claim_keys_page
SELECT name, cardinality, kind, policy, corroboration, half_life_days, set_at
FROM claim_keys
WHERE tenant_id = %(tenant_id)s AND name > %(after)s
ORDER BY name
LIMIT %(limit)s;

-- name: source_by_name
SELECT name, key_policy, authority, set_at FROM sources WHERE tenant_id = %(tenant_id)s AND name = %(name)s FOR UPDATE;

-- name: claim_key_by_name
SELECT name, cardinality, kind, policy, corroboration, half_life_days, set_at
FROM claim_keys
WHERE tenant_id = %(tenant_id)s AND name = %(name)s
FOR UPDATE;

-- name: put_source
INSERT INTO sources (tenant_id, name, key_policy, authority, set_at)
VALUES (%(tenant_id)s, %(name)s, %(key_policy)s, %(authority)s, %(set_at)s)
ON CONFLICT (tenant_id, name) DO UPDATE
SET key_policy = excluded.key_policy, authority = excluded.authority, set_at = excluded.set_at;

-- name: put_claim_key
INSERT INTO claim_keys (tenant_id, name, cardinality, kind, policy, corroboration, half_life_days, set_at)
VALUES (%(tenant_id)s, %(name)s, %(cardinality)s, %(kind)s, %(policy)s, %(corroboration)s, %(half_life_days)s, %(set_at)s)
ON CONFLICT (tenant_id, name) DO UPDATE
SET cardinality = excluded.cardinality, kind = excluded.kind, policy = excluded.policy,
    corroboration = excluded.corroboration, half_life_days = excluded.half_life_days, set_at = excluded.set_at;

-- name: mark_subjects_of_source
-- Under the revision policy a later content may have come from another source than its episode's first.
INSERT INTO dirty (tenant_id, subject_id, group_id)
SELECT %(tenant_id)s, subject_id, '*'
FROM (SELECT subject_id FROM episodes WHERE tenant_id = %(tenant_id)s AND source = %(name)s
      UNION
      SELECT e.subject_id
      FROM episodes e
      JOIN revisions r ON r.tenant_id = e.tenant_id AND r.episode_id = e.episode_id
      WHERE e.tenant_id = %(tenant_id)s AND e.policy = 'revision' AND r.content::json ->> 'source' = %(name)s) AS concerned;

-- name: mark_subjects_of_claim_key
INSERT INTO dirty (tenant_id, subject_id, group_id)
SELECT DISTINCT %(tenant_id)s, subject_id, '*'
FROM memories
WHERE tenant_id = %(tenant_id)s AND claim_key = %(name)s;

-- name: subjects_page
SELECT subject_id, recorded_at
FROM subjects
WHERE tenant_id = %(tenant_id)s AND subject_id > %(after)s
ORDER BY subject_id
LIMIT %(limit)s;

-- name: registry_stamp
-- One number for everything a tenant has registered; another one says that something changed. It is made of where each
-- row's version stands and who wrote it, at a third of what it costs to read the rows themselves: every recall asks it.
SELECT (SELECT coalesce(sum(hashtextextended(k.xmin::text || k.ctid::text, 0)), 0)
        FROM claim_keys k WHERE k.tenant_id = %(tenant_id)s)::text
       || '/' ||
       (SELECT coalesce(sum(hashtextextended(s.xmin::text || s.ctid::text, 1)), 0)
        FROM sources s WHERE s.tenant_id = %(tenant_id)s)::text
       AS stamp;
