-- What an admission reads beside the candidates: the acts that make a core list, and what was said where.

-- name: injection_acts
SELECT body FROM acts
WHERE tenant_id = %(tenant_id)s AND subject_id = %(subject_id)s AND kind = 'injection'
ORDER BY at, act_id;

-- name: learned_from_episodes
-- Every memory that was said in one of the episodes, whatever its status is, with the place.
SELECT m.body AS memory, e.episode_id, e.body AS evidence
FROM evidence e
JOIN memories m ON m.tenant_id = e.tenant_id AND m.id = e.memory_id
WHERE e.tenant_id = %(tenant_id)s AND e.episode_id = ANY(%(episode_ids)b) AND m.derived;

-- name: losers_of_memories
SELECT m.body
FROM decisions d
JOIN memories m ON m.tenant_id = d.tenant_id AND m.id = d.loser_id
WHERE d.tenant_id = %(tenant_id)s AND d.winner_id = ANY(%(memory_ids)b) AND d.undone_at IS NULL AND m.derived;

-- name: retired_that_texts_carry
-- Memories of a subject that are not in force and whose value one of the texts holds, letter case aside.
SELECT m.body
FROM memories m
WHERE m.tenant_id = %(tenant_id)s AND m.subject_id = %(subject_id)s AND m.derived
  AND NOT (m.spells @> %(now)s::timestamptz AND m.valid @> %(now)s::timestamptz)
  AND EXISTS (SELECT FROM unnest(%(texts)b::text[]) AS said (text)
              WHERE strpos(lower(said.text), lower(m.body::json ->> 'shown')) > 0);
