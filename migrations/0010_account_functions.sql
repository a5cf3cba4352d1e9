-- Whoever changes a password, disables a user or enables one again ends what was begun before (A9), by whatever means:
-- the number is raised by the table itself. Never to one it has had: counting on from an earlier copy of the table, as
-- a restore to a point in time brings back, would meet numbers that sessions begun since then have.
CREATE FUNCTION users_session_number() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	new.session_number := greatest(old.session_number + 1, floor(extract(epoch FROM clock_timestamp()) * 1000));
	RETURN new;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION users_session_number() FROM PUBLIC;
--> statement-breakpoint
CREATE TRIGGER users_session_number BEFORE UPDATE ON users FOR EACH ROW
WHEN (
	old.password_hash IS DISTINCT FROM new.password_hash OR old.ativo IS DISTINCT FROM new.ativo
	OR old.session_number IS DISTINCT FROM new.session_number
)
EXECUTE FUNCTION users_session_number();
--> statement-breakpoint
-- The API asks for one account at a time: by the e-mail somebody signs in with, or by the identity in a token. Code of
-- the release before reads the first five columns.
DROP FUNCTION login_account(text);
--> statement-breakpoint
CREATE FUNCTION login_account(given_email text)
RETURNS TABLE (
	id bigint, email text, name text, ativo boolean, password_hash text, identity uuid, session_number bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
	SELECT id, email, name, ativo, password_hash, identity, session_number FROM users WHERE email = given_email
$$;
--> statement-breakpoint
CREATE FUNCTION session_account(given_identity uuid)
RETURNS TABLE (id bigint, identity uuid, email text, name text, ativo boolean, session_number bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ SELECT id, identity, email, name, ativo, session_number FROM users WHERE identity = given_identity $$;
--> statement-breakpoint
-- Tokens of the release before name their user by row id. This finds whom they may belong to. It answers neither e-mail
-- nor hash, but the identity leads to the one and that to the other: as long as it is there, whoever gets hold of the role
-- can go through the ids. So it answers nothing at all after ninety days; drop it then, or eight days after that release
-- last ran, when the last of its tokens has ended.
DO $do$ BEGIN
	EXECUTE format($create$
		CREATE FUNCTION adopted_identity(given_id bigint)
		RETURNS TABLE (identity uuid, created_at timestamptz)
		LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
		AS $$ SELECT identity, created_at FROM users WHERE id = given_id AND now() < %L::timestamptz $$
	$create$, now() + interval '90 days');
END $do$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION login_account(text), session_account(uuid), adopted_identity(bigint) FROM PUBLIC;
--> statement-breakpoint
GRANT EXECUTE ON FUNCTION login_account(text), session_account(uuid), adopted_identity(bigint) TO salon_api;
--> statement-breakpoint
-- With e-mails or ids to go through, one statement would carry away every hash: nothing of the table is read any more.
REVOKE SELECT ON users FROM salon_api;
--> statement-breakpoint
REVOKE SELECT (id, email, name, ativo) ON users FROM salon_api;
