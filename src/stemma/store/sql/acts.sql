-- Human acts in the log. A derivation reads them by subject through `log`.

-- name: acts_by_id
SELECT act_id, body FROM acts WHERE tenant_id = %(tenant_id)s AND act_id = ANY(%(act_ids)b) ORDER BY act_id;

-- name: acts_of_episodes
SELECT a.act_id, a.body
FROM acts a
WHERE a.tenant_id = %(tenant_id)s
  AND a.act_id IN (SELECT n.act_id FROM act_episodes n
                   WHERE n.tenant_id = %(tenant_id)s AND n.episode_id = ANY(%(episode_ids)b))
ORDER BY a.act_id;

-- name: hold_acts
SELECT pg_advisory_xact_lock(%(key)s);

-- name: acts_at
SELECT count(*) AS acts FROM acts WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND at = %(at)s;

-- name: put_acts
INSERT INTO acts (tenant_id, act_id, subject_id, kind, at, body, recorded_at)
SELECT %(tenant_id)s, a.*
FROM unnest(%(act_ids)b::text[], %(subjects)b::text[], %(kinds)b::text[], %(ats)b::timestamptz[], %(bodies)b::text[],
            %(recorded_ats)b::timestamptz[]) AS a
ON CONFLICT (tenant_id, act_id) DO UPDATE SET body = excluded.body, recorded_at = excluded.recorded_at
WHERE acts.body <> excluded.body OR acts.recorded_at <> excluded.recorded_at;

-- name: put_act_episodes
INSERT INTO act_episodes (tenant_id, episode_id, act_id)
SELECT %(tenant_id)s, n.* FROM unnest(%(episode_ids)b::text[], %(act_ids)b::text[]) AS n
ON CONFLICT DO NOTHING;

-- name: delete_acts
DELETE FROM acts WHERE tenant_id = %(tenant_id)s AND act_id = ANY(%(act_ids)b);

-- name: delete_act_episodes
DELETE FROM act_episodes WHERE tenant_id = %(tenant_id)s AND act_id = ANY(%(act_ids)b);
