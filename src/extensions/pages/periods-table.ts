import { clockOf, formatRange, parsePeriod } from "../../core/periods.ts";

const DAY = 86_400_000;
const midnightOf = (date: string) => Date.parse(`${date}T00:00:00Z`);

/** The ISO week of a date, as `periodo` names it. Week 1 has the year's first Thursday. */
const weekOf = (date: string): string => {
  const day = new Date(midnightOf(date));
  const thursday = new Date(day.getTime() + (4 - (day.getUTCDay() || 7)) * DAY);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY)) + 1;
  return `${year}-S${String(week).padStart(2, "0")}`;
};

/** Each value and what it means. The second part has months and longer. */
const valuesOf = (today: string): [value: string, meaning: string][][] => [
  [
    ["hoje", "today"],
    ["ontem", "yesterday"],
    ["7-dias", "seven days, with today"],
    ["30-dias", "thirty days, with today"],
    ["90-dias", "ninety days, with today"],
    ["proximos-7-dias", "seven days, from today"],
    ["proximos-30-dias", "thirty days, from today"],
    ["semana", "this week, from Monday"],
    ["semana-passada", "last week"],
    [weekOf(today), "a week (ISO 8601)"],
    [today, "a day"],
  ],
  [
    ["mes", "this month"],
    ["mes-passado", "last month"],
    ["trimestre", "this quarter"],
    ["trimestre-passado", "last quarter"],
    ["ano", "this year"],
    ["ano-passado", "last year"],
    [today.slice(0, 7), "a month"],
    [`${today.slice(0, 4)}-T${Math.ceil(Number(today.slice(5, 7)) / 3)}`, "a quarter"],
    [today.slice(0, 4), "a year"],
  ],
];

const longDate = (date: string) =>
  new Date(midnightOf(date))
    .toLocaleDateString("en-GB", { dateStyle: "full", timeZone: "UTC" })
    .replace(",", "");

/** `29 Oct – 27 Nov`; with the year if it is another one. */
const daysOf = (value: string, now: number, today: string): string => {
  const range = parsePeriod(value)?.resolve(now, { mayLieAhead: false });
  const days = range === undefined ? [] : formatRange(range).map((end) => end.slice(0, 10));
  const write = (date: string) =>
    new Date(midnightOf(date)).toLocaleDateString("en-GB", {
      day: "numeric",
      month: "short",
      ...(date.slice(0, 4) !== today.slice(0, 4) && { year: "numeric" }),
      timeZone: "UTC",
    });
  return [...new Set(days)].map(write).join(" – ");
};

/** The values of `periodo` with their days, as HTML, and the date for which they hold. */
export const periodsTable = (now: number): { today: string; html: string } => {
  const { date: today } = clockOf(now);
  const rowOf = ([value, meaning]: [string, string]) =>
    `<tr><th scope="row"><code>${value}</code></th><td>${meaning}</td><td>${daysOf(value, now, today)}</td></tr>`;
  const tables = valuesOf(today).map((rows) => `<table><tbody>${rows.map(rowOf).join("")}</tbody></table>`);
  return { today: longDate(today), html: tables.join("") };
};
