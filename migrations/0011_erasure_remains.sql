-- What an erasure could not remove (A16): `names` are keyed hashes of what identifies the person, `left_in` the columns that still
-- have it, as `table.column`. A repeated erasure looks there again, when nothing else knows the person's name any more.
ALTER TABLE erasures ADD COLUMN names text[] NOT NULL DEFAULT '{}', ADD COLUMN left_in text[] NOT NULL DEFAULT '{}';
