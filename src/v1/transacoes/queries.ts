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
 * Adds name and cost centre to each object in `servicos`, and passes anything else through (V5). The result is json:
 * building jsonb or parsing the joined text would cost more than all lookups.
 * @param professionalOf returns the professional of a unit and `salon_id` as jsonb
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

/** Latest visit first (L1). The range filters `data_hora` (L2). */
export const listTransacoes = listByPage<typeof ListTransacoes, typeof TransacaoPage>(
  transacao,
  ({ estabelecimento_id, sent_to_erp, ...range }) =>
    byTime(t, t.data_hora, { rollup: transacoesRollup, filters: { estabelecimento_id, sent_to_erp }, range }),
);

/** Returns the fields of the list and four more (V4). */
export const findTransacao = findByKey(
  selectionOf(t, TransacaoDetalhada, { servicos: enriched(findProfessional) }),
  t.salon_id,
);
