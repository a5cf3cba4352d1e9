-- Settled cursors and change feeds: a reader that follows a list skips nothing, in whatever order loaders commit.
--
-- Example with two loaders. Loader A draws id 5 and takes long. Loader B draws id 6 and commits. A reader that receives 6 now
-- and goes on after it never sees 5. So A locked position 4 before it drew (the last number drawn until then) and keeps this
-- lock until its transaction ends. Readers go no further than the lowest locked position: they see 4 now, and 5 and 6 later.
-- Gaps in ids are expected: a loader that rolls back leaves one.

-- The advisory lock of a position in a sequence: 15 bits of the sequence's name, 48 bits of the number. Two sequences with the
-- same 15 bits would only delay each other's readers.
CREATE FUNCTION sequence_lock(sequence text, number bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT ((hashtext(sequence) & 32767)::bigint << 48) | least(greatest(number, 0), (1::bigint << 48) - 1)
$$;
--> statement-breakpoint
-- Locks the position of the sequence that the trigger names, once per transaction. The owner's rights: a loader may not be
-- allowed to read the sequence. A savepoint that is rolled back takes back the lock and the setting.
CREATE FUNCTION lock_sequence_position() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	sequence CONSTANT text := TG_ARGV[0];
	locked CONSTANT text := 'salon.locked_' || sequence;
BEGIN
	IF current_setting(locked, true) IS DISTINCT FROM 'on' THEN
		PERFORM pg_advisory_xact_lock_shared(sequence_lock(sequence, coalesce(pg_sequence_last_value(sequence::regclass), 0)));
		PERFORM set_config(locked, 'on', true);
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
-- The lowest position of a sequence that a transaction holds locked; null if none does. It reads the number back out of the key
-- that sequence_lock makes.
CREATE FUNCTION lowest_locked_position(sequence text) RETURNS bigint LANGUAGE sql VOLATILE AS $$
	SELECT min(((classid::bigint & 65535) << 32) | objid::bigint) FROM pg_locks
	WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = hashtext(sequence) & 32767
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
$$;
--> statement-breakpoint
-- The highest id of a list up to which everything is committed or given up. Ask in a statement before the one that reads, at
-- READ COMMITTED: the reading snapshot must be the newer one.
CREATE FUNCTION settled_id(list text) RETURNS bigint LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
	sequence CONSTANT text := list || '_id_seq';
	drawn CONSTANT bigint := coalesce(pg_sequence_last_value(sequence::regclass), 0);
	highest bigint := 0;
	locked bigint;
BEGIN
	LOOP
		-- A transaction that locks after this look draws higher numbers than those read before it.
		locked := lowest_locked_position(sequence);
		IF locked IS NOT NULL THEN RETURN locked; END IF;
		-- Only in the second round.
		IF highest > drawn THEN RETURN highest; END IF;
		-- A loader may write ids of its own without drawing them. They count if the next look at the locks finds no writer.
		EXECUTE format('SELECT coalesce(max(id), 0) FROM %I', list) INTO highest;
		IF highest <= drawn THEN RETURN drawn; END IF;
	END LOOP;
END $$;
--> statement-breakpoint
-- The same for the numbers of a list's change feed, which are always drawn.
CREATE FUNCTION settled_change(list text) RETURNS bigint LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
	sequence CONSTANT text := list || '_change_seq';
	drawn CONSTANT bigint := coalesce(pg_sequence_last_value(sequence::regclass), 0);
BEGIN
	RETURN coalesce(lowest_locked_position(sequence), drawn);
END $$;
--> statement-breakpoint
-- The lists that are read by cursor.
CREATE TRIGGER lancamentos_lock_id BEFORE INSERT OR UPDATE OF id ON lancamentos
FOR EACH STATEMENT EXECUTE FUNCTION lock_sequence_position('lancamentos_id_seq');
--> statement-breakpoint
CREATE TRIGGER pagamentos_erp_lock_id BEFORE INSERT OR UPDATE OF id ON pagamentos_erp
FOR EACH STATEMENT EXECUTE FUNCTION lock_sequence_position('pagamentos_erp_id_seq');
--> statement-breakpoint
CREATE TABLE change_feeds (
	-- The table whose changes are in `<list>_changes`, numbered by `<list>_change_seq`.
	list text PRIMARY KEY,
	-- Random. A restored or copied database gets another one, so that markers of the original are refused (C4).
	epoch text NOT NULL,
	-- database_id() when the epoch was drawn.
	drawn_in text NOT NULL,
	-- Removals before this change may be forgotten: markers below it are refused.
	oldest_kept_change bigint NOT NULL DEFAULT 0
);
--> statement-breakpoint
CREATE FUNCTION new_epoch() RETURNS text LANGUAGE sql VOLATILE SET search_path = public, pg_temp AS $$
	SELECT left(replace(gen_random_uuid()::text, '-', ''), 12)
$$;
--> statement-breakpoint
-- What a copy of a database does not take along: its OID, and the identifier of its server if that may be read.
CREATE FUNCTION database_id() RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE id text := (SELECT oid FROM pg_database WHERE datname = current_database());
BEGIN
	IF has_function_privilege('pg_control_system()', 'EXECUTE') THEN
		id := id || '/' || (SELECT system_identifier FROM pg_control_system());
	END IF;
	RETURN id;
END $$;
--> statement-breakpoint
-- Creates the change feed of a list and fills it with the records that exist. `<list>_changes` has one row per record with the
-- number of its last change, and `removed_at` once the record is deleted: several changes between two calls of a reader are
-- one. Example: loader A updates record 1 (change 11) while loader B deletes record 2 (change 12) and commits first. A holds
-- position 10 locked, so a reader gets neither; when A has committed, it gets both. Loaders wait until the migration commits.
CREATE FUNCTION create_change_feed(list text) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $do$
DECLARE
	changes CONSTANT text := list || '_changes';
	sequence CONSTANT text := list || '_change_seq';
	written record;
BEGIN
	PERFORM assert_read_committed('create_change_feed');
	EXECUTE format('CREATE SEQUENCE %I', sequence);
	EXECUTE format('CREATE TABLE %I (id bigint PRIMARY KEY, change bigint NOT NULL, removed_at timestamptz) WITH (autovacuum_vacuum_scale_factor = 0.02)', changes);
	EXECUTE format('CREATE INDEX %I ON %I (change)', changes || '_change', changes);
	EXECUTE format('ALTER SEQUENCE %I OWNED BY %I.change', sequence, changes);
	EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT EXECUTE FUNCTION lock_sequence_position(%L)',
		list || '_lock_change', list, sequence);
	-- What each event writes: ids, and whether their records are gone. The list itself says so: the triggers of
	-- WITH moved AS (DELETE … RETURNING *) INSERT … SELECT … FROM moved may fire for the DELETE last, though the record exists.
	FOR written IN SELECT * FROM (VALUES
		('INSERT', 'SELECT id, false AS is_gone FROM new_rows'),
		('DELETE', 'SELECT id, (SELECT true FROM <list> AS record WHERE record.id = old_rows.id LIMIT 1) IS NULL AS is_gone FROM old_rows'),
		-- An id that changes is the removal of one record and another record. One pass over both transition tables: a join of
		-- them would keep the plan of its first call, which is slow for many rows if that call had one.
		('UPDATE', 'SELECT id, NOT bool_or(is_new) AND (SELECT true FROM <list> AS record WHERE record.id = ids.id LIMIT 1) IS NULL AS is_gone
	FROM (SELECT id, true AS is_new FROM new_rows UNION ALL SELECT id, false FROM old_rows) AS ids GROUP BY id')
	) AS events (event, rows) LOOP
		PERFORM create_statement_trigger(list, changes || '_' || lower(written.event), written.event, format(
			E'BEGIN\nINSERT INTO %1$I (id, change, removed_at)\nSELECT id, nextval(%2$L), CASE WHEN is_gone THEN now() END FROM (%3$s) AS written\nON CONFLICT (id) DO UPDATE SET change = excluded.change, removed_at = excluded.removed_at;\nRETURN NULL;\nEND ',
			changes, sequence, replace(written.rows, '<list>', quote_ident(list))));
	END LOOP;
	-- No removal per record, but the end of all markers. DELETE: a TRUNCATE would lock out readers that wait for the list.
	PERFORM create_statement_trigger(list, changes || '_truncate', 'TRUNCATE', format(
		E'BEGIN\nPERFORM assert_read_committed(''TRUNCATE of this table'');\nDELETE FROM %1$I;\nUPDATE change_feeds SET oldest_kept_change = nextval(%2$L) WHERE change_feeds.list = %3$L;\nRETURN NULL;\nEND ',
		changes, sequence, list));
	EXECUTE format('INSERT INTO %I (id, change) SELECT id, nextval(%L) FROM (SELECT id FROM %I ORDER BY id) AS records', changes, sequence, list);
	EXECUTE format('ANALYZE %I', changes);
	INSERT INTO change_feeds (list, epoch, drawn_in) VALUES (list, new_epoch(), database_id());
END $do$;
--> statement-breakpoint
SELECT create_change_feed(list) FROM unnest('{transacoes, lancamentos, pagamentos_erp, vendas_produto}'::text[]) AS list;
