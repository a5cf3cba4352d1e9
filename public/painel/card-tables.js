// Draws the cards on production, services, hours, clients and what is not mapped.

import { fill } from "./card.js";
import { change, counted, money, number, share, weekdayName } from "./format.js";
import { isComparable } from "./picture.js";
import { bar, changeCell, entry, h, named, nameOr, table } from "./table.js";
import { maxOf } from "./tables.js";
import { elapsedDays } from "./view.js";

/**
 * @typedef {import("./cards.js").Context} Context
 * @typedef {{ profissional: string | null, profissional_salon_id: string | null, estabelecimento_id: string }} Professional
 * @typedef {import("./reports.js").ServiceMeasures} ServiceMeasures
 * @typedef {import("./reports.js").Report<Professional, ServiceMeasures>} Production
 * @typedef {import("./reports.js").Report<{ servico: string | null }, ServiceMeasures>} Services
 * @typedef {import("./reports.js").Report<{ dia_semana: number, hora: number }, import("./reports.js").VisitSums>} Hours
 * @typedef {import("./reports.js").Report<{}, { visitas: number, clientes: number, clientes_novos: number }>} Clients
 * @typedef {import("./reports.js").Report<{}, { visitas: number }>} NamedVisits
 * @typedef {import("../../src/v1/relatorios/schemas.ts").NaoMapeados} Unmapped
 */

/** Rows shown before the button that shows the others. */
const TOP = 10;
/** Rows on paper: all cards fit on one page. */
const PRINTED = 4;

/** @param {Professional} row */
const professionalOf = ({ profissional, profissional_salon_id: id }) =>
  nameOr(
    profissional,
    id === null ? "Profissional não identificado" : `Profissional não cadastrado (cód. ${id})`,
  );

/** The first cell of a row. @param {Professional & { valor_total: number }} row @param {Context} context @param {number} max */
const professionalCell = (row, { nameOf }, max) =>
  named(professionalOf(row), {
    more: nameOf(row.estabelecimento_id),
    meter: bar(row.valor_total, max),
    isMissing: !row.profissional?.trim(),
  });

/** @param {[Production]} bodies @param {Context} context */
export const showProduction = ([{ data, totais }], context) => {
  fill(
    "professionals",
    table(
      "Produção por profissional",
      ["Profissional", "Produção", "Participação", "Serviços", "Cortesias"],
      data.map((row) => [
        professionalCell(row, context, maxOf(data)),
        money(row.valor_total),
        share(row.valor_total, totais.valor_total),
        number(row.servicos),
        number(row.cortesias),
      ]),
      { shown: TOP, printed: PRINTED },
    ),
  );
};

/** @param {[Services]} bodies @param {Context} context */
export const showServices = ([{ data }], context) => {
  const isFair = isComparable(context.picture, "visits");
  // Those of the earlier period only have no row.
  const rows = data.filter(({ servicos }) => servicos > 0);
  fill(
    "services",
    table(
      "Serviços",
      ["Serviço", "Valor", "Variação", "Antes", "Quantidade", "Cortesias"],
      rows.map((row) => {
        const before = row.anterior && row.anterior.servicos > 0 ? row.anterior.valor_total : undefined;
        return [
          named(nameOr(row.servico, "Serviço sem nome"), {
            meter: bar(row.valor_total, maxOf(rows)),
            isMissing: !row.servico?.trim(),
          }),
          money(row.valor_total),
          changeCell(isFair ? change(row.valor_total, before) : undefined),
          before === undefined ? "—" : money(before),
          number(row.servicos),
          number(row.cortesias),
        ];
      }),
      { shown: TOP, printed: PRINTED },
    ),
  );
};

/** A cell whose colour says how many visits there were. @param {number} visits @param {number} max */
const heatCell = (visits, max) => {
  const cell = h("td", {}, visits === 0 ? h("span", { class: "none" }, "0") : number(visits));
  const level = max > 0 ? Math.ceil((visits / max) * 4) : 0;
  cell.className = `heat heat-${level}`;
  return cell;
};

/** Fewer visits in an hour than this say nothing about it. */
const MIN_VISITS = 3;

