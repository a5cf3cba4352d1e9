-- OAuth clients that an operator registered, and the hashes of their secrets (A14). The API's role cannot read these tables: it
-- passes one id to a function and gets one client.
CREATE TABLE "oauth_clients" (
	"client_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"redirects" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oauth_clients_redirects" CHECK (cardinality("oauth_clients"."redirects") > 0 and array_position("oauth_clients"."redirects", null) is null)
);
--> statement-breakpoint
CREATE TABLE "oauth_secrets" (
	"hash" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	CONSTRAINT "oauth_secrets_hash_form" CHECK ("oauth_secrets"."hash" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
ALTER TABLE "oauth_secrets" ADD CONSTRAINT "oauth_secrets_client_id_oauth_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_clients"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "oauth_secrets_current" ON "oauth_secrets" USING btree ("client_id") WHERE "oauth_secrets"."expires_at" is null;
--> statement-breakpoint
-- The client with this id and its secrets that have not expired; no row if it is unknown or was removed. Example:
-- oauth_client('client-7c9e6679-7425-40de-944b-e07fc1f90ae7').
CREATE FUNCTION oauth_client(given_id text)
RETURNS TABLE (client_id text, name text, redirects text[], secrets json)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
	SELECT c.client_id, c.name, c.redirects, (
		SELECT coalesce(json_agg(json_build_object('hash', s.hash, 'expires_at', s.expires_at)), '[]')
		FROM oauth_secrets s WHERE s.client_id = c.client_id AND (s.expires_at IS NULL OR s.expires_at > now())
	)
	FROM oauth_clients c WHERE c.client_id = given_id
$$;
