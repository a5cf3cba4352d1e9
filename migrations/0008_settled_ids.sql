-- A cursor skips nothing, in whatever order loaders commit. Ids are drawn before they are committed, so that a reader who
-- has received id 7 could miss id 5, whose loader is slower. Each transaction that inserts into a guarded table therefore
-- holds, until it ends, a shared lock that carries the last number drawn before it began to: all its own are higher.
-- Readers go no further than the lowest number held.

-- The advisory lock that carries a number drawn from a sequence: 15 bits of the sequence's name, 48 of the number. Two
-- sequences of the same 15 bits would hold one another's readers back, and lose nothing.
CREATE FUNCTION sequence_lock(sequence text, number bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT ((hashtext(sequence) & 32767)::bigint << 48) | least(greatest(number, 0), (1::bigint << 48) - 1)
$$;
--> statement-breakpoint
-- Takes the lock once a transaction and table, as the lock table has room for thousands and a loader may send more
-- statements than that. A savepoint that is rolled back takes lock and mark back together. The trigger names the
-- sequences whose numbers the table's rows are given; a loader may have no right to look at them, so the owner does.
CREATE FUNCTION hold_numbers() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	mark CONSTANT text := 'salon.holds_' || TG_TABLE_NAME;
	sequence text;
BEGIN
	IF current_setting(mark, true) = 'on' THEN RETURN NULL; END IF;
	FOREACH sequence IN ARRAY TG_ARGV LOOP
		PERFORM pg_advisory_xact_lock_shared(sequence_lock(sequence, coalesce(pg_sequence_last_value(sequence::regclass), 0)));
	END LOOP;
	PERFORM set_config(mark, 'on', true);
	RETURN NULL;
END $$;
--> statement-breakpoint
-- Guards the ids of one list, from now on. What it makes is written for that list alone, so that its plans are kept:
-- `<list>_settled_id()` answers the highest id below which everything is decided. A reader must ask for it before the
-- snapshot that reads is taken: in a statement before it, at READ COMMITTED.
CREATE FUNCTION guard_ids(list text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $do$
DECLARE sequence CONSTANT text := list || '_id_seq';
BEGIN
	EXECUTE format($f$
		CREATE FUNCTION %1$I() RETURNS bigint LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
		DECLARE
			drawn CONSTANT bigint := coalesce(pg_sequence_last_value(%2$L::regclass), 0);
			highest bigint := 0;
			held bigint;
		BEGIN
			LOOP
				-- Whoever takes a lock after this look draws higher numbers than those read before it.
				SELECT min(((classid::bigint & 65535) << 32) | objid::bigint) INTO held FROM pg_locks
				WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = %3$s
					AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
				IF held IS NOT NULL THEN RETURN held; END IF;
				IF highest > drawn THEN RETURN highest; END IF;
				-- Ids that are there without having been drawn count as well, and need a look that is newer than they are.
				-- Only where nobody writes: the highest lies behind all that are not committed yet.
				SELECT coalesce(max(id), 0) INTO highest FROM %4$I;
				IF highest <= drawn THEN RETURN drawn; END IF;
			END LOOP;
		END $$
	$f$, list || '_settled_id', sequence, hashtext(sequence) & 32767, list);
	EXECUTE format('REVOKE ALL ON FUNCTION %I() FROM PUBLIC', list || '_settled_id');
	EXECUTE format('GRANT EXECUTE ON FUNCTION %I() TO salon_api', list || '_settled_id');
	EXECUTE format('GRANT SELECT ON SEQUENCE %I TO salon_api', sequence);
	EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OF id ON %I FOR EACH STATEMENT EXECUTE FUNCTION hold_numbers(%L)',
		list || '_hold_numbers', list, sequence);
END $do$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION sequence_lock(text, bigint), hold_numbers(), guard_ids(text) FROM PUBLIC;
--> statement-breakpoint
SELECT guard_ids('lancamentos');
--> statement-breakpoint
SELECT guard_ids('pagamentos_erp');
