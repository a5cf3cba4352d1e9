-- Which persons were erased (A16), so that a person who is no longer here can be told from one who never was. `hash` is the HMAC
-- of the person's id with a key that the database does not have, `key_id` a short name of that key. Only the owner reads the table.
CREATE TABLE erasures (
	kind text NOT NULL CONSTRAINT erasures_kind CHECK (kind IN ('client', 'professional')),
	hash text NOT NULL CONSTRAINT erasures_hash_form CHECK (hash ~ '^[0-9a-f]{64}$'),
	key_id text NOT NULL,
	erased_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (kind, hash)
);
