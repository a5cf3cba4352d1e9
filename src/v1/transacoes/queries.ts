import { type SQL, sql } from "drizzle-orm";
import { one, page } from "../../db/bodies.ts";
import { byTime } from "../../db/lists.ts";
import { selectionOf } from "../../db/selection.ts";
import {
  findProfessional,
  lookUpProfessional,
  PROFESSIONAL_KEY,
  professionals,
} from "../professional-map.ts";
import { type ListTransacoes, Transacao, TransacaoDetalhada, type TransacaoPage } from "./schemas.ts";
import { transacoes as t, transacoesRollup } from "./table.ts";

/**
 * Every object among the services gains name and cost centre; anything else passes through (V5). Elements are written in the
 * order they come in and as they are, as building another jsonb of them, or parsing what was joined, would cost more than
 * all lookups.
 * @param professionalOf a professional of a unit and `salon_id`, as jsonb
 */
const enriched = (
  professionalOf: (unit: SQL, salonId: SQL) => SQL,
) => sql`case when jsonb_typeof(${t.servicos}) = 'array' then (
  select coalesce(json_agg(
    case when jsonb_typeof(service) = 'object'
      then service || ${professionalOf(sql`${t.estabelecimento_id}`, sql`(service ->> ${PROFESSIONAL_KEY})`)}
      else service
    end), '[]')
  from (select jsonb_array_elements(${t.servicos}) as service) as services
) else ${t.servicos}::json end`;

export const transacao = {
  ...selectionOf(t, Transacao, { servicos: enriched(lookUpProfessional) }),
  shared: professionals,
};

/** Latest visit first (L1). The range is over `data_hora` (L2). */
export const listTransacoes = page<typeof ListTransacoes, typeof TransacaoPage>(
  transacao,
  ({ estabelecimento_id, sent_to_erp, ...range }) =>
    byTime(t, t.data_hora, { rollup: transacoesRollup, filters: { estabelecimento_id, sent_to_erp }, range }),
);

/** All fields of the list and the four of the detail (V4). */
export const findTransacao = one(
  selectionOf(t, TransacaoDetalhada, { servicos: enriched(findProfessional) }),
  t.salon_id,
);
