-- Facts about the store as a whole.

-- name: store_setting
SELECT value FROM store_settings WHERE name = %(name)s;

-- name: put_store_setting
INSERT INTO store_settings (name, value) VALUES (%(name)s, %(value)s)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;
