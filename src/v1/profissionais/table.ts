import { boolean, index, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant } from "../../db/columns.ts";

/** Which professional of the salon system is which cost centre of the ERP. */
export const profissionais = pgTable(
  "profissionais",
  {
    id: id(),
    nome: text().notNull(),
    salon_id: text(),
    salon_estabelecimento_id: text(),
    erp_centro_custo_id: text(),
    erp_unidade_negocio_id: text(),
    cpf: text(),
    ativo: boolean().notNull().default(true),
    created_at: instant().notNull().defaultNow(),
    updated_at: instant().notNull().defaultNow(),
  },
  (t) => [index("profissionais_salon_id").on(t.salon_id)],
);
