// The lists behind the figures: the request for each, and its columns.
import { counted, days, instant, longDay, money, number, shortDay } from "./format.js";
import { paymentRanges, rangeOf, rangeOfDays, rangeOfHour } from "./ranges.js";
import { named, nameOr } from "./table.js";
import { dayCount, elapsedDays } from "./view.js";

/**
 * @typedef {import("./links.js").List} List
 * @typedef {import("./view.js").View} View
 * @typedef {import("./table.js").Child} Child
 * @typedef {object} Context
 * @property {View} view
 * @property {(id: string) => string} nameOf the name of a unit, or of all if the id is empty
 * @property {(id: string | null) => string} centreName the name of a cost centre
 * @property {boolean} hasPersonalData whether the user may read names of clients
 * @typedef {object} Query
 * @property {string} title
 * @property {string} resource
 * @property {string} [file] the name of its download, if it is not the resource's
 * @property {Record<string, string>} filters
 * @property {string[]} fields
 * @property {[label: string, cell: (row: any) => Child][]} columns
 */

const NOT_GIVEN = "Não informado";
const reais = (/** @type {string | null} */ amount) => (amount === null ? "—" : money(Number(amount)));

const timeOf = (/** @type {string | null} */ at) => (at === null ? "Sem data" : instant(at));
/** @param {any} row @param {Context} context */
const whenAndWhere = (row, { nameOf }) => `${timeOf(row.data_hora)} · ${nameOf(row.estabelecimento_id)}`;

/** The first column of visits: the client, or the time if the user may not read names. @param {Context} context @returns {Query["columns"][number]} */
const firstColumn = (context) =>
  context.hasPersonalData
    ? [
        "Cliente",
        (row) =>
          named(nameOr(row.cliente_nome, "Cliente não informado"), {
            more: whenAndWhere(row, context),
            isMissing: !row.cliente_nome?.trim(),
          }),
      ]
    : ["Data", (row) => named(timeOf(row.data_hora), { more: context.nameOf(row.estabelecimento_id) })];

/** The days of a list, in words and as parameters. @param {List} list @param {Context} context */
const periodOf = ({ name, from, to = from, hour, unit }, { view }) => {
  const chosen = unit && { estabelecimento_id: unit };
  if (name === "todos-pendentes") return { text: "todos os períodos", range: { ...chosen } };
  if (from === undefined || to === undefined || from > to) {
    const { data_inicio, data_fim } = rangeOf(view);
    return { text: days(elapsedDays(view)), range: { data_inicio, data_fim, ...chosen } };
  }
  const range = rangeOfDays({ from, to });
  if (hour === undefined) return { text: days({ from, to }), range: { ...range, ...chosen } };
  const hours = rangeOfHour(from, hour);
  return { text: `${longDay(from)}, das ${hour}h às ${hour + 1}h`, range: { ...hours, ...chosen } };
};

/** @param {List} list @param {Context} context @returns {Query} */
const visitsQuery = (list, context) => {
  const isPending = list.name !== "atendimentos";
  const fields = [
    "estabelecimento_id",
    "total",
    "data_hora",
    "forma_pagamento_principal",
    "qtd_servicos",
    "sent_to_erp",
  ];
  return {
    title: isPending ? "Atendimentos pendentes de envio ao ERP" : "Atendimentos",
    resource: "transacoes",
    filters: { ...periodOf(list, context).range, ...(isPending && { sent_to_erp: "false" }) },
    fields: ["salon_id", ...fields, ...(context.hasPersonalData ? ["cliente_nome"] : [])],
    columns: [
      firstColumn(context),
      ["Valor", (row) => reais(row.total)],
      ["Forma de pagamento", (row) => nameOr(row.forma_pagamento_principal, NOT_GIVEN)],
      ["Serviços", (row) => (row.qtd_servicos === null ? "—" : number(row.qtd_servicos))],
      ["ERP", (row) => (row.sent_to_erp ? "Enviado" : "Pendente")],
      ["Código", (row) => row.salon_id],
    ],
  };
};

