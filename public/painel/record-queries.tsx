// The lists behind the figures: the request for each, its columns and its words.
import type { Column } from "./components/data-table.tsx";
import { Link } from "./components/links.tsx";
import type { Panel } from "./context.ts";
import { fileName } from "./file-name.ts";
import { centavos, days, instant, longDay } from "./format.ts";
import { clientSearch, isOfResult, type List } from "./links.ts";
import { minuteNow, rangeOf, rangeOfDays, rangeOfHour, waitingRange } from "./ranges.ts";
import { AMOUNT, amount, compareDates, count, type Query, totalOf } from "./record-columns.ts";
import { paymentsQuery } from "./record-payments.ts";
import type { Value } from "./sheet.ts";
import { nameOr } from "./units.ts";
import { elapsedDays } from "./view.ts";

/** Amounts and quantities are decimals as text, so that they keep their digits. */
type Visit = {
  salon_id: string | null;
  estabelecimento_id: string;
  total: string | null;
  data_hora: string | null;
  forma_pagamento_principal: string | null;
  qtd_servicos: number | null;
  sent_to_erp: boolean;
  cliente_nome?: string | null;
  cliente_salon_id?: string | null;
};
type Sale = {
  estabelecimento_id: string;
  data_hora: string | null;
  produto_nome: string | null;
  quantidade: string | null;
  valor_unitario: string | null;
  valor_total: string | null;
  forma_pagamento: string | null;
  cliente_nome?: string | null;
  cliente_id?: string | null;
};
const NOT_GIVEN = "Não informado";
/** Postgres allows dates that `Date` cannot parse. */
const dateOf = (at: string): Value => (Number.isNaN(Date.parse(at)) ? "data inválida" : new Date(at));

const whenAndWhere = <Of extends Visit | Sale>({ unitName }: Panel): Column<Of>[] => [
  {
    title: "Data",
    value: ({ data_hora }) => (data_hora === null ? "Sem data" : dateOf(data_hora)),
    cell: ({ data_hora }) => (data_hora === null ? "Sem data" : instant(data_hora)),
    isBelow: true,
  },
  { title: "Unidade", value: ({ estabelecimento_id }) => unitName(estabelecimento_id) },
];

const clientColumn = <Of extends Visit | Sale>(
  { rights, place }: Panel,
  idOf: (row: Of) => string | null | undefined,
): Column<Of>[] => {
  if (!rights.personalData) return [];
  const nameOf = ({ cliente_nome }: Of) => nameOr(cliente_nome, "Cliente não informado");
  const cell = (row: Of) => {
    const to = clientSearch(place.view, idOf(row) ?? null);
    return to === undefined ? nameOf(row) : <Link to={to}>{nameOf(row)}</Link>;
  };
  return [{ title: "Cliente", value: nameOf, cell }];
};

/** Latest first, and of one time the highest id first. */
const latestFirst = <Of extends Visit | Sale>(rows: readonly Of[]): readonly Of[] =>
  rows.toReversed().sort((a, b) => compareDates(b.data_hora ?? "", a.data_hora ?? ""));

/** The days of a list: in words, as parameters, and in the name of its file. */
const periodOf = ({ name, from, to = from, hour, unit }: List, { place: { view }, dataUntil }: Panel) => {
  const chosen: { estabelecimento_id?: string } = unit ? { estabelecimento_id: unit } : {};
  const { today } = view.clock;
  if (name === "todos-pendentes")
    return { text: "de todos os períodos", range: chosen, days: { from: today, to: today } };
  if (name === "pendentes-antigos") {
    const range = waitingRange(dataUntil ?? minuteNow());
    const text = "há mais de um dia, nos últimos 60 dias";
    return { text, range: { ...range, ...chosen }, days: { from: today, to: today } };
  }
  if (from === undefined || to === undefined || from > to) {
    const { data_inicio, data_fim } = rangeOf(view);
    const shown = elapsedDays(view);
    return { text: days(shown), range: { data_inicio, data_fim, ...chosen }, days: shown };
  }
  const shown = { from, to };
  if (hour === undefined)
    return { text: days(shown), range: { ...rangeOfDays(shown), ...chosen }, days: shown };
  const text = `${longDay(from)}, das ${hour}h às ${hour + 1}h`;
  return { text, range: { ...rangeOfHour(from, hour), ...chosen }, days: { from, to: from } };
};

