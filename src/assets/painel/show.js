// From what the service answers to what stands on the page.
import { byId } from "../session.js";
import {
  average,
  change,
  counted,
  days,
  fee,
  money,
  month,
  number,
  points,
  share,
  shortDay,
} from "./format.js";
import { bar, h, named, nameOr, table } from "./table.js";
import { before, isByMonth } from "./view.js";

/**
 * @typedef {import("../../v1/relatorios/schemas.ts").Painel} Panel
 * @typedef {import("../../v1/relatorios/schemas.ts").Resumo} Summary
 * @typedef {import("./view.js").View} View
 * @typedef {import("./table.js").Child} Child
 */

const put = (/** @type {string} */ id, /** @type {Child[]} */ ...children) =>
  byId(id).replaceChildren(...children);

/** @param {string} difference @returns {[name: string, arrow: string]} */
const signOf = (difference) => {
  if (difference.startsWith("+")) return ["up", "▲ "];
  return /^[-−]/.test(difference) ? ["down", "▼ "] : ["same", ""];
};

/**
 * One of the four figures, beside the period before.
 * @param {string} id
 * @param {{ now: string, past: string | undefined, more?: string, difference: string | undefined }} figures without a
 *   past where it was not told
 */
const card = (id, { now, past, more, difference }) => {
  const [sign, arrow] = signOf(difference ?? "");
  const was = past ?? "indisponível";
  /** As large as there is room for its digits. @param {string} name @param {string} figure @param {Child[]} children */
  const sized = (name, figure, ...children) => {
    const line = h("p", { class: name }, ...children);
    line.style.setProperty("--length", String(figure.length));
    return line;
  };
  put(
    id,
    sized("figure", now, now),
    ...(more ? [h("p", { class: "more" }, more)] : []),
    sized(
      "before",
      was,
      ...(difference === undefined
        ? []
        : [
            h("span", { class: `change ${sign}` }, h("span", { "aria-hidden": "true" }, arrow), difference),
            " · ",
          ]),
      past === undefined ? `período anterior ${was}` : `${was} no período anterior`,
    ),
  );
};

/** @param {Summary["transacoes"]} now @param {Summary["transacoes"] | undefined} then */
const showCards = (now, then) => {
  const ticketOf = (/** @type {Summary["transacoes"]} */ { valor_total, total }) => {
    const ticket = average(valor_total, total);
    return ticket === undefined ? "—" : money(ticket);
  };
  card("visits", {
    now: number(now.total),
    past: then && number(then.total),
    difference: change(now.total, then?.total),
  });
  card("value", {
    now: money(now.valor_total),
    past: then && money(then.valor_total),
    difference: change(now.valor_total, then?.valor_total),
  });
  card("ticket", {
    now: ticketOf(now),
    past: then && ticketOf(then),
    // Of two fractions over one denominator: what is shown is rounded, what is compared is not.
    difference: then && change(now.valor_total * then.total, then.valor_total * now.total),
  });
  card("sent", {
    now: share(now.enviadas_erp, now.total),
    past: then && share(then.enviadas_erp, then.total),
    more: `${counted(now.enviadas_erp, "enviado", "enviados")}, ${counted(now.pendentes_erp, "pendente", "pendentes")}`,
    difference: then && points([now.enviadas_erp, now.total], [then.enviadas_erp, then.total]),
  });
};

/** @param {Panel["por_periodo"]["data"]} periods @param {boolean} byMonth */
const showPeriods = (periods, byMonth) => {
  byId("periods-title").textContent = byMonth ? "Faturamento por mês" : "Faturamento por dia";
  const total = periods.reduce((sum, one) => sum + one.total_transacoes, 0);
  byId("chart").setAttribute(
    "aria-label",
    `Gráfico de barras do faturamento por ${byMonth ? "mês" : "dia"}: ${byMonth ? counted(periods.length, "mês", "meses") : counted(periods.length, "dia", "dias")}, ${counted(total, "atendimento", "atendimentos")}. A tabela a seguir mostra os mesmos dados.`,
  );
  put(
    "periods",
    table(
      byMonth ? "Faturamento por mês" : "Faturamento por dia",
      [byMonth ? "Mês" : "Dia", "Atendimentos", "Faturamento", "Enviados ao ERP", "Pendentes"],
      periods.map((one) => [
        byMonth ? month(one.inicio) : shortDay(one.inicio),
        number(one.total_transacoes),
        money(one.valor_total),
        number(one.enviadas_erp),
        number(one.pendentes_erp),
      ]),
    ),
  );
};

