-- What an indexed passage of an episode is within its dialogue: which message it is of, in which session, said when, by
-- whom, and the figures that it is ranked by. NULL for memories, and for rows that an older version wrote until they are
-- written again. `unit` is the message, or the episode where it has none; `length` counts the terms that `sv` weighs.
ALTER TABLE lex
    ADD COLUMN unit text COLLATE "C",
    ADD COLUMN session text COLLATE "C",
    ADD COLUMN said_at timestamptz,
    ADD COLUMN place integer,
    ADD COLUMN role text COLLATE "C",
    ADD COLUMN speaker integer[],
    ADD COLUMN words integer,
    ADD COLUMN asks boolean,
    ADD COLUMN length integer,
    ADD COLUMN starts integer,
    ADD COLUMN ends integer;