/** @param {List} list @param {Context} context @returns {Query} */
const salesQuery = (list, context) => ({
  title: "Vendas de produtos",
  resource: "vendas-produto",
  filters: { ...periodOf(list, context).range, ...(list.product && { produto_id: list.product }) },
  fields: [
    "estabelecimento_id",
    "data_hora",
    "produto_nome",
    "quantidade",
    "valor_unitario",
    "valor_total",
    "forma_pagamento",
    ...(context.hasPersonalData ? ["cliente_nome"] : []),
  ],
  columns: [
    [
      "Produto",
      (row) =>
        named(nameOr(row.produto_nome, "Produto não identificado"), { more: whenAndWhere(row, context) }),
    ],
    ["Valor", (row) => reais(row.valor_total)],
    ["Quantidade", (row) => (row.quantidade === null ? "—" : number(Number(row.quantidade)))],
    ["Valor unitário", (row) => reais(row.valor_unitario)],
    ["Forma de pagamento", (row) => nameOr(row.forma_pagamento, NOT_GIVEN)],
    ...(context.hasPersonalData
      ? [/** @type {Query["columns"][number]} */ (["Cliente", (row) => nameOr(row.cliente_nome, NOT_GIVEN)])]
      : []),
  ],
});

/** @param {string} day @param {boolean} isLate @param {View} view */
const dueText = (day, isLate, { clock: { today } }) => {
  if (!isLate) return `Vence: ${shortDay(day)}`;
  const late = dayCount({ from: day, to: today }) - 1;
  // Not of a date that `Date` cannot parse.
  return `Venceu${late > 0 ? ` há ${counted(late, "dia", "dias")}` : ""}: ${shortDay(day)}`;
};

/** @param {List} list @param {Context} context @returns {Query} */
const paymentsQuery = (list, { view, centreName, hasPersonalData }) => {
  const { overdue, due } = paymentRanges(view);
  const isLate = list.name === "vencidos";
  return {
    title: isLate ? "Pagamentos vencidos" : "Pagamentos que vencem em 30 dias",
    resource: "pagamentos-erp",
    file: isLate ? "pagamentos-vencidos" : "pagamentos-a-vencer",
    filters: {
      situacao: "1",
      ...(isLate ? overdue : due),
      ...(list.costCentre && { id_centro_custo: list.costCentre }),
    },
    fields: [
      "erp_id",
      "id_centro_custo",
      "nome_conta_classificacao",
      "valor",
      "data_vencimento",
      ...(hasPersonalData ? ["descricao"] : []),
    ],
    columns: [
      [
        "Conta",
        (row) =>
          named(nameOr(row.nome_conta_classificacao, "Conta não informada"), {
            more: dueText(row.data_vencimento, isLate, view),
          }),
      ],
      ["Valor", (row) => reais(row.valor)],
      ["Centro de custo", (row) => centreName(row.id_centro_custo)],
      ...(hasPersonalData
        ? [/** @type {Query["columns"][number]} */ (["Descrição", (row) => nameOr(row.descricao, "—")])]
        : []),
      ["Código", (row) => String(row.erp_id)],
    ],
  };
};

/** @param {List} list @param {Context} context @returns {Query} */
export const queryOf = (list, context) => {
  if (list.name === "vencidos" || list.name === "a-vencer") return paymentsQuery(list, context);
  return list.name === "vendas" ? salesQuery(list, context) : visitsQuery(list, context);
};

/** What the list is of: the unit and the days. @param {List} list @param {Context} context */
export const subtitleOf = (list, context) => {
  if (list.name === "vencidos" || list.name === "a-vencer")
    return list.costCentre ? context.centreName(list.costCentre) : "Todos os centros de custo";
  return `${context.nameOf(list.unit)} · ${periodOf(list, context).text}`;
};
