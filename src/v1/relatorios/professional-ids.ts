import { type SQL, sql } from "drizzle-orm";
import type { Scope } from "../../db/scope.ts";

/** The sums by unit and professional. An id that is an object or an array is null in `servicos` too (A11). */
export const maskProfessionalIds = (sums: SQL, measures: string[], { hidesPersonalData }: Scope): SQL => {
  if (!hidesPersonalData) return sums;
  return sql`
    select estabelecimento_id,
      case when profissional !~ '^[[{]' then profissional end as profissional,
      ${sql.raw(measures.join(", "))}
    from (${sums}) as sums`;
};

/** The end of a select whose rows may be limited. */
export const limitClause = (limit: SQL | undefined): SQL => (limit ? sql` limit ${limit}` : sql``);
