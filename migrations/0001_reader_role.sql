-- The role the API signs in with: it reads the warehouse and nothing else. A server has one set of roles for all
-- its databases, so the role may be there already. Its password is set by whoever deploys (README).
DO $$ BEGIN
	CREATE ROLE salon_api LOGIN;
	EXECUTE format('GRANT salon_api TO %I', current_user);
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
--> statement-breakpoint
-- Settings hold for this database only, so that databases side by side do not wait for one another.
-- seven seconds leave the Worker time to answer 503 within nine (E2); UTC is how instants leave (V3).
DO $$ BEGIN
	EXECUTE format('ALTER ROLE salon_api IN DATABASE %I SET statement_timeout = ''7s''', current_database());
	EXECUTE format('ALTER ROLE salon_api IN DATABASE %I SET default_transaction_read_only = on', current_database());
	EXECUTE format('ALTER ROLE salon_api IN DATABASE %I SET timezone = ''UTC''', current_database());
END $$;
--> statement-breakpoint
GRANT USAGE ON SCHEMA public TO salon_api;
--> statement-breakpoint
GRANT SELECT ON ALL TABLES IN SCHEMA public TO salon_api;
--> statement-breakpoint
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO salon_api;
