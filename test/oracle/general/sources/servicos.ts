import {
  CALENDAR,
  CYCLE_FILTERS,
  CYCLES,
  column,
  count,
  equal,
  money,
  OF_INSTANTS,
  type PlainSource,
  PROFESSIONAL,
  UNIT,
  written,
} from "../plain-source.ts";

export const servicos: PlainSource = {
  rows: () => `
    select data_hora as at, id as visit, estabelecimento_id,
      case when jsonb_typeof(s -> 'nome') = 'string' then substr(s ->> 'nome', 1, 200) end as servico,
      case when s ->> 'idProfissionalQueRealizouServico' <> '' then substr(s ->> 'idProfissionalQueRealizouServico', 1, 200) end as profissional_id,
      coalesce(jsonb_typeof(s -> 'cortesia') = 'boolean' and (s ->> 'cortesia')::text = 'true', false) as is_free,
      case when jsonb_typeof(s -> 'valor') = 'number' then (s ->> 'valor')::numeric else 0 end as price
    from transacoes, jsonb_array_elements(case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) as items (s)
    where jsonb_typeof(s) = 'object'`,
  ...OF_INSTANTS,
  dimensions: {
    ...CALENDAR,
    ...CYCLES,
    unidade: UNIT,
    servico: column("servico"),
    profissional: PROFESSIONAL,
  },
  measures: {
    servicos: count(),
    cortesias: count("is_free"),
    valor_total: money("price"),
    visitas: { sql: "count(distinct visit)", empty: "0", isExtra: true },
  },
  filters: {
    ...CYCLE_FILTERS,
    servico: written("servico", ["Corte", "Escova", "Luzes"]),
    profissional_salon_id: equal("profissional_id", ["5001", "5002", "true", "5999"]),
  },
};
