// The lists of payments: by when they are due.
import type { Panel } from "./context.ts";
import { fileName } from "./file-name.ts";
import { counted, days, longDay, shortDay } from "./format.ts";
import { isOfResult, type List } from "./links.ts";
import { dueDays, dueRange, rangeOfDays } from "./ranges.ts";
import { AMOUNT, amount, compareDates, type Query, totalOf } from "./record-columns.ts";
import type { Value } from "./sheet.ts";
import { costCentreOf, nameOr } from "./units.ts";
import { type Days, dayCount, elapsedDays, isDay, type View } from "./view.ts";

type Payment = {
  erp_id: number;
  situacao: number;
  id_centro_custo: string | null;
  nome_conta_classificacao: string | null;
  valor: string | null;
  data_vencimento: string | null;
  descricao?: string | null;
};
const PAID = 2;
/** A day that the panel does not show is its text. */
const dayOf = (day: string | null): Value => {
  if (day === null) return "Sem data";
  return isDay(day) ? new Date(rangeOfDays({ from: day, to: day }).data_inicio) : shortDay(day);
};
/** JSON rounds longer integers. */
const codeOf = (id: number | string): string =>
  typeof id === "string" || Number.isSafeInteger(id) ? String(id) : "Código longo demais";

/** sáb., 05/12/2026 (há 3 dias, if it is not paid). */
const dueText = ({ data_vencimento: day, situacao }: Payment, { clock: { today } }: View) => {
  if (day === null) return "Sem data";
  if (situacao === PAID) return shortDay(day);
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

/** The due days of a list of payments, and what its file is called. */
const dueOf = (list: List, view: View): [due: Partial<Days>, file: string] => {
  const { name, from, to } = list;
  const { overdue, week, month } = dueDays(view);
  if (name === "vencidos") return [overdue, "pagamentos-vencidos"];
  if (name === "vencem-em-7-dias") return [week, "pagamentos-em-7-dias"];
  if (name === "vencem-em-30-dias") return [month, "pagamentos-em-30-dias"];
  const isReversed = from !== undefined && to !== undefined && from > to;
  if (isOfResult(list))
    return [
      from === undefined || to === undefined || isReversed ? elapsedDays(view) : { from, to },
      "contas",
    ];
  return [{ ...(from && { from }), ...(to && !isReversed && { to }) }, "pagamentos"];
};

/** Those without a date are last, also if it is infinite (L10). */
const dueOrder = ({ data_vencimento: day }: Payment) => (day !== null && /^\d/.test(day) ? day : "infinity");
const firstDueFirst = (rows: readonly Payment[]) =>
  rows.toSorted((a, b) => compareDates(dueOrder(a), dueOrder(b)));

/** The pending payments of a cost centre, or all bills as what is left counts them (R27). */
const filtersOf = (list: List, { units = [] }: Panel): Record<string, string> => {
  if (list.name === "contas-sem-unidade") return { sem_unidade: "true" };
  if (list.name === "contas") return list.unit ? { da_unidade: list.unit } : {};
  const costCentre = costCentreOf(units, list.unit);
  return { situacao: "1", ...(costCentre && { id_centro_custo: costCentre }) };
};

/** Whose payments a list has. */
const ownerOf = (list: List, { unitName }: Panel): string => {
  if (list.name === "contas-sem-unidade") return "Escritório e sem unidade";
  return list.unit || isOfResult(list) ? unitName(list.unit) : "Todos os centros de custo";
};

/** What the bills of a unit, of none, or of all add up to (R27). */
const billsSum = ({ name, unit }: List, due: Partial<Days>): Query["sum"] => ({
  report: "resultado",
  query: { ...dueRange(due), por: "unidade", medidas: "despesas" },
  in: ({ data, totais }) => {
    const id = name === "contas-sem-unidade" ? null : unit;
    return id === "" ? totais.despesas : data.find((row) => row.estabelecimento_id === id)?.despesas;
  },
});

const statusColumn = {
  title: "Situação",
  value: ({ situacao }: Payment) => (situacao === PAID ? "Paga" : "Pendente"),
};

export const paymentsQuery = (list: List, panel: Panel): Query<Payment> => {
  const { place, centreName, rights } = panel;
  const { view } = place;
  const [due, file] = dueOf(list, view);
  const amountOf = ({ valor }: Payment) => valor;
  const filters = { ...dueRange(due), ...filtersOf(list, panel) };
  const fields = [
    "erp_id",
    "situacao",
    "id_centro_custo",
    "nome_conta_classificacao",
    "valor",
    "data_vencimento",
  ];
  return {
    subtitle: `${ownerOf(list, panel)} · vencimento ${dueDaysText(due)}`,
    resource: "pagamentos-erp",
    file: dueFileName(file, due, view),
    filters,
    sum: isOfResult(list) ? billsSum(list, due) : totalOf("pagamentos", filters),
    order: "vencimento",
    fields: [...fields, ...(rights.personalData ? ["descricao"] : [])],
    columns: [
      { title: "Conta", value: (row) => nameOr(row.nome_conta_classificacao, "Conta não informada") },
      {
        title: "Vencimento",
        value: ({ data_vencimento }) => dayOf(data_vencimento),
        format: "day",
        cell: (row) => dueText(row, view),
        isBelow: true,
      },
      { ...amount(AMOUNT, amountOf), isMain: true },
      ...(isOfResult(list) ? [statusColumn] : []),
      { title: "Centro de custo", value: ({ id_centro_custo }) => centreName(id_centro_custo) },
      ...(rights.personalData
        ? [{ title: "Descrição", value: ({ descricao }: Payment) => descricao?.trim() || null }]
        : []),
      { title: "Código", value: ({ erp_id }) => codeOf(erp_id) },
    ],
    amountOf,
    sorted: firstDueFirst,
  };
};
