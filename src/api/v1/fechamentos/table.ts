import { sql } from "drizzle-orm";
import { check, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { idColumn, instantColumn } from "../../../platform/db/columns.ts";

export const TIPOS = ["fechamento", "reabertura"] as const;

/**
 * Closed months (F2), one row for each closing and reopening. Only a command inserts, and no row changes but for its
 * note. `valores` and `marcadores` are JSON in `text` columns: the hash is of this very text.
 */
export const fechamentos = pgTable(
  "fechamentos",
  {
    id: idColumn(),
    /** AAAA-MM. */
    mes: text().notNull(),
    /** 1 for the first row of a month, then one more for each. */
    versao: integer().notNull(),
    tipo: text({ enum: TIPOS }).notNull(),
    registrado_em: instantColumn().notNull(),
    versao_servico: text().notNull(),
    /** The operating-system user who ran the command. */
    usuario: text().notNull(),
    nota: text(),
    /** The figures, as `signedFigures` writes them; `{}` for a reopening. */
    valores: text().notNull(),
    /** The epoch and the last change of each feed; `{}` for a reopening. */
    marcadores: text().notNull(),
    hash: text().notNull(),
    /** The hash of the row before, or null for the first one. */
    hash_anterior: text(),
  },
  (t) => [
    unique("fechamentos_version").on(t.mes, t.versao),
    unique("fechamentos_chain").on(t.hash_anterior).nullsNotDistinct(),
    check("fechamentos_month", sql`${t.mes} ~ '^\\d{4}-(0[1-9]|1[0-2])$'`),
    check(
      "fechamentos_kind",
      sql`${t.tipo} in ('fechamento', 'reabertura') and (${t.tipo} = 'reabertura') = (${t.valores} = '{}')`,
    ),
    check("fechamentos_hash_form", sql`${t.hash} ~ '^[0-9a-f]{64}$'`),
  ],
);
