-- The API reads one password hash at a time, of an e-mail it was given, and never the column: whoever gets hold of its
-- role cannot carry all hashes away with one statement.
CREATE FUNCTION login_account(given_email text)
RETURNS TABLE (id bigint, email text, name text, ativo boolean, password_hash text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ SELECT id, email, name, ativo, password_hash FROM users WHERE email = given_email $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION login_account(text) FROM PUBLIC;
--> statement-breakpoint
GRANT EXECUTE ON FUNCTION login_account(text) TO salon_api;
--> statement-breakpoint
REVOKE SELECT ON users FROM salon_api;
--> statement-breakpoint
GRANT SELECT (id, email, name, ativo) ON users TO salon_api;
