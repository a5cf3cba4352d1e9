// The lists behind the figures: the request for each, its columns and its words.
import type { Column } from "./components/data-table.tsx";
import type { Panel } from "./context.ts";
import { fileName } from "./file-name.ts";
import { counted, days, instant, longDay, money, number, shortDay } from "./format.ts";
import type { List } from "./links.ts";
import { dueDays, dueRange, rangeOf, rangeOfDays, rangeOfHour } from "./ranges.ts";
import type { Value } from "./sheet.ts";
import { nameOr } from "./units.ts";
import { type Days, dayCount, elapsedDays, isDay, type View } from "./view.ts";

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
};
type Payment = {
  erp_id: number;
  id_centro_custo: string | null;
  nome_conta_classificacao: string | null;
  valor: string | null;
  data_vencimento: string | null;
  descricao?: string | null;
};
export type Row = Visit | Sale | Payment;

export interface Query<Of = Row> {
  title: string;
  /** The unit and the days. */
  subtitle: string;
  resource: string;
  file: string;
  filters: Record<string, string>;
  fields: readonly string[];
  columns: readonly Column<Of>[];
  /** The amount that a file with all rows adds up, in the column `AMOUNT`. */
  amountOf: (row: Of) => number | null;
}

/** The title of the column with the amount. */
export const AMOUNT = "Valor";
const NOT_GIVEN = "Não informado";

/** Postgres allows numbers that are none, and dates that `Date` cannot parse. */
const numberOf = (text: string | null) =>
  text !== null && Number.isFinite(Number(text)) ? Number(text) : null;
const reais = (amount: number | null) => (amount === null ? "—" : money(amount));
const dateOf = (at: string): Value => (Number.isNaN(Date.parse(at)) ? "data inválida" : new Date(at));
/** A day that the panel does not show is its text. */
const dayOf = (day: string | null): Value => {
  if (day === null) return "Sem data";
  return isDay(day) ? new Date(rangeOfDays({ from: day, to: day }).data_inicio) : shortDay(day);
};
/** JSON rounds longer integers. */
const codeOf = (id: number): string => (Number.isSafeInteger(id) ? String(id) : "Código longo demais");

const amount = <Of>(
  title: string,
  amountOf: (row: Of) => number | null,
  more: Partial<Column<Of>> = {},
): Column<Of> => ({ title, value: amountOf, cell: (row) => reais(amountOf(row)), isNumber: true, ...more });

const count = <Of>(title: string, countOf: (row: Of) => number | null): Column<Of> => ({
  title,
  value: countOf,
  cell: (row) => {
    const value = countOf(row);
    return value === null ? "—" : number(value);
  },
  isNumber: true,
});

const whenAndWhere = <Of extends Visit | Sale>({ unitName }: Panel): Column<Of>[] => [
  {
    title: "Data",
    value: ({ data_hora }) => (data_hora === null ? "Sem data" : dateOf(data_hora)),
    cell: ({ data_hora }) => (data_hora === null ? "Sem data" : instant(data_hora)),
  },
  { title: "Unidade", value: ({ estabelecimento_id }) => unitName(estabelecimento_id) },
];

const clientColumn = <Of extends Visit | Sale>({ rights }: Panel): Column<Of>[] =>
  rights.personalData
    ? [{ title: "Cliente", value: ({ cliente_nome }) => nameOr(cliente_nome, "Cliente não informado") }]
    : [];

/** The days of a list: in words, as parameters, and in the name of its file. */
const periodOf = ({ name, from, to = from, hour, unit }: List, view: View) => {
  const chosen: { estabelecimento_id?: string } = unit ? { estabelecimento_id: unit } : {};
  const { today } = view.clock;
  if (name === "todos-pendentes")
    return { text: "de todos os períodos", range: chosen, days: { from: today, to: today } };
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
  const { text, range, days: shown } = periodOf(list, panel.place.view);
  const amountOf = ({ total }: Visit) => numberOf(total);
  const fields = ["salon_id", "estabelecimento_id", "total", "data_hora", "forma_pagamento_principal"];
  return {
    title: isPending ? "Atendimentos não enviados ao ERP" : "Atendimentos",
    subtitle: `${panel.unitName(list.unit)} · ${text}`,
    resource: "transacoes",
    file: fileName(isPending ? "atendimentos-nao-enviados" : "atendimentos", shown),
    filters: { ...range, ...(isPending && { sent_to_erp: "false" }) },
    fields: [
      ...fields,
      "qtd_servicos",
      "sent_to_erp",
      ...(panel.rights.personalData ? ["cliente_nome"] : []),
    ],
    columns: [
      ...clientColumn<Visit>(panel),
      ...whenAndWhere<Visit>(panel),
      amount(AMOUNT, amountOf, { isMain: true }),
      {
        title: "Forma de pagamento",
        value: ({ forma_pagamento_principal: form }) => nameOr(form, NOT_GIVEN),
      },
      count("Serviços", ({ qtd_servicos }) => qtd_servicos),
      ...(isPending
        ? []
        : [{ title: "ERP", value: ({ sent_to_erp }: Visit) => (sent_to_erp ? "Enviado" : "Não enviado") }]),
      { title: "Código", value: ({ salon_id }) => salon_id },
    ],
    amountOf,
  };
};

