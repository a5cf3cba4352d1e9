/** The order of a list by name, in SQL: by the letters without case and accents, then as stored (L1). */
export const BY_NAME = `lower(regexp_replace(normalize(nome, nfd), '[\\u0300-\\u036f]', '', 'g')) collate "C" nulls last, nome nulls last`;
