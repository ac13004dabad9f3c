-- What a new embedded server is set up with, as its superuser. {braces} are quoted identifiers and literals.

-- name: role_exists
SELECT 1 FROM pg_roles WHERE rolname = %(role)s;

-- name: create_role
-- A plain role, because the superuser passes every row policy.
CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS NOREPLICATION;

-- name: set_role_password
-- The literal is a SCRAM verifier made by the client; the secret itself never reaches the server.
ALTER ROLE {role} PASSWORD {verifier};

-- name: database_exists
SELECT 1 FROM pg_database WHERE datname = %(database)s;

-- name: create_database
CREATE DATABASE {database} OWNER {role} TEMPLATE template0;

-- name: close_database_to_others
REVOKE ALL ON DATABASE {database} FROM PUBLIC;
