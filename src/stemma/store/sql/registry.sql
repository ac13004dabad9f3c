-- What a tenant has registered, over what is shipped; and the subjects that it concerns.

-- name: key_policies_of_sources
SELECT name, key_policy FROM sources
WHERE tenant_id = %(tenant_id)s AND name = ANY(%(names)s) AND key_policy IS NOT NULL;
