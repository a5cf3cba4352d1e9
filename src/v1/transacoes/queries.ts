import { desc, eq, sql } from "drizzle-orm";
import { one, page } from "../../db/bodies.ts";
import { byTime } from "../../db/lists.ts";
import { asText } from "../../db/values.ts";
import { lookUpProfessional, PROFESSIONAL_KEY, professionals, professionalsOf } from "../professional-map.ts";
import type { ListTransacoes, TransacaoDetalhada, TransacaoPage } from "./schemas.ts";
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

const columns = {
  salon_id: t.salon_id,
  estabelecimento_id: t.estabelecimento_id,
  total: asText(t.total),
  data_hora: t.data_hora,
  cliente_salon_id: t.cliente_salon_id,
  cliente_nome: t.cliente_nome,
  forma_pagamento_principal: t.forma_pagamento_principal,
  valor_pagamento: asText(t.valor_pagamento),
  parcelas: t.parcelas,
  qtd_servicos: t.qtd_servicos,
  servicos: enriched,
  sent_to_erp: t.sent_to_erp,
  synced_at: t.synced_at,
};

const detailed = {
  id: t.id,
  ...columns,
  erp_recebimento_id: t.erp_recebimento_id,
  sent_at: t.sent_at,
  raw_data: t.raw_data,
};

/** Latest visit first (L1). The range is over `data_hora` (L2). */
export const listTransacoes = page<ListTransacoes, TransacaoPage>(
  ({ estabelecimento_id, sent_to_erp, ...range }) => ({
    table: t,
    columns,
    shared: professionals,
    order: [desc(t.data_hora), desc(t.id)],
    find: byTime({ rollup: transacoesRollup, filters: { estabelecimento_id, sent_to_erp }, range }),
  }),
);

/** All fields of the list and the four of the detail (V4). */
export const findTransacao = one<{ id: string }, TransacaoDetalhada>(({ id }) => ({
  table: t,
  columns: detailed,
  shared: professionals,
  where: eq(t.salon_id, id),
}));
