-- The change feed: beside each list a table that says of every record by which change it was written last, or removed.
-- Statement triggers keep it in the transaction that writes, so that loaders know nothing of it and no column is added to
-- theirs. A record stands in it once: several changes between two calls of a reader are one.
--
-- Change numbers are drawn as a cursor's ids are, and held in the same way (0008): whoever writes a list holds, until the
-- transaction ends, a shared lock that carries the last number drawn before its own. Readers go no further than the
-- lowest number held.

-- One mark a sequence and no longer one a table: a table's triggers hold the numbers of several, for different events.
CREATE OR REPLACE FUNCTION hold_numbers() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	sequence text;
BEGIN
	FOREACH sequence IN ARRAY TG_ARGV LOOP
		IF current_setting('salon.holds_' || sequence, true) = 'on' THEN CONTINUE; END IF;
		PERFORM pg_advisory_xact_lock_shared(sequence_lock(sequence, coalesce(pg_sequence_last_value(sequence::regclass), 0)));
		PERFORM set_config('salon.holds_' || sequence, 'on', true);
	END LOOP;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TABLE change_feeds (
	-- The table whose changes are kept: in `<list>_changes`, numbered by `<list>_change_seq`.
	list text PRIMARY KEY,
	-- Tells the numbers of this database from those of the one it was copied from, or of itself before a restore.
	epoch text NOT NULL,
	-- The database the epoch was drawn in, as database_home() had it then.
	home text NOT NULL,
	-- Removals up to this change are not told any more.
	floor bigint NOT NULL DEFAULT 0
);
--> statement-breakpoint
REVOKE ALL ON change_feeds FROM salon_api;
--> statement-breakpoint
-- Random: no two are alike, and nobody could count on from one.
CREATE FUNCTION new_epoch() RETURNS text LANGUAGE sql VOLATILE SET search_path = public, pg_temp AS $$
	SELECT left(replace(gen_random_uuid()::text, '-', ''), 12)
$$;
--> statement-breakpoint
-- What a copy of a database does not take along: its own number, and that of its server where that may be read.
CREATE FUNCTION database_home() RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE home text := (SELECT oid FROM pg_database WHERE datname = current_database());
BEGIN
	IF has_function_privilege('pg_control_system()', 'EXECUTE') THEN
		home := home || '/' || (SELECT system_identifier FROM pg_control_system());
	END IF;
	RETURN home;
