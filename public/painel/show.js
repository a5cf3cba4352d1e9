// Draws the panel from the responses of the service.
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
import { isByMonth, previousDays } from "./view.js";

/**
 * @typedef {import("../../src/v1/relatorios/schemas.ts").Painel} Panel
 * @typedef {import("../../src/v1/relatorios/schemas.ts").Resumo} Summary
 * @typedef {import("./view.js").View} View
 * @typedef {import("./table.js").Child} Child
 */

const fill = (/** @type {string} */ id, /** @type {Child[]} */ ...children) =>
  byId(id).replaceChildren(...children);

/** @param {string} difference @returns {[name: string, arrow: string]} */
const signOf = (difference) => {
  if (difference.startsWith("+")) return ["up", "▲ "];
  return /^[-−]/.test(difference) ? ["down", "▼ "] : ["same", ""];
};

/**
 * A card: a figure and its change from the previous period.
 * @param {string} id
 * @param {{ now: string, previous: string | undefined, more?: string, difference: string | undefined }} figures
 *   `previous` is undefined if it did not load
 */
const card = (id, { now, previous, more, difference }) => {
  const [sign, arrow] = signOf(difference ?? "");
  const old = previous ?? "indisponível";
  /** Passes the length of the figure to the stylesheet, which sets the font size. @param {string} name @param {string} figure @param {Child[]} children */
  const sized = (name, figure, ...children) => {
    const line = h("p", { class: name }, ...children);
    line.style.setProperty("--length", String(figure.length));
    return line;
  };
  fill(
    id,
    sized("figure", now, now),
    ...(more ? [h("p", { class: "more" }, more)] : []),
    sized(
      "before",
      old,
      ...(difference === undefined
        ? []
        : [
            h("span", { class: `change ${sign}` }, h("span", { "aria-hidden": "true" }, arrow), difference),
            " · ",
          ]),
      previous === undefined ? `período anterior ${old}` : `${old} no período anterior`,
    ),
  );
};

/** @param {Summary["transacoes"]} now @param {Summary["transacoes"] | undefined} previous */
const showCards = (now, previous) => {
  const ticketOf = (/** @type {Summary["transacoes"]} */ { valor_total, total }) => {
    const ticket = average(valor_total, total);
    return ticket === undefined ? "—" : money(ticket);
  };
  card("visits", {
    now: number(now.total),
    previous: previous && number(previous.total),
    difference: change(now.total, previous?.total),
  });
  card("value", {
    now: money(now.valor_total),
    previous: previous && money(previous.valor_total),
    difference: change(now.valor_total, previous?.valor_total),
  });
  card("ticket", {
    now: ticketOf(now),
    previous: previous && ticketOf(previous),
    // Compares the averages before rounding: a/b with c/d is a·d with c·b.
    difference: previous && change(now.valor_total * previous.total, previous.valor_total * now.total),
  });
  card("sent", {
    now: share(now.enviadas_erp, now.total),
    previous: previous && share(previous.enviadas_erp, previous.total),
    more: `${counted(now.enviadas_erp, "enviado", "enviados")}, ${counted(now.pendentes_erp, "pendente", "pendentes")}`,
    difference: previous && points([now.enviadas_erp, now.total], [previous.enviadas_erp, previous.total]),
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
  fill(
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
const maxOf = (rows) => Math.max(0, ...rows.map((row) => row.valor_total));

/** @param {Panel["por_estabelecimento"]["data"]} rows */
const showUnits = (rows) =>
  fill(
    "units",
    table(
      "Atendimentos por unidade",
      ["Unidade", "Atendimentos", "Faturamento", "Ticket médio", "Enviados ao ERP", "Pendente de envio"],
      rows.map((row) => [
        named(nameOr(row.nome, `Unidade ${row.estabelecimento_id}`), {
          meter: bar(row.valor_total, maxOf(rows)),
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
  fill(
    "forms",
    table(
      "Atendimentos por forma de pagamento",
      ["Forma", "Atendimentos", "Faturamento", "Ticket médio", "Taxa cobrada do profissional"],
      rows.map((row) => [
        named(nameOr(row.forma_pagamento, "Forma não informada"), {
          meter: bar(row.valor_total, maxOf(rows)),
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

/** @param {Panel["por_profissional"]["data"]} rows @param {(id: string) => string} nameOf the name of a unit */
const showProfessionals = (rows, nameOf) =>
  fill(
    "professionals",
    table(
      "Os dez profissionais com maior faturamento",
      ["Profissional", "Atendimentos", "Faturamento"],
      rows.map((row) => [
        named(professionalOf(row), {
          more: nameOf(row.estabelecimento_id),
          meter: bar(row.valor_total, maxOf(rows)),
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
  fill(
    "products",
    table(
      "Os dez produtos mais vendidos",
      ["Produto", "Vendidos", "Valor vendido", "Retirados por profissionais", "Valor retirado"],
      rows.map((row) => [
        named(productOf(row), {
          meter: bar(row.valor_total, maxOf(rows)),
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
 * @param {Summary | undefined} previous of the previous period
 * @param {(id: string) => string} nameOf the name of a unit, or of all if the id is empty
 */
export const showPanel = (view, panel, previous, nameOf) => {
  byId("title").textContent = days(view);
  byId("of-unit").textContent = nameOf(view.unit);
  byId("compared").textContent = `Em comparação com ${days(previousDays(view))}`;
  document.title = `Painel · ${days(view)}`;
  showCards(panel.resumo.transacoes, previous?.transacoes);
  showPeriods(panel.por_periodo.data, isByMonth(view));
  showUnits(panel.por_estabelecimento.data);
  showForms(panel.por_forma_pagamento.data);
  showProfessionals(panel.por_profissional.data, nameOf);
  showProducts(panel.vendas_por_produto.data);
  // A table that is wider than its card scrolls. Make it focusable for the keyboard.
  for (const frame of document.querySelectorAll(".fits")) {
    if (frame.scrollWidth > frame.clientWidth) frame.setAttribute("tabindex", "0");
    else frame.removeAttribute("tabindex");
  }
};