/** @param {{ valor_total: number }[]} rows */
const mostOf = (rows) => Math.max(0, ...rows.map((row) => row.valor_total));

/** @param {Panel["por_estabelecimento"]["data"]} rows */
const showUnits = (rows) =>
  put(
    "units",
    table(
      "Atendimentos por unidade",
      ["Unidade", "Atendimentos", "Faturamento", "Ticket médio", "Enviados ao ERP", "Pendente de envio"],
      rows.map((row) => [
        named(nameOr(row.nome, `Unidade ${row.estabelecimento_id}`), {
          meter: bar(row.valor_total, mostOf(rows)),
          isMissing: !row.nome?.trim(),
        }),
        number(row.total_transacoes),
        money(row.valor_total),
        money(row.ticket_medio),
        share(row.enviadas_erp, row.total_transacoes),
        money(row.valor_pendente),
      ]),
    ),
  );

/** @param {Panel["por_forma_pagamento"]["data"]} rows */
const showForms = (rows) =>
  put(
    "forms",
    table(
      "Atendimentos por forma de pagamento",
      ["Forma", "Atendimentos", "Faturamento", "Ticket médio", "Taxa cobrada do profissional"],
      rows.map((row) => [
        named(nameOr(row.forma_pagamento, "Forma não informada"), {
          meter: bar(row.valor_total, mostOf(rows)),
          isMissing: !row.forma_pagamento?.trim(),
        }),
        number(row.total_transacoes),
        money(row.valor_total),
        money(row.ticket_medio),
        fee(row.taxa_cobrada_profissional),
      ]),
    ),
  );

/** @param {Panel["por_profissional"]["data"][number]} row */
const professionalOf = ({ profissional, profissional_salon_id: id }) =>
  nameOr(
    profissional,
    id === null ? "Profissional não identificado" : `Profissional não cadastrado (cód. ${id})`,
  );

/** @param {Panel["por_profissional"]["data"]} rows @param {(id: string) => string} nameOf a unit */
const showProfessionals = (rows, nameOf) =>
  put(
    "professionals",
    table(
      "Os dez profissionais com maior faturamento",
      ["Profissional", "Atendimentos", "Faturamento"],
      rows.map((row) => [
        named(professionalOf(row), {
          more: nameOf(row.estabelecimento_id),
          meter: bar(row.valor_total, mostOf(rows)),
          isMissing: !row.profissional?.trim(),
        }),
        number(row.total_transacoes),
        money(row.valor_total),
      ]),
    ),
  );

/** @param {Panel["vendas_por_produto"]["data"][number]} row */
const productOf = ({ produto_nome, produto_id: id }) =>
  nameOr(produto_nome, id ? `Produto sem nome (cód. ${id})` : "Produto não identificado");

/** @param {Panel["vendas_por_produto"]["data"]} rows */
const showProducts = (rows) =>
  put(
    "products",
    table(
      "Os dez produtos mais vendidos",
      ["Produto", "Vendidos", "Valor vendido", "Retirados por profissionais", "Valor retirado"],
      rows.map((row) => [
        named(productOf(row), {
          meter: bar(row.valor_total, mostOf(rows)),
          isMissing: !row.produto_nome?.trim(),
        }),
        number(row.quantidade),
        money(row.valor_total),
        number(row.quantidade_profissional),
        money(row.valor_profissional),
      ]),
    ),
  );

/**
 * @param {View} view
 * @param {Panel} panel
 * @param {Summary | undefined} then of the period before
 * @param {(id: string) => string} nameOf a unit
 */
export const showPanel = (view, panel, then, nameOf) => {
  byId("title").textContent = days(view);
  byId("of-unit").textContent = view.unit ? nameOf(view.unit) : "Todas as unidades";
  byId("compared").textContent = `Em comparação com ${days(before(view))}`;
  document.title = `Painel · ${days(view)}`;
  showCards(panel.resumo.transacoes, then?.transacoes);
  showPeriods(panel.por_periodo.data, isByMonth(view));
  showUnits(panel.por_estabelecimento.data);
  showForms(panel.por_forma_pagamento.data);
  showProfessionals(panel.por_profissional.data, nameOf);
  showProducts(panel.vendas_por_produto.data);
  // What is wider than its card scrolls there, by the keyboard too.
  for (const frame of document.querySelectorAll(".fits")) {
    if (frame.scrollWidth > frame.clientWidth) frame.setAttribute("tabindex", "0");
    else frame.removeAttribute("tabindex");
  }
};
