import { type SQL, sql } from "drizzle-orm";
import { byOwnIndex, byTime } from "../../../platform/db/lists.ts";
import { listOf } from "../../../platform/db/pagination.ts";
import { findByKey } from "../../../platform/db/records.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import { visitasFacts } from "../facts/table.ts";
import {
  findProfessional,
  lookUpProfessional,
  PROFESSIONAL_KEY,
  professionals,
} from "../professional-map.ts";
import { type ListTransacoes, Transacao, TransacaoDetalhada, type TransacaoPage } from "./schemas.ts";
import { transacoes as t, transacoesClienteRollup, transacoesRollup } from "./table.ts";

/** Shows everything: `object` and `other` are items of `servicos`, `noArray` is a value that is not an array. */
const UNMASKED = { object: sql`service`, other: sql`service`, noArray: sql`${t.servicos}::json` };

/**
 * Adds the professional to each object in `servicos` (V5). Returns json, not jsonb: converting would cost
 * more than the lookups. @param professionalOf SQL for the professional with this unit and `salon_id`
 */
const enrichServices = (
  professionalOf: (unit: SQL, salonId: SQL) => SQL,
  { object, other, noArray }: Record<"object" | "other" | "noArray", SQL> = UNMASKED,
) => {
  const professional = professionalOf(sql`${t.estabelecimento_id}`, sql`(service ->> ${PROFESSIONAL_KEY})`);
  const item = sql`
    case
      when jsonb_typeof(service) = 'object' then ${object} || ${professional}
      else ${other}
    end`;
  const items = sql`
    select coalesce(json_agg(${item}), '[]')
    from (select jsonb_array_elements(${t.servicos}) as service) as services`;
  return sql`
    case
      when jsonb_typeof(${t.servicos}) = 'array' then (${items})
      else ${noArray}
    end`;
};

/** A value that is an object or an array could contain anything (A11). */
const plainValue = sql`case when jsonb_typeof(value) in ('object', 'array') then 'null' else value end`;

/** Keeps the keys that name no client. */
const MASKED = {
  object: sql`(
    select coalesce(jsonb_object_agg(key, ${plainValue}), '{}')
    from jsonb_each(service)
    where key in (${PROFESSIONAL_KEY}, 'nome', 'valor', 'cortesia')
  )`,
  other: sql`'null'::jsonb`,
  noArray: sql`null`,
};

/** How a visit is read, with the professionals of its services found by `professionalOf`. */
const servicesOf = (professionalOf: (unit: SQL, salonId: SQL) => SQL) => ({
  computed: { servicos: enrichServices(professionalOf) },
  options: { unit: t.estabelecimento_id, masks: { servicos: enrichServices(professionalOf, MASKED) } },
});
/** What a reader without personal data gets of the stored services, without their professionals. */
export const maskedServices = enrichServices(() => sql`'{}'::jsonb`, MASKED);

const [inList, alone] = [servicesOf(lookUpProfessional), servicesOf(findProfessional)];

export const transacao = {
  ...selectionOf(t, Transacao, inList.computed, inList.options),
  shared: { field: "servicos", expression: professionals },
};

/** Latest visit first (L1). The range filters `data_hora` (L2). */
export const listTransacoes = listOf<typeof ListTransacoes, typeof TransacaoPage>(
  transacao,
  ({ cliente_salon_id, sent_to_erp, ...range }, { units }) => {
    const filters = { cliente_salon_id, estabelecimento_id: units, sent_to_erp };
    const query = { filters, range, facts: visitasFacts };
    return cliente_salon_id
      ? byOwnIndex(t, t.data_hora, query, sent_to_erp ? undefined : transacoesClienteRollup)
      : byTime(t, t.data_hora, { rollup: transacoesRollup, ...query });
  },
);

export const transacaoDetalhada = selectionOf(t, TransacaoDetalhada, alone.computed, alone.options);

/** Returns the fields of the list and `id`, `erp_recebimento_id`, `sent_at` and `raw_data` (V4). */
export const findTransacao = findByKey(transacaoDetalhada, t.salon_id);
