-- Lists by name sort by letters: `Álamo` before `zebra`, `alamo` beside both. A database may sort text by its bytes, and the
-- embedded one has no ICU collations.

-- The letters of a name without case and accents. Example: name_sort_key('Óleo de Açaí') is 'oleo de acai'. Compare the result
-- with collation "C". Only ASCII needs no normalization, which is the expensive part.
CREATE FUNCTION name_sort_key(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT CASE WHEN octet_length(name) = length(name) THEN lower(name)
		ELSE lower(regexp_replace(normalize(name, nfd), '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g')) END
$$;
--> statement-breakpoint
-- The indexes contain the body of the function and not a call, because each role that writes the table would need the right to
-- execute it. Postgres inlines the function in queries, so they match. Of the letters they hold the first 64, so that a long name
-- fits into an index entry. They replace the indexes in the order of the bytes.
CREATE INDEX "produtos_sorted" ON "produtos" USING btree (left(case when octet_length("nome") = length("nome") then lower("nome") else lower(regexp_replace(normalize("nome", nfd), '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g')) end, 64) collate "C","nome","estabelecimento_id","salon_id","id");--> statement-breakpoint
CREATE INDEX "produtos_unit_sorted" ON "produtos" USING btree ("estabelecimento_id",left(case when octet_length("nome") = length("nome") then lower("nome") else lower(regexp_replace(normalize("nome", nfd), '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g')) end, 64) collate "C","nome","salon_id","id");--> statement-breakpoint
DROP INDEX "produtos_name";--> statement-breakpoint
DROP INDEX "produtos_unit_name";
