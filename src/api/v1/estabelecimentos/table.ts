import { bigint, boolean, pgTable, text } from "drizzle-orm/pg-core";
import { idColumn, instantColumn } from "../../../platform/db/columns.ts";

/** Business units (salons and stores) with their id in each system. */
export const estabelecimentos = pgTable("estabelecimentos", {
  id: idColumn(),
  nome: text().notNull(),
  salon_id: text().unique(),
  erp_id: text(),
  erp_centro_custo_id: bigint({ mode: "number" }),
  ativo: boolean().notNull().default(true),
  created_at: instantColumn().notNull().defaultNow(),
});
