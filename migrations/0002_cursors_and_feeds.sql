-- Settled cursors and change feeds. A reader that follows a list skips no record, regardless of the order of commits.
--
-- Example with two loaders. Loader A gets id 5 and stays open. Loader B gets id 6 and commits. A reader that received 6 now
-- and continued after it would never see 5. Therefore A locks position 4, the last number issued, before it gets 5.
-- It keeps the lock until its transaction ends. Readers stop at the lowest locked position: they see 4 now, and 5 and 6
-- after A has committed. Gaps in ids are expected: a rollback leaves one.

-- The advisory lock key of a position in a sequence: 15 bits of the hash of the sequence's name, then 48 bits of the position.
-- Example: A locks sequence_lock('lancamentos_id_seq', 4). If two sequences have the same 15 bits, their readers only wait
-- for each other's loaders.
CREATE FUNCTION sequence_lock(sequence text, number bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT ((hashtext(sequence) & 32767)::bigint << 48) | least(greatest(number, 0), (1::bigint << 48) - 1)
$$;
--> statement-breakpoint
-- Trigger function. Locks the current position of the sequence in the trigger's argument, once per transaction. Example: the
-- trigger lancamentos_lock_id below. SECURITY DEFINER, because a loader may lack the right to read the sequence. A rollback to
-- a savepoint undoes both the lock and the setting.
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
-- The lowest locked position of a sequence, or null if no transaction has locked one. Example: 4 while A is open. It decodes
-- the keys of sequence_lock from pg_locks. In PL/pgSQL, because it keeps the plan for the session. A replica fails with
-- SR001: it does not see the locks of the primary, so its readers would skip records.
CREATE FUNCTION lowest_locked_position(sequence text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF pg_is_in_recovery() THEN
		RAISE EXCEPTION 'cursors and change feeds need the primary, and this server is a replica' USING ERRCODE = 'SR001';
	END IF;
	RETURN (
		SELECT min(((classid::bigint & 65535) << 32) | objid::bigint) FROM pg_locks
		WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = hashtext(sequence) & 32767
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
	);
END $$;
--> statement-breakpoint
-- The highest id of a list up to which every id is committed or rolled back. Example: 4 while A is open, then 6. Call it at
-- READ COMMITTED, in a statement before the one that reads the rows: the snapshot of the read must be newer.
CREATE FUNCTION settled_id(list text) RETURNS bigint LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
	sequence CONSTANT text := list || '_id_seq';
	drawn CONSTANT bigint := coalesce(pg_sequence_last_value(sequence::regclass), 0);
	highest bigint := 0;
	locked bigint;
BEGIN
	LOOP
		-- A transaction that locks after this check gets higher numbers than those read before it.
		locked := lowest_locked_position(sequence);
		IF locked IS NOT NULL THEN RETURN locked; END IF;
		-- True in the second iteration only.
		IF highest > drawn THEN RETURN highest; END IF;
		-- A loader may choose ids without the sequence. They count if the next check finds no lock.
		-- One branch for each list with a cursor: EXECUTE would plan the query again for each page.
		CASE list
			WHEN 'lancamentos' THEN SELECT coalesce(max(id), 0) INTO highest FROM lancamentos;
			WHEN 'pagamentos_erp' THEN SELECT coalesce(max(id), 0) INTO highest FROM pagamentos_erp;
		END CASE;
		IF highest <= drawn THEN RETURN drawn; END IF;
	END LOOP;
END $$;
--> statement-breakpoint
-- The same for the change numbers of a list's change feed. They always come from the sequence, so that one check is enough.
-- Example: settled_change('lancamentos').
CREATE FUNCTION settled_change(list text) RETURNS bigint LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
	sequence CONSTANT text := list || '_change_seq';
	drawn CONSTANT bigint := coalesce(pg_sequence_last_value(sequence::regclass), 0);
BEGIN
	RETURN coalesce(lowest_locked_position(sequence), drawn);
END $$;
--> statement-breakpoint
-- The lists with a cursor (`after_id`).
CREATE TRIGGER lancamentos_lock_id BEFORE INSERT OR UPDATE OF id ON lancamentos
FOR EACH STATEMENT EXECUTE FUNCTION lock_sequence_position('lancamentos_id_seq');
--> statement-breakpoint
CREATE TRIGGER pagamentos_erp_lock_id BEFORE INSERT OR UPDATE OF id ON pagamentos_erp
FOR EACH STATEMENT EXECUTE FUNCTION lock_sequence_position('pagamentos_erp_id_seq');
--> statement-breakpoint
CREATE TABLE change_feeds (
	-- The table. Its changes are in `<list>_changes`, numbered by `<list>_change_seq`.
	list text PRIMARY KEY,
	-- Random. A restored or copied database gets a new one, so that it rejects markers of the original (C4).
	epoch text NOT NULL,
	-- database_id() when the epoch was created.
	drawn_in text NOT NULL,
	-- Older removals may have been deleted: markers below this change are rejected.
	oldest_kept_change bigint NOT NULL DEFAULT 0
);
--> statement-breakpoint
-- A random epoch. Example: '3f9c2a71b04d'.
CREATE FUNCTION new_epoch() RETURNS text LANGUAGE sql VOLATILE SET search_path = public, pg_temp AS $$
	SELECT left(replace(gen_random_uuid()::text, '-', ''), 12)
$$;
--> statement-breakpoint
-- Identifies this database but not its copies: its OID and, if readable, the system identifier of its server. Example:
-- '16384/7432109876543210987'.
CREATE FUNCTION database_id() RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE id text := (SELECT oid FROM pg_database WHERE datname = current_database());
BEGIN
	IF has_function_privilege('pg_control_system()', 'EXECUTE') THEN
		id := id || '/' || (SELECT system_identifier FROM pg_control_system());
	END IF;
	RETURN id;
END $$;
--> statement-breakpoint
-- Creates the change feed of a list and fills it with the existing records. `<list>_changes` has one row per record: the number
-- of its last change, and `removed_at` if the record is deleted. Several changes between two requests of a reader are one.
-- Loaders wait until the migration commits.
--
-- Example: loader A updates record 1 (change 11). Loader B deletes record 2 (change 12) and commits first. A has locked position
-- 10, so that a reader gets neither change before A commits, and then both.
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
	-- The ids of each event, and whether the record is gone. Look it up in the list: the DELETE trigger of
	-- WITH moved AS (DELETE … RETURNING *) INSERT … SELECT … FROM moved may fire last.
	FOR written IN SELECT * FROM (VALUES
		('INSERT', 'SELECT id, false AS is_gone FROM new_rows'),
		('DELETE', 'SELECT id, (SELECT true FROM <list> AS record WHERE record.id = old_rows.id LIMIT 1) IS NULL AS is_gone FROM old_rows'),
		-- A changed id removes one record and adds another. UNION ALL and not a join: the plan of a join is kept from its
		-- first call, and is slow for many rows if that call had one row.
		('UPDATE', 'SELECT id, NOT bool_or(is_new) AND (SELECT true FROM <list> AS record WHERE record.id = ids.id LIMIT 1) IS NULL AS is_gone
	FROM (SELECT id, true AS is_new FROM new_rows UNION ALL SELECT id, false FROM old_rows) AS ids GROUP BY id')
	) AS events (event, rows) LOOP
		PERFORM create_statement_trigger(list, changes || '_' || lower(written.event), written.event, format(
			E'BEGIN\nINSERT INTO %1$I (id, change, removed_at)\nSELECT id, nextval(%2$L), CASE WHEN is_gone THEN now() END FROM (%3$s) AS written\nON CONFLICT (id) DO UPDATE SET change = excluded.change, removed_at = excluded.removed_at;\nRETURN NULL;\nEND ',
			changes, sequence, replace(written.rows, '<list>', quote_ident(list))));
	END LOOP;
	-- A TRUNCATE of the list invalidates all markers and records no removals. DELETE and not TRUNCATE of the changes, which
	-- would lock out readers that wait for the list.
	PERFORM create_statement_trigger(list, changes || '_truncate', 'TRUNCATE', format(
		E'BEGIN\nPERFORM assert_read_committed(''TRUNCATE of this table'');\nDELETE FROM %1$I;\nUPDATE change_feeds SET oldest_kept_change = nextval(%2$L) WHERE change_feeds.list = %3$L;\nRETURN NULL;\nEND ',
		changes, sequence, list));
	EXECUTE format('INSERT INTO %I (id, change) SELECT id, nextval(%L) FROM (SELECT id FROM %I ORDER BY id) AS records', changes, sequence, list);
	EXECUTE format('ANALYZE %I', changes);
	INSERT INTO change_feeds (list, epoch, drawn_in) VALUES (list, new_epoch(), database_id());
END $do$;
--> statement-breakpoint
SELECT create_change_feed(list) FROM unnest('{transacoes, lancamentos, pagamentos_erp, vendas_produto}'::text[]) AS list;