END $$;
--> statement-breakpoint
-- Keeps the changes of one list from now on, beginning with every record that is there. What it makes is written for that
-- list alone, so that its plans are kept. Loaders of the list wait until the transaction ends; readers do not.
CREATE FUNCTION keep_changes(list text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $do$
DECLARE
	kept CONSTANT text := list || '_changes';
	sequence CONSTANT text := list || '_change_seq';
	settled CONSTANT text := list || '_settled_change';
	event record;
	trigger_name text;
BEGIN
	-- An older snapshot would not see what was written while this waited for its lock.
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE 'keep_changes needs the isolation level READ COMMITTED' USING ERRCODE = '25001';
	END IF;
	EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', list);
	EXECUTE format('CREATE SEQUENCE %I', sequence);
	-- An entry moves with each change, as its number is in an index.
	EXECUTE format('CREATE TABLE %I (id bigint NOT NULL, change bigint NOT NULL, removed_at timestamptz) WITH (autovacuum_vacuum_scale_factor = 0.02)', kept);
	EXECUTE format('INSERT INTO %I SELECT id, nextval(%L) FROM (SELECT id FROM %I ORDER BY id) AS records', kept, sequence, list);
	EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (id)', kept);
	EXECUTE format('CREATE INDEX %I ON %I (change)', kept || '_change', kept);
	EXECUTE format('ALTER SEQUENCE %I OWNED BY %I.change', sequence, kept);
	EXECUTE format('ANALYZE %I', kept);
	INSERT INTO change_feeds VALUES (list, new_epoch(), database_home());

	-- The highest number below which everything is decided. A reader must ask for it before the snapshot that reads is
	-- taken: in a statement before it, at READ COMMITTED.
	EXECUTE format($f$
		CREATE FUNCTION %1$I() RETURNS bigint LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
		DECLARE
			-- First, as whoever takes a lock after the look below draws higher numbers than this.
			drawn CONSTANT bigint := coalesce(pg_sequence_last_value(%2$L::regclass), 0);
		BEGIN
			RETURN coalesce((
				SELECT min(((classid::bigint & 65535) << 32) | objid::bigint) FROM pg_locks
				WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = %3$s
					AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			), drawn);
		END $$
	$f$, settled, sequence, hashtext(sequence) & 32767);
	EXECUTE format('REVOKE ALL ON FUNCTION %I() FROM PUBLIC', settled);
	EXECUTE format('GRANT EXECUTE ON FUNCTION %I() TO salon_api', settled);
	EXECUTE format('GRANT SELECT ON SEQUENCE %I TO salon_api', sequence);
	EXECUTE format('GRANT SELECT ON %I TO salon_api', kept);

	EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT EXECUTE FUNCTION hold_numbers(%L)',
		list || '_hold_changes', list, sequence);
	FOR event IN
		SELECT * FROM (VALUES
			('insert', 'REFERENCING NEW TABLE AS new_rows', 'SELECT id, nextval(%1$L), NULL::timestamptz FROM new_rows'),
			-- Whether the record is gone the list itself says: of what one statement does, the deletion may be told last.
			('delete', 'REFERENCING OLD TABLE AS old_rows', 'SELECT id, nextval(%1$L), CASE WHEN (SELECT true FROM %2$I AS record WHERE record.id = old_rows.id LIMIT 1) THEN NULL ELSE now() END
FROM old_rows'),
			-- An id that is moved is the removal of one record and another one. Both sides are read once: a plan is kept
			-- from its first call, which may have had one row.
			('update', 'REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows', 'SELECT id, nextval(%1$L), CASE WHEN bool_or(is_there) OR (SELECT true FROM %2$I AS record WHERE record.id = written.id LIMIT 1) THEN NULL ELSE now() END
FROM (SELECT id, true AS is_there FROM new_rows UNION ALL SELECT id, false FROM old_rows) AS written GROUP BY id'),
			('truncate', '', '')
		) AS events (name, transition, written)
	LOOP
		trigger_name := kept || '_' || event.name;
		-- An entry is written by whoever has locked the record itself, so that nobody waits for another here alone.
		EXECUTE format(
			E'CREATE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS %2$L',
			trigger_name, E'\nBEGIN\n' || CASE event.name
				-- No removal a record, but the end of all markers given before. DELETE and not TRUNCATE, which would lock out
				-- readers that wait for the list itself.
				WHEN 'truncate' THEN format($f$IF current_setting('transaction_isolation') <> 'read committed' THEN
	RAISE 'TRUNCATE of this table needs the isolation level READ COMMITTED' USING ERRCODE = '25001';
END IF;
DELETE FROM %1$I;
UPDATE change_feeds SET floor = nextval(%2$L) WHERE list = %3$L;$f$, kept, sequence, list)
				ELSE format(E'INSERT INTO %1$I (id, change, removed_at) %2$s\nON CONFLICT (id) DO UPDATE SET change = excluded.change, removed_at = excluded.removed_at;',
					kept, format(event.written, sequence, list))
			END || E'\nRETURN NULL;\nEND ');
		EXECUTE format('REVOKE ALL ON FUNCTION %I() FROM PUBLIC', trigger_name);
		EXECUTE format('CREATE TRIGGER %1$I AFTER %2$s ON %3$I %4$s FOR EACH STATEMENT EXECUTE FUNCTION %1$I()',
			trigger_name, event.name, list, event.transition);
	END LOOP;
END $do$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION new_epoch(), database_home(), keep_changes(text) FROM PUBLIC;
--> statement-breakpoint
SELECT keep_changes('transacoes');
--> statement-breakpoint
SELECT keep_changes('lancamentos');
--> statement-breakpoint
SELECT keep_changes('pagamentos_erp');
--> statement-breakpoint
SELECT keep_changes('vendas_produto');
--> statement-breakpoint
GRANT SELECT ON change_feeds TO salon_api;
