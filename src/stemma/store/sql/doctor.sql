-- What a check of a store looks at: the server, its clock, and what our role may do. Nothing of a tenant is read.

-- name: server_facts
SELECT current_setting('server_version') AS version,
       current_database() AS name,
       clock_timestamp() AS now,
       pg_database_size(current_database()) AS bytes,
       has_schema_privilege(current_user, current_schema(), 'CREATE') AS may_create,
       current_setting('default_transaction_read_only')::boolean OR pg_is_in_recovery() AS takes_no_writes;

-- name: tables_out_of_reach
-- Of this schema: those that the role may not read and write as every command does, and those that it may not alter.
SELECT c.relname AS name,
       has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
       AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE') AS usable
FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
  AND NOT (pg_has_role(c.relowner, 'USAGE')
           AND has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
           AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
ORDER BY c.relname;