const visitsQuery = (list: List, panel: Panel): Query<Visit> => {
  const isPending = list.name !== "atendimentos";
  const { text, range, days: shown } = periodOf(list, panel);
  const amountOf = ({ total }: Visit) => total;
  const fields = ["salon_id", "estabelecimento_id", "total", "data_hora", "forma_pagamento_principal"];
  const filters = { ...range, ...(isPending && { sent_to_erp: "false" }) };
  return {
    subtitle: `${panel.unitName(list.unit)} · ${text}`,
    resource: "transacoes",
    file: fileName(isPending ? "atendimentos-nao-enviados" : "atendimentos", shown),
    filters,
    sum: totalOf("visitas", filters),
    fields: [
      ...fields,
      "qtd_servicos",
      "sent_to_erp",
      ...(panel.rights.personalData ? ["cliente_nome", "cliente_salon_id"] : []),
    ],
    columns: [
      ...clientColumn<Visit>(panel, (row) => row.cliente_salon_id),
      ...whenAndWhere<Visit>(panel),
      { ...amount(AMOUNT, amountOf), isMain: true },
      {
        title: "Forma de pagamento",
        value: ({ forma_pagamento_principal: form }) => nameOr(form, NOT_GIVEN),
      },
      count("Serviços", ({ qtd_servicos: services }) => (services === null ? null : String(services))),
      ...(isPending
        ? []
        : [{ title: "ERP", value: ({ sent_to_erp }: Visit) => (sent_to_erp ? "Enviado" : "Não enviado") }]),
      { title: "Código", value: ({ salon_id }) => salon_id },
    ],
    amountOf,
    sorted: latestFirst,
  };
};

const salesQuery = (list: List, panel: Panel): Query<Sale> => {
  const { text, range, days: shown } = periodOf(list, panel);
  const amountOf = ({ valor_total }: Sale) => valor_total;
  const fields = ["estabelecimento_id", "data_hora", "produto_nome", "quantidade", "valor_unitario"];
  const filters = { ...range, ...(list.product && { produto_id: list.product }) };
  return {
    subtitle: `${panel.unitName(list.unit)} · ${text}`,
    resource: "vendas-produto",
    file: fileName("vendas", shown),
    filters,
    // With what professionals took for themselves, as the list.
    sum: {
      report: "vendas",
      query: { ...filters, medidas: "valor_total,valor_profissional" },
      in: ({ totais: { valor_total, valor_profissional } }) =>
        (centavos(valor_total ?? 0) + centavos(valor_profissional ?? 0)) / 100,
    },
    fields: [
      ...fields,
      "valor_total",
      "forma_pagamento",
      ...(panel.rights.personalData ? ["cliente_nome", "cliente_id"] : []),
    ],
    columns: [
      { title: "Produto", value: ({ produto_nome }) => nameOr(produto_nome, "Produto não identificado") },
      ...whenAndWhere<Sale>(panel),
      { ...amount(AMOUNT, amountOf), isMain: true },
      count("Quantidade", ({ quantidade }) => quantidade),
      amount("Valor unitário", ({ valor_unitario }) => valor_unitario),
      { title: "Forma de pagamento", value: ({ forma_pagamento }) => nameOr(forma_pagamento, NOT_GIVEN) },
      ...clientColumn<Sale>(panel, (row) => row.cliente_id),
    ],
    amountOf,
    sorted: latestFirst,
  };
};

/** The request of a list. Its columns read the rows of its resource. */
export const queryOf = (list: List, panel: Panel): Query => {
  const query =
    list.name === "vendas"
      ? salesQuery(list, panel)
      : isOfResult(list) || list.name.startsWith("venc")
        ? paymentsQuery(list, panel)
        : visitsQuery(list, panel);
  return query as unknown as Query;
};
