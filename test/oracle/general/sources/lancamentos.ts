import { CALENDAR, column, count, equal, money, type PlainSource, UNIT, written } from "../plain-source.ts";

const TEXT = "raw_data ->> 'DataVencimento'";
const part = (from: number, length: number) => `substr(${TEXT}, ${from}, ${length})::int`;
/** The date that the digits add up to. It has the same digits only if they are a date. */
const ADDED = `(make_date(${part(1, 4)}, 1, 1) + (${part(6, 2)} - 1) * interval '1 month' + (${part(9, 2)} - 1) * interval '1 day')::date`;
const DUE = `case when ${TEXT} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}' and ${TEXT} not like '0000%'
  then case when to_char(${ADDED}, 'YYYY-MM-DD') = substr(${TEXT}, 1, 10) then ${ADDED} end end`;

const text = (name: string) =>
  `case when jsonb_typeof(raw_data -> '${name}') = 'string' then substr(raw_data ->> '${name}', 1, 200) end`;

const isDue = (data: string | undefined) => data !== "sincronizacao";

export const lancamentos: PlainSource = {
  rows: ({ data }) => `
    select ${isDue(data) ? `${DUE} as day` : "synced_at as at"}, estabelecimento_id, ${text("Pessoa")} as pessoa,
      ${text("CentroCusto")} as centro_custo, sent_to_salon,
      case when jsonb_typeof(raw_data -> 'ValorBruto') = 'number' then (raw_data ->> 'ValorBruto')::numeric end as worth
    from lancamentos`,
  isDate: isDue,
  isAhead: isDue,
  dates: ["vencimento", "sincronizacao"],
  hasUnits: true,
  dimensions: {
    ...CALENDAR,
    unidade: UNIT,
    pessoa: { ...column("pessoa"), isPersonal: true },
    centro_custo: { ...column("centro_custo"), isPersonal: true },
    enviado: column("sent_to_salon"),
  },
  measures: {
    lancamentos: count(),
    valor_total: money("worth"),
    enviados: count("sent_to_salon"),
    pendentes: count("not sent_to_salon"),
    valor_pendente: money("worth", "not sent_to_salon"),
    sem_valor: count("worth is null"),
  },
  filters: {
    sent_to_salon: equal("sent_to_salon", ["true", "false"]),
    pessoa: { ...written("pessoa", ["Ana", "Íris", "Íris".normalize("NFD"), "Rui"]), isPersonal: true },
  },
};
