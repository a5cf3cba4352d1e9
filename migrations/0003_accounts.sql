-- Accounts and agent tokens. The API's role reads neither table: it passes one e-mail, identity or hash and gets one account,
-- so that a stolen role cannot list accounts or password hashes.

-- A changed password, a disabled or an enabled user ends the sessions that began before (A9): the table raises the number
-- itself. The clock keeps it from repeating after a restore to a point in time.
CREATE FUNCTION users_session_number() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	new.session_number := greatest(old.session_number + 1, floor(extract(epoch FROM clock_timestamp()) * 1000));
	RETURN new;
END $$;
--> statement-breakpoint
CREATE TRIGGER users_session_number BEFORE UPDATE ON users FOR EACH ROW
WHEN (
	old.password_hash IS DISTINCT FROM new.password_hash OR old.ativo IS DISTINCT FROM new.ativo
	OR old.session_number IS DISTINCT FROM new.session_number
)
EXECUTE FUNCTION users_session_number();
--> statement-breakpoint
-- The account of an e-mail, for POST /auth/login.
CREATE FUNCTION login_account(given_email text)
RETURNS TABLE (
	id bigint, email text, name text, ativo boolean, password_hash text, identity uuid, session_number bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
	SELECT id, email, name, ativo, password_hash, identity, session_number FROM users WHERE email = given_email
$$;
--> statement-breakpoint
-- The account of an identity, for POST /auth/refresh.
CREATE FUNCTION session_account(given_identity uuid)
RETURNS TABLE (id bigint, identity uuid, email text, name text, ativo boolean, session_number bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ SELECT id, identity, email, name, ativo, session_number FROM users WHERE identity = given_identity $$;
--> statement-breakpoint
-- The user of an agent token (A10) and when it expires; no row once the token has ended.
CREATE FUNCTION agent_account(given_hash text)
RETURNS TABLE (id bigint, identity uuid, email text, name text, expires_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
	SELECT u.id, u.identity, u.email, u.name, t.expires_at
	FROM agent_tokens t JOIN users u ON u.identity = t.user_identity
	WHERE t.hash = given_hash AND u.ativo AND u.session_number = t.session_number AND t.expires_at > now()
$$;
