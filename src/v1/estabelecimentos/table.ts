import { bigint, boolean, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant } from "../../db/columns.ts";

/** Business units: salons and stores, and how each system names them. */
export const estabelecimentos = pgTable("estabelecimentos", {
  id: id(),
  nome: text().notNull(),
  salon_id: text().unique(),
  erp_id: text(),
  erp_centro_custo_id: bigint({ mode: "number" }),
  ativo: boolean().notNull().default(true),
  created_at: instant().notNull().defaultNow(),
});
