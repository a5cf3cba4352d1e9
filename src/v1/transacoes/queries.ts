import { type SQL, sql } from "drizzle-orm";
import { byTime } from "../../db/lists.ts";
import { listByPage } from "../../db/pages.ts";
import { findByKey } from "../../db/records.ts";
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
 * Adds the professional to each object in `servicos` (V5). Returns json, not jsonb: converting would cost
 * more than the lookups. @param professionalOf SQL for the professional with this unit and `salon_id`
 */
const enrichServices = (
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
  ...selectionOf(t, Transacao, { servicos: enrichServices(lookUpProfessional) }),
  shared: professionals,
};

/** Latest visit first (L1). The range filters `data_hora` (L2). */
export const listTransacoes = listByPage<typeof ListTransacoes, typeof TransacaoPage>(
  transacao,
  ({ estabelecimento_id, sent_to_erp, ...range }) =>
    byTime(t, t.data_hora, { rollup: transacoesRollup, filters: { estabelecimento_id, sent_to_erp }, range }),
);

/** Returns the fields of the list and `id`, `erp_recebimento_id`, `sent_at` and `raw_data` (V4). */
export const findTransacao = findByKey(
  selectionOf(t, TransacaoDetalhada, { servicos: enrichServices(findProfessional) }),
  t.salon_id,
);
