/** Temporary functions and tables: who the persons are, where they are mentioned, and what is left of a value without them. */
export const PREPARE = `
-- Replaces JSON escapes by their characters. JSON in a string has two backslashes for each: it replaces those, too.
create or replace function pg_temp.decoded(value text) returns text language plpgsql immutable as $$
begin
  for depth in 1..4 loop
    exit when strpos(value, '\\u') = 0;
    -- Pairs of surrogates, then the others. Chr(1) marks what unistr shall decode.
    value := regexp_replace(translate(value, chr(1), ' '),
      '\\\\+(u[dD][89abAB][0-9a-fA-F]{2})\\\\+(u[dD][c-fC-F][0-9a-fA-F]{2})', chr(1) || '\\1' || chr(1) || '\\2', 'g');
    value := regexp_replace(value, '\\\\+(u(?!0000|[dD][89a-fA-F])[0-9a-fA-F]{4})', chr(1) || '\\1', 'g');
    value := unistr(replace(replace(value, '\\', '\\\\'), chr(1), '\\'));
  end loop;
  return value;
end $$;
-- Letters without case, accents and forms such as ligatures, with one space between words.
create or replace function pg_temp.folded(value text) returns text language sql immutable as $$
  select ' ' || btrim(regexp_replace(
    case when octet_length(value) = length(value) then lower(value)
      else replace(translate(lower(regexp_replace(normalize(value, nfkd), '[\\u00ad\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\u20d0-\\u20ff\\ufe20-\\ufe2f\\ufeff]', '', 'g')), 'ςı', 'σi'), 'ß', 'ss') end,
    '[[:space:][:punct:]]+', ' ', 'g')) || ' '
$$;
-- A name or an id, as it is compared. What may be an escaped break is one, also in a name with a backslash.
create or replace function pg_temp.words(value text) returns text language sql immutable as $$
  select pg_temp.folded(case when strpos(value, '\\') = 0 then value else regexp_replace(pg_temp.decoded(value), '\\\\+[bfnrt]', ' ', 'g') end)
$$;
-- A text in which a name may be: also right behind a backslash that escapes nothing.
create or replace function pg_temp.text_words(value text) returns text language sql immutable as $$
  select case when strpos(value, '\\') = 0 then pg_temp.folded(value) else (
    select pg_temp.words(text) || case when text ~ '\\\\[bfnrt]' then pg_temp.folded(text) else '' end
    from (select pg_temp.decoded(value) as text offset 0) as plain) end
$$;
create or replace function pg_temp.has_name(value text, names text[]) returns boolean language sql immutable as $$
  select names <> '{}' and exists (select from (select pg_temp.text_words(value) as text offset 0) as w, unnest(names) as one where strpos(text, one) > 0)
$$;
-- Eleven digits with or without punctuation, as a regular expression.
create or replace function pg_temp.cpf_pattern(cpf text) returns text language sql immutable as $$
  select regexp_replace(cpf, '^(...)(...)(...)(..)$', '(?<![0-9])\\1[^0-9[:alpha:]]?\\2[^0-9[:alpha:]]?\\3[^0-9[:alpha:]]{0,3}\\4(?![0-9])')
$$;
-- Whether a text is one of the ids, which may be numbers: 990017.0 is 990017.
create or replace function pg_temp.is_id(value text, ids text[]) returns boolean language sql immutable as $$
  select value = any(ids) or regexp_replace(value, '^([0-9]+)\\.0+$', '\\1') = any(ids)
$$;
-- A member of a list in a string.
create or replace function pg_temp.member_pattern(id text) returns text language sql immutable as $$
  select '(^|[][(){},;:|/=''"[:space:]])' || regexp_replace(id, '([][\\\\.^$*+?(){}|-])', '\\\\\\1', 'g')
    || case when id ~ '^[0-9]+$' then '(\\.0+)?' else '' end || '(?=$|[][(){},;:|/=''"[:space:]])'
$$;
-- JSON in a string, or null.
create or replace function pg_temp.parsed(value text) returns jsonb language plpgsql immutable as $$
begin
  return case when value ~ '^[[:space:]]*[[{"]' then value::jsonb end;
exception when others then return null;
end $$;
-- The scalars and keys beneath a key with the word, and the members of lists in strings.
create or replace function pg_temp.beneath(payload jsonb, word text) returns setof text language sql immutable as $$
  with found as materialized (
    select found from jsonb_path_query(payload, format(
      'strict $.** ? (@.type() == "object").keyvalue() ? (@.key like_regex "%s" flag "i").value.**', word)::jsonpath) as found
  ), scalar as (
    select found #>> '{}' as text from found where jsonb_typeof(found) not in ('object', 'array')
    union select key from found cross join jsonb_object_keys(case jsonb_typeof(found) when 'object' then found else '{}' end) as key
  )
  select text from scalar
  union select btrim(member, ' ''"()[]{}') from scalar, regexp_split_to_table(text, '[,;|]') as member
$$;
-- Who is removed from a value: the ids and their patterns, names that count everywhere, names that count only beneath keys that name
-- such a person and in objects with the id, those that count in the whole row, patterns of CPFs, and whether everything beneath such
-- keys goes.
do $$ begin
  create type pg_temp.traces as (word text, ids text[], members text[], names text[], own_names text[], row_names text[], cpfs text[], all_beneath boolean);
exception when duplicate_object then null; end $$;
-- A string without the person, or null: as JSON or a list without the ids, if it is one.
create or replace function pg_temp.string_without(value text, who pg_temp.traces, is_beneath boolean) returns text language plpgsql immutable as $$
declare
  inner_json constant jsonb := pg_temp.parsed(value);
  cleaned jsonb;
  member text;
begin
  if inner_json is not null then
    cleaned := pg_temp.without_person(inner_json, who, is_beneath);
    return case when cleaned = inner_json then value when cleaned = 'null' then null else cleaned::text end;
  end if;
  if exists (select from unnest(who.cpfs) as cpf where value ~ cpf) or pg_temp.has_name(value, who.names || who.row_names)
    or is_beneath and (pg_temp.is_id(value, who.ids) or pg_temp.has_name(value, who.own_names)) then
    return null;
  end if;
  if is_beneath then
    foreach member in array who.members loop
      value := regexp_replace(value, member, '\\1', 'g');
    end loop;
  end if;
  return value;
end $$;
-- A payload without the person. Values that are the person's become null, and so do the objects beneath a key with the word that hold
-- an id or a name. A key that is the person's gets a number, so that no value of others is lost.
create or replace function pg_temp.without_person(value jsonb, who pg_temp.traces, is_beneath boolean default false)
returns jsonb language plpgsql immutable as $$
declare
  text constant text := value #>> '{}';
  taken integer;
  inside pg_temp.traces := who;
  plain pg_temp.traces := who;
begin
  if jsonb_typeof(value) = 'object' then
    plain.row_names := '{}';
    if is_beneath and exists (select from jsonb_each(value) as e (key, item) where jsonb_typeof(item) in ('string', 'number')
      and (pg_temp.is_id(item #>> '{}', who.ids) or pg_temp.has_name(item #>> '{}', who.names || who.own_names))) then
      return 'null';
    end if;
    -- In an object with the id, names count that others have, too. In one with the id of somebody else, they do not.
    if exists (select from jsonb_each(value) as e (key, item) where key ~* who.word and pg_temp.is_id(item #>> '{}', who.ids)) then
      inside.row_names := who.own_names;
    elsif exists (select from jsonb_each(value) as e (key, item) where key ~* who.word and key ~* '(^|_)id|id$' and item #>> '{}' ~ '^[0-9]') then
      inside.row_names := '{}';
    end if;
    select count(*) into taken from jsonb_object_keys(value) as key where key ~ '^removed [0-9]+$';
    return (
      with entry as (
        select key, item, is_beneath or key ~* who.word as is_named,
          pg_temp.string_without(key, inside, is_beneath or key ~* who.word) is distinct from key as is_removed
        from jsonb_each(value) as e (key, item)      ), numbered as (
        select *, taken + row_number() over (partition by is_removed order by key) as n from entry
      )
      select coalesce(jsonb_object_agg(
        case when is_removed then 'removed ' || n else key end,
        case when is_removed and is_named and jsonb_typeof(item) = 'object' then 'null' else pg_temp.without_person(item, case when key in ('CentroCusto', 'Conta') then plain else inside end, is_named) end
      ), '{}') from numbered);
  elsif jsonb_typeof(value) = 'array' then
    return (select coalesce(jsonb_agg(pg_temp.without_person(item, who, is_beneath) order by n), '[]')
      from jsonb_array_elements(value) with ordinality as e (item, n));
  elsif jsonb_typeof(value) = 'null' then
    return value;
  elsif is_beneath and (who.all_beneath or pg_temp.is_id(text, who.ids)) then
    return 'null';
  elsif jsonb_typeof(value) = 'string' then
    return coalesce(to_jsonb(pg_temp.string_without(text, who, is_beneath)), 'null');
  elsif text ~ '^[0-9]{9,11}$' and exists (select from unnest(who.cpfs) as cpf where lpad(text, 11, '0') ~ cpf) then
    return 'null';
  end if;
  return value;
end $$;
-- The columns of a row in which the person is.
create or replace function pg_temp.columns_with(document jsonb, who pg_temp.traces) returns text[] language sql immutable as $$
  select coalesce(array_agg(e.key), '{}') from jsonb_each(document) as e join jsonb_each(pg_temp.without_person(document, who)) as c using (key)
  where e.value <> c.value
$$;
create temporary table if not exists person (id text primary key) on commit drop;
create temporary table if not exists returned_name (person text, stored text) on commit drop;
create temporary table if not exists person_name (person text, name text, is_unique boolean) on commit drop;
create temporary table if not exists person_cpf (person text, cpf text, is_unique boolean) on commit drop;
create temporary table if not exists person_visit (person text, visit text) on commit drop;
create temporary table if not exists needle (person text, what text, text text, last_word text) on commit drop;
create temporary table if not exists candidate (person text, in_table text, id bigint, what text, text text) on commit drop;
create temporary table if not exists person_row (person text, in_table text, id bigint, how text, columns text[]) on commit drop;
create temporary table if not exists person_value (person text, in_column text, value text, what text, text text) on commit drop;
create temporary table if not exists person_left (person text, in_column text, id bigint) on commit drop;
truncate person, returned_name, person_name, person_cpf, person_visit, needle, candidate, person_row, person_value, person_left;`;
