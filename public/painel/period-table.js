// Draws the table of the chart's bars.
import { byId } from "../session.js";
import { fill, toggleCard } from "./card.js";
import { barName, counted, money, number } from "./format.js";
import { listSearch } from "./links.js";
import { isStore } from "./picture.js";
import { rangeOf, rowStepOf } from "./ranges.js";
import { reportPath } from "./reports.js";
import { link, table } from "./table.js";

/**
 * @typedef {import("./answers.js").Picture} Picture
 * @typedef {import("./bars.js").Bars} Bars
 * @typedef {import("./table.js").Child} Child
 */

/** @type {Record<Bars["step"], [title: string, column: string, one: string, many: string]>} */
const STEPS = {
  hora: ["Valor dos atendimentos por hora", "Hora", "hora", "horas"],
  dia: ["Valor dos atendimentos por dia", "Dia", "dia", "dias"],
  semana: ["Valor dos atendimentos por semana", "Semana", "semana", "semanas"],
  mes: ["Valor dos atendimentos por mês", "Mês", "mês", "meses"],
};

/** The days, and the hour, of a bar. @param {import("./bars.js").Bar} bar */
export const partOf = ({ from, to, hour }) => ({ from, to, ...(hour !== undefined && { hour }) });

/**
 * Hours have no status, and a view that is not compared has no earlier values.
 * @param {Bars} bars
 * @param {import("./view.js").View} view
 * @returns {[name: string, cell: (bar: import("./bars.js").Bar) => Child][]}
 */
const columnsOf = ({ step, bars }, view) => [
  [STEPS[step][1], (bar) => barName(bar, step)],
  ["Valor", ({ value }) => money(value)],
  ["Atendimentos", ({ visits }) => number(visits)],
  ...(bars.some(({ earlier }) => earlier !== undefined)
    ? [column("Antes", ({ earlier }) => (earlier === undefined ? "—" : money(earlier)))]
    : []),
  ...(step === "hora"
    ? []
    : [
        column("Enviados ao ERP", ({ sent = 0 }) => number(sent)),
        column("Pendentes", ({ pending = 0 }) => number(pending)),
      ]),
  [
    "Registros",
    (bar) =>
      link(
        listSearch(view, { name: "atendimentos", ...partOf(bar) }),
        "Ver",
        `Ver atendimentos: ${barName(bar, step)}`,
      ),
  ],
];

/** @param {string} name @param {(bar: import("./bars.js").Bar) => Child} cell @returns {[string, (bar: import("./bars.js").Bar) => Child]} */
const column = (name, cell) => [name, cell];

/** @param {Picture} picture @param {Bars} bars @param {import("./download.js").Offer} offer */
export const showPeriods = (picture, { step, bars }, offer) => {
  const { view, panel } = picture;
  const [title, , one, many] = STEPS[step];
  const visits = counted(panel.resumo.transacoes.total, "atendimento", "atendimentos");
  byId("periods-title").textContent = title;
  toggleCard("periods", !isStore(picture));
  byId("chart").setAttribute(
    "aria-label",
    `Gráfico de barras do valor dos atendimentos: ${counted(bars.length, one, many)}, ${visits}. A tabela a seguir mostra os mesmos dados.`,
  );
  const columns = columnsOf({ step, bars }, view);
  const names = columns.map(([name]) => name);
  fill(
    "periods",
    table(
      title,
      names,
      bars.map((bar) => columns.map(([, cell]) => cell(bar))),
    ),
  );
  const [por, medidas] =
    step === "hora"
      ? ["hora", "visitas,valor_total"]
      : [rowStepOf(view), "visitas,valor_total,enviadas,pendentes"];
  offer(
    "periods",
    reportPath("visitas", { ...rangeOf(view), por, medidas }),
    step === "hora" ? "transacoes-por-horario" : "transacoes-por-periodo",
  );
};
