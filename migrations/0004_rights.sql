-- The rights of a user and of an agent token (A11). The defaults restrict nothing. `units` has the salon_id of each unit; null
-- stands for every unit. When they change, the user's sessions and agent tokens end (A9).
ALTER TABLE "agent_tokens" ADD COLUMN "units" text[];--> statement-breakpoint
ALTER TABLE "agent_tokens" ADD COLUMN "personal_data" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_tokens" ADD COLUMN "payments" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "units" text[];--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "personal_data" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "payments" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_tokens" ADD CONSTRAINT "agent_tokens_units" CHECK (cardinality("agent_tokens"."units") > 0 and array_position("agent_tokens"."units", null) is null);--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_units" CHECK (cardinality("users"."units") > 0 and array_position("users"."units", null) is null);--> statement-breakpoint
DROP TRIGGER users_session_number ON users;
--> statement-breakpoint
CREATE TRIGGER users_session_number BEFORE UPDATE ON users FOR EACH ROW
WHEN (
	old.password_hash IS DISTINCT FROM new.password_hash OR old.ativo IS DISTINCT FROM new.ativo
	OR old.session_number IS DISTINCT FROM new.session_number OR old.units IS DISTINCT FROM new.units
	OR old.personal_data IS DISTINCT FROM new.personal_data OR old.payments IS DISTINCT FROM new.payments
)
EXECUTE FUNCTION users_session_number();
--> statement-breakpoint
DROP FUNCTION login_account(text);
--> statement-breakpoint
-- The account with this e-mail, for POST /auth/login. Example: login_account('demo@example.com').
CREATE FUNCTION login_account(given_email text)
RETURNS TABLE (
	id bigint, email text, name text, ativo boolean, password_hash text, identity uuid, session_number bigint,
	units text[], personal_data boolean, payments boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
	SELECT id, email, name, ativo, password_hash, identity, session_number, units, personal_data, payments
	FROM users WHERE email = given_email
$$;
--> statement-breakpoint
DROP FUNCTION session_account(uuid);
--> statement-breakpoint
-- The account with this identity, for POST /auth/refresh. Example:
-- session_account('0b6f4c1e-3a52-4d7e-9c88-5f1d2e7a9b30').
CREATE FUNCTION session_account(given_identity uuid)
RETURNS TABLE (
	id bigint, identity uuid, email text, name text, ativo boolean, session_number bigint,
	units text[], personal_data boolean, payments boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
	SELECT id, identity, email, name, ativo, session_number, units, personal_data, payments
	FROM users WHERE identity = given_identity
$$;
--> statement-breakpoint
DROP FUNCTION agent_account(text);
--> statement-breakpoint
-- The user of an agent token and the token's expiry; no row if the token has ended (A10). The rights are those that both the
-- user and the token have. Units that have nothing in common end the token. Example:
-- agent_account(encode(sha256('agt_…'), 'hex')).
CREATE FUNCTION agent_account(given_hash text)
RETURNS TABLE (
	id bigint, identity uuid, email text, name text, expires_at timestamptz,
	units text[], personal_data boolean, payments boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
	SELECT u.id, u.identity, u.email, u.name, t.expires_at,
		CASE WHEN u.units IS NULL THEN t.units WHEN t.units IS NULL THEN u.units
			ELSE ARRAY(SELECT unit FROM unnest(t.units) AS unit WHERE unit = ANY (u.units)) END,
		u.personal_data AND t.personal_data, u.payments AND t.payments
	FROM agent_tokens t JOIN users u ON u.identity = t.user_identity
	WHERE t.hash = given_hash AND u.ativo AND u.session_number = t.session_number AND t.expires_at > now()
		AND (u.units IS NULL OR t.units IS NULL OR u.units && t.units)
$$;
