import { asc, type Column, type SQL, sql } from "drizzle-orm";

/** A regular expression in SQL for the accents of a text in NFD. */
export const COMBINING_MARKS =
  "[\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]";

/** As many letters as an index holds: a longer name must not exceed the size of an index entry. */
const INDEXED = sql.raw("64");

/**
 * The first letters of a name, for an index. This is the body of the SQL function `name_sort_key`, which
 * Postgres inlines in queries. An index with a call would require every loader to have the right to execute
 * the function.
 */
export const indexedLetters = (name: Column): SQL => {
  const isAscii = sql`octet_length(${name}) = length(${name})`;
  const marks = sql.raw(`'${COMBINING_MARKS}'`);
  const withoutMarks = sql`regexp_replace(normalize(${name}, nfd), ${marks}, '', 'g')`;
  const letters = sql`case when ${isAscii} then lower(${name}) else lower(${withoutMarks}) end`;
  return sql`left(${letters}, ${INDEXED}) collate "C"`;
};

/** The order of names (L1): by their letters without case and accents, then as stored. Null is last. */
export const byName = (name: Column): SQL[] => [
  sql`left(name_sort_key(${name}), ${INDEXED}) collate "C"`,
  // Other letters decide only between long names.
  sql`(case
    when octet_length(${name}) > ${INDEXED} then substr(name_sort_key(${name}), ${INDEXED} + 1)
    else ''
  end) collate "C"`,
  asc(name),
];
