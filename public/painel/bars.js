// The rows of the chart and its table: hours of one day, days, weeks or months.
import { weekday } from "./format.js";
import { earlierDays, stepOf } from "./ranges.js";
import { sumOf } from "./revenue.js";
import { addDays, elapsedDays } from "./view.js";

/**
 * @typedef {import("./view.js").View} View
 * @typedef {import("./picture.js").Panel} Panel
 * @typedef {import("../../src/v1/relatorios/schemas.ts").TransacoesPorHorario["data"]} Hours
 * @typedef {import("./ranges.js").Step} Step
 * @typedef {object} Bar
 * @property {string} from first day
 * @property {string} to last day
 * @property {number} [hour]
 * @property {number} visits
 * @property {number} value
 * @property {number} [earlier] the value of the same part of the earlier period
 * @property {number} [sent]
 * @property {number} [pending]
 * @typedef {{ step: Step, bars: Bar[] }} Bars
 */

/** Hours are shown at least from the first to the last of these. */
const [OPENING, CLOSING] = [8, 20];

/** @param {string} day @param {Hours} now @param {Hours | undefined} earlier @returns {Bar[]} */
const hourBars = (day, now, earlier) => {
  const hours = [...now, ...(earlier ?? [])].map((row) => row.hora);
  const [first, last] = [Math.min(OPENING, ...hours), Math.max(CLOSING, ...hours)];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const hour = first + index;
    const at = (/** @type {Hours} */ rows) => rows.filter((row) => row.hora === hour);
    return {
      from: day,
      to: day,
      hour,
      visits: at(now).reduce((sum, row) => sum + row.total_transacoes, 0),
      value: sumOf(at(now), (row) => row.valor_total),
      ...(earlier && { earlier: sumOf(at(earlier), (row) => row.valor_total) }),
    };
  });
};

/** Where the parts of the chart begin, as indexes of the service's rows. @param {Panel["por_periodo"]["data"]} rows @param {Step} step */
const startsOf = (rows, step) =>
  rows.flatMap((row, index) =>
    step !== "semana" || index === 0 || weekday(row.inicio) === 1 ? [index] : [],
  );

/** The last day of a part. @param {string | undefined} next the first day after it @param {string} last of the period */
const endOf = (next, last) => (next === undefined ? last : addDays(next, -1));

/**
 * @param {View} view
 * @param {Panel} panel
 * @param {Hours | undefined} hours of a single day
 * @param {Hours | undefined} earlierHours
 * @returns {Bars}
 */
export const barsOf = (view, panel, hours, earlierHours) => {
  const days = elapsedDays(view);
  if (stepOf(view) === "hora" && hours)
    return { step: "hora", bars: hourBars(days.from, hours, earlierDays(view) && earlierHours) };
  // Without the hours, the day is one bar.
  const step = stepOf(view) === "hora" ? "dia" : stepOf(view);
  const rows = panel.por_periodo.data;
  const past = panel.anterior?.por_periodo.data;
  const starts = startsOf(rows, step);
  const bars = starts.map((start, index) => {
    const end = starts[index + 1];
    const part = rows.slice(start, end);
    return {
      // The first month begins before the period if the period begins within it.
      from: index === 0 ? days.from : (rows[start]?.inicio ?? days.from),
      to: endOf(end === undefined ? undefined : rows[end]?.inicio, days.to),
      visits: part.reduce((sum, row) => sum + row.total_transacoes, 0),
      value: sumOf(part, (row) => row.valor_total),
      sent: part.reduce((sum, row) => sum + row.enviadas_erp, 0),
      pending: part.reduce((sum, row) => sum + row.pendentes_erp, 0),
      // A shorter earlier period has no rows for the last bars; further rows of a longer one are not shown.
      ...(past &&
        start < past.length && {
          earlier: sumOf(past.slice(start, end ?? rows.length), (row) => row.valor_total),
        }),
    };
  });
  return { step, bars };
};
