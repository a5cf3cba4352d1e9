// The rows of the chart and its table: hours of one day, days, weeks or months.
import { weekday } from "./format.js";
import { stepOf } from "./ranges.js";
import { sumOf } from "./revenue.js";
import { addDays, dayCount, dayOf, elapsedDays } from "./view.js";

/**
 * @typedef {import("./view.js").View} View
 * @typedef {Pick<import("./picture.js").Panel, "por_periodo">} Panel
 * @typedef {import("./reports.js").Report<{ hora: number }, import("./reports.js").VisitSums>} Hours
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

/** @param {string} day @param {Hours} hours @returns {Bar[]} */
const hourBars = (day, { data, anterior }) => {
  const hours = data.map((row) => row.hora);
  const [first, last] = [Math.min(OPENING, ...hours), Math.max(CLOSING, ...hours)];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const row = data.find(({ hora }) => hora === first + index);
    return {
      from: day,
      to: day,
      hour: first + index,
      visits: row?.visitas ?? 0,
      value: row?.valor_total ?? 0,
      ...(anterior && { earlier: row?.anterior?.valor_total ?? 0 }),
    };
  });
};

/** The first day of a row. @param {Panel["por_periodo"]["data"][number] | undefined} row */
const startOf = (row) => row?.dia ?? row?.mes ?? "";

/** Where the parts of the chart begin, as indexes of the service's rows. @param {Panel["por_periodo"]["data"]} rows @param {Step} step */
const startsOf = (rows, step) =>
  rows.flatMap((row, index) =>
    step !== "semana" || index === 0 || weekday(startOf(row)) === 1 ? [index] : [],
  );

/** The number of days, or of months, of the earlier period. @param {Panel["por_periodo"]["anterior"]} range @param {Step} step */
const earlierCount = (range, step) => {
  if (!range) return 0;
  const [from, to] = [range.inicio, range.fim].map((at) => dayOf(Date.parse(at)));
  if (from === undefined || to === undefined) return 0;
  const monthOf = (/** @type {string} */ day) => 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7));
  return step === "mes" ? monthOf(to) - monthOf(from) + 1 : dayCount({ from, to });
};

/** The last day of a part. @param {string} next the first day after it; empty if there is none @param {string} last of the period */
const endOf = (next, last) => (next === "" ? last : addDays(next, -1));

/**
 * @param {View} view
 * @param {Panel} panel
 * @param {Hours | undefined} hours of a single day
 * @returns {Bars}
 */
export const barsOf = (view, panel, hours) => {
  const days = elapsedDays(view);
  if (stepOf(view) === "hora" && hours) return { step: "hora", bars: hourBars(days.from, hours) };
  // Without the hours, the day is one bar.
  const step = stepOf(view) === "hora" ? "dia" : stepOf(view);
  const { data: rows, anterior } = panel.por_periodo;
  const past = earlierCount(anterior, step);
  const starts = startsOf(rows, step);
  const bars = starts.map((start, index) => {
    const end = starts[index + 1] ?? rows.length;
    const part = rows.slice(start, end);
    const sum = (/** @type {(row: typeof part[number]) => number} */ count) =>
      part.reduce((total, row) => total + count(row), 0);
    return {
      // The first month begins before the period if the period begins within it.
      from: index === 0 ? days.from : startOf(rows[start]),
      to: endOf(startOf(rows[end]), days.to),
      visits: sum((row) => row.visitas),
      value: sumOf(part, (row) => row.valor_total),
      sent: sum((row) => row.enviadas),
      pending: sum((row) => row.pendentes),
      // A shorter earlier period has no amounts for the last bars.
      ...(start < past && { earlier: sumOf(part, (row) => row.anterior?.valor_total ?? 0) }),
    };
  });
  return { step, bars };
};
