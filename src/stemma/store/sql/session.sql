-- What every connection and transaction begins with; migrations' own record.

-- name: configure_session
-- Custom plans: a generic plan kept after five runs takes the wrong index for a search within one tenant.
SELECT set_config('plan_cache_mode', 'force_custom_plan', false),
       set_config('TimeZone', 'UTC', false),
       set_config('lock_timeout', %(lock_timeout)s, false),
       set_config('statement_timeout', %(statement_timeout)s, false);

-- name: open_transaction
-- Row security reads this setting; it ends with the transaction.
SELECT set_config('stemma.tenant', %(tenant_id)s, true);

-- name: open_locked_transaction
SELECT set_config('stemma.tenant', %(tenant_id)s, true), pg_advisory_xact_lock(%(key)s);

-- name: allow_long_statement
SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', %(lock_timeout)s, true);

-- name: ping
SELECT 1;

-- name: vector_version
SELECT extversion FROM pg_extension WHERE extname = 'vector';

-- name: create_vector
CREATE EXTENSION IF NOT EXISTS vector;

-- name: create_migrations_table
CREATE TABLE IF NOT EXISTS schema_migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- name: applied_migrations
SELECT number, name, sha256 FROM schema_migrations ORDER BY number;

-- name: lock_migrations
SELECT pg_advisory_xact_lock(%(key)s);

-- name: record_migration
INSERT INTO schema_migrations (number, name, sha256) VALUES (%(number)s, %(name)s, %(sha256)s);
