import { desc, sql } from "drizzle-orm";
import { one, page } from "../../db/bodies.ts";
import { byTime } from "../../db/lists.ts";
import { selectionOf } from "../../db/selection.ts";
import { lookUpProfessional, PROFESSIONAL_KEY, professionals, professionalsOf } from "../professional-map.ts";
import { type ListTransacoes, Transacao, TransacaoDetalhada, type TransacaoPage } from "./schemas.ts";
import { transacoes as t, transacoesRollup } from "./table.ts";

/**
 * Every object among the services gains name and cost centre; anything else passes through (V5). The unit's
 * professionals are looked up once a visit, which `offset 0` sees to; the elements are joined as texts, in the order
 * they come in, because building another jsonb of them would cost more than all lookups.
 */
const enriched = sql`case when jsonb_typeof(${t.servicos}) = 'array' then (
  select ('[' || coalesce(string_agg((
    case when jsonb_typeof(service) = 'object'
      then service || ${lookUpProfessional(sql`of_unit`, sql`(service ->> ${PROFESSIONAL_KEY})`)}
      else service
    end)::text, ', '), '') || ']')::json
  from (select ${professionalsOf(sql`${t.estabelecimento_id}`)} as of_unit offset 0) as unit,
    jsonb_array_elements(${t.servicos}) as services(service)
) else ${t.servicos}::json end`;

export const transacao = { ...selectionOf(t, Transacao, { servicos: enriched }), shared: professionals };

/** Latest visit first (L1). The range is over `data_hora` (L2). */
export const listTransacoes = page<typeof ListTransacoes, typeof TransacaoPage>(
  transacao,
  ({ estabelecimento_id, sent_to_erp, ...range }) => ({
    order: [desc(t.data_hora), desc(t.id)],
    find: byTime({ rollup: transacoesRollup, filters: { estabelecimento_id, sent_to_erp }, range }),
  }),
);

/** All fields of the list and the four of the detail (V4). */
export const findTransacao = one(
  { ...selectionOf(t, TransacaoDetalhada, { servicos: enriched }), shared: professionals },
  t.salon_id,
);
