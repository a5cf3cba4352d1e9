-- Accounts and agent tokens. The API's role cannot read these tables. It passes one e-mail, identity or hash to a function and
-- gets one account, so that a stolen role cannot list accounts or password hashes.

-- Trigger function. Raises the session number, which ends all earlier sessions of the user (A9). Example: a new password
-- changes 0 to 1795348800000. The number is at least the time in milliseconds, so that it never repeats after a restore to a
-- point in time.
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
-- The account with this e-mail, for POST /auth/login. Example: login_account('demo@example.com').
CREATE FUNCTION login_account(given_email text)
RETURNS TABLE (
	id bigint, email text, name text, ativo boolean, password_hash text, identity uuid, session_number bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
	SELECT id, email, name, ativo, password_hash, identity, session_number FROM users WHERE email = given_email
$$;
--> statement-breakpoint
-- The account with this identity, for POST /auth/refresh. Example:
-- session_account('0b6f4c1e-3a52-4d7e-9c88-5f1d2e7a9b30').
CREATE FUNCTION session_account(given_identity uuid)
RETURNS TABLE (id bigint, identity uuid, email text, name text, ativo boolean, session_number bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ SELECT id, identity, email, name, ativo, session_number FROM users WHERE identity = given_identity $$;
--> statement-breakpoint
-- The user of an agent token and the token's expiry; no row if the token has ended (A10). Example:
-- agent_account(encode(sha256('agt_…'), 'hex')).
CREATE FUNCTION agent_account(given_hash text)
RETURNS TABLE (id bigint, identity uuid, email text, name text, expires_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
	SELECT u.id, u.identity, u.email, u.name, t.expires_at
	FROM agent_tokens t JOIN users u ON u.identity = t.user_identity
	WHERE t.hash = given_hash AND u.ativo AND u.session_number = t.session_number AND t.expires_at > now()
$$;