/** The hours with the most visits. @param {Hours["data"]} data @param {number} max */
const busiestText = (data, max) => {
  if (max < MIN_VISITS) return "Poucos atendimentos para comparar horários.";
  const top = data.filter((row) => row.visitas === max);
  const [first, ...others] = top.map((row) => `${weekdayName(row.dia_semana)} às ${row.hora}h`);
  const visits = counted(max, "atendimento", "atendimentos");
  if (others.length === 0) return `Mais movimento: ${first}, com ${visits} no período.`;
  const names =
    others.length < 4
      ? new Intl.ListFormat("pt-BR").format([first ?? "", ...others])
      : `${top.length} horários`;
  return `Mais movimento: ${names}, com ${visits} cada no período.`;
};

/** @param {[Hours]} bodies */
export const showHours = ([{ data }]) => {
  if (data.length === 0) return fill("hours", h("p", { class: "nothing" }, "Nenhum registro neste período."));
  const hours = data.map((row) => row.hora);
  const [first, last] = [Math.min(...hours), Math.max(...hours)];
  const columns = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const max = Math.max(...data.map((row) => row.visitas));
  const visitsAt = (/** @type {number} */ day, /** @type {number} */ hour) =>
    data.find((row) => row.dia_semana === day && row.hora === hour)?.visitas ?? 0;
  const rows = [1, 2, 3, 4, 5, 6, 7].map((day) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, weekdayName(day)),
      ...columns.map((hour) => heatCell(visitsAt(day, hour), max)),
    ),
  );
  const head = columns.map((hour) => h("th", { scope: "col" }, `${hour}h`));
  const grid = h(
    "table",
    { class: "heatmap" },
    h("caption", { class: "sr-only" }, "Atendimentos por dia da semana e hora"),
    h("thead", {}, h("tr", {}, h("td", {}), ...head)),
    h("tbody", {}, ...rows),
  );
  grid.style.setProperty("--hours", String(columns.length));
  fill("hours", grid, h("p", { class: "more note" }, busiestText(data, max)));
};

/** @param {[Clients, NamedVisits?]} bodies the second one only with the right to personal data */
export const showClients = ([{ totais }, named]) => {
  const { visitas, clientes, clientes_novos: news } = totais;
  const part = (/** @type {number} */ count) => `${number(count)} (${share(count, clientes)})`;
  fill(
    "clients",
    h("p", { class: "figure" }, number(clientes)),
    h(
      "dl",
      { class: "parts" },
      entry("Novos", part(news)),
      entry("Recorrentes", part(clientes - news)),
      entry("Atendimentos", number(visitas)),
      ...(named ? [entry("Atendimentos sem cliente", number(visitas - named.totais.visitas))] : []),
    ),
  );
};

/** @param {[Unmapped]} bodies @param {Context} context */
export const showUnmapped = ([{ profissionais, estabelecimentos }], context) => {
  const { view } = context.picture;
  const units = estabelecimentos.filter((unit) => view.unit === "" || unit.salon_id === view.unit);
  const names = units.map((unit) => unit.nome).join(", ");
  fill(
    "unmapped",
    ...(units.length > 0
      ? [h("p", { class: "more" }, `Unidades sem centro de custo no ERP: ${names}.`)]
      : []),
    table(
      "Profissionais sem centro de custo no ERP",
      ["Profissional", "Valor dos atendimentos", "Atendimentos"],
      profissionais.map((row) => [
        professionalCell(row, context, maxOf(profissionais)),
        money(row.valor_total),
        number(row.total_transacoes),
      ]),
      { shown: 5, printed: 3, empty: "Todos os profissionais do período têm centro de custo." },
    ),
  );
  const { from, to } = elapsedDays(view);
  context.offer("unmapped", {
    name: `sem-centro-de-custo-${from}-${to}`,
    columns: ["Profissional", "Código", "Unidade", "Valor dos atendimentos", "Atendimentos"],
    rows: profissionais.map((row) => [
      professionalOf(row),
      row.profissional_salon_id,
      context.nameOf(row.estabelecimento_id),
      row.valor_total,
      row.total_transacoes,
    ]),
  });
};
