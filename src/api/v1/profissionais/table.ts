import { boolean, index, pgTable, text } from "drizzle-orm/pg-core";
import { idColumn, instantColumn } from "../../../platform/db/columns.ts";

/** Maps professionals of the salon system to cost centres of the ERP. */
export const profissionais = pgTable(
  "profissionais",
  {
    id: idColumn(),
    nome: text().notNull(),
    salon_id: text(),
    salon_estabelecimento_id: text(),
    erp_centro_custo_id: text(),
    erp_unidade_negocio_id: text(),
    cpf: text(),
    ativo: boolean().notNull().default(true),
    created_at: instantColumn().notNull().defaultNow(),
    updated_at: instantColumn().notNull().defaultNow(),
  },
  (t) => [index("profissionais_salon_id").on(t.salon_id)],
);