const salesQuery = (list: List, panel: Panel): Query<Sale> => {
  const { text, range, days: shown } = periodOf(list, panel.place.view);
  const amountOf = ({ valor_total }: Sale) => numberOf(valor_total);
  const fields = ["estabelecimento_id", "data_hora", "produto_nome", "quantidade", "valor_unitario"];
  return {
    title: "Vendas de produtos",
    subtitle: `${panel.unitName(list.unit)} · ${text}`,
    resource: "vendas-produto",
    file: fileName("vendas", shown),
    filters: { ...range, ...(list.product && { produto_id: list.product }) },
    fields: [
      ...fields,
      "valor_total",
      "forma_pagamento",
      ...(panel.rights.personalData ? ["cliente_nome"] : []),
    ],
    columns: [
      { title: "Produto", value: ({ produto_nome }) => nameOr(produto_nome, "Produto não identificado") },
      ...whenAndWhere<Sale>(panel),
      amount(AMOUNT, amountOf, { isMain: true }),
      count("Quantidade", ({ quantidade }) => numberOf(quantidade)),
      amount("Valor unitário", ({ valor_unitario }) => numberOf(valor_unitario)),
      { title: "Forma de pagamento", value: ({ forma_pagamento }) => nameOr(forma_pagamento, NOT_GIVEN) },
      ...clientColumn<Sale>(panel),
    ],
    amountOf,
  };
};

/** sáb., 05/12/2026 (há 3 dias). */
const dueText = (day: string | null, { clock: { today } }: View) => {
  if (day === null) return "Sem data";
  const late = dayCount({ from: day, to: today }) - 1;
  // Not of a date that `Date` cannot parse.
  return `${shortDay(day)}${late > 0 ? ` (há ${counted(late, "dia", "dias")})` : ""}`;
};

const dueDaysText = ({ from, to }: Partial<Days>) => {
  if (from === undefined) return to === undefined ? "de todos os períodos" : `até ${longDay(to)}`;
  return to === undefined ? `a partir de ${longDay(from)}` : days({ from, to });
};

const dueFileName = (file: string, { from, to }: Partial<Days>, { clock: { today } }: View) => {
  if (from !== undefined) return fileName(file, { from, ...(to && { to }) });
  return to === undefined ? fileName(file, { from: today }) : fileName(`${file}-ate`, { from: to });
};

/** The title of a list of payments, its due days, and what its file is called. */
const dueOf = ({ name, from, to }: List, view: View): [title: string, due: Partial<Days>, file: string] => {
  const { overdue, week, month } = dueDays(view);
  if (name === "vencidos") return ["Pagamentos vencidos", overdue, "pagamentos-vencidos"];
  if (name === "vencem-em-7-dias") return ["Pagamentos que vencem em 7 dias", week, "pagamentos-em-7-dias"];
  if (name === "vencem-em-30-dias")
    return ["Pagamentos que vencem em 30 dias", month, "pagamentos-em-30-dias"];
  const isReversed = from !== undefined && to !== undefined && from > to;
  return ["Pagamentos pendentes", { ...(from && { from }), ...(to && !isReversed && { to }) }, "pagamentos"];
};

const paymentsQuery = (list: List, { place: { view }, centreName, rights }: Panel): Query<Payment> => {
  const [title, due, file] = dueOf(list, view);
  const amountOf = ({ valor }: Payment) => numberOf(valor);
  const fields = ["erp_id", "id_centro_custo", "nome_conta_classificacao", "valor", "data_vencimento"];
  return {
    title,
    subtitle: `${list.costCentre ? centreName(list.costCentre) : "Todos os centros de custo"} · vencimento ${dueDaysText(due)}`,
    resource: "pagamentos-erp",
    file: dueFileName(file, due, view),
    filters: {
      situacao: "1",
      ordem: "vencimento",
      ...dueRange(due),
      ...(list.costCentre && { id_centro_custo: list.costCentre }),
    },
    fields: [...fields, ...(rights.personalData ? ["descricao"] : [])],
    columns: [
      { title: "Conta", value: (row) => nameOr(row.nome_conta_classificacao, "Conta não informada") },
      {
        title: "Vencimento",
        value: ({ data_vencimento }) => dayOf(data_vencimento),
        cell: ({ data_vencimento }) => dueText(data_vencimento, view),
      },
      amount(AMOUNT, amountOf, { isMain: true }),
      { title: "Centro de custo", value: ({ id_centro_custo }) => centreName(id_centro_custo) },
      ...(rights.personalData
        ? [{ title: "Descrição", value: ({ descricao }: Payment) => descricao?.trim() || null }]
        : []),
      { title: "Código", value: ({ erp_id }) => codeOf(erp_id) },
    ],
    amountOf,
  };
};

/** The request of a list. Its columns read the rows of its resource. */
export const queryOf = (list: List, panel: Panel): Query => {
  const query =
    list.name === "vendas"
      ? salesQuery(list, panel)
      : list.name.startsWith("venc")
        ? paymentsQuery(list, panel)
        : visitsQuery(list, panel);
  return query as unknown as Query;
};
