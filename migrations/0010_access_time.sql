-- The database sets the time of an access (A15): when the row is inserted, not when its transaction or statement started. A default
-- is evaluated before slower values of the row, so an open statement could backdate it. The owner's copies of rows keep their time.
ALTER TABLE "acessos" ALTER COLUMN "at" DROP DEFAULT;--> statement-breakpoint
CREATE FUNCTION acessos_at() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	new.at := clock_timestamp();
	RETURN new;
END $$;
--> statement-breakpoint
CREATE TRIGGER acessos_at BEFORE INSERT ON acessos FOR EACH ROW WHEN (new.at IS NULL) EXECUTE FUNCTION acessos_at();
