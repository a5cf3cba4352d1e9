import { Refusal } from "../../../core/errors.ts";
import type { ReadRequest } from "../../../platform/db/read-request.ts";
import { direitosOf } from "../frescor/queries.ts";
import { DEFAULT_DAYS } from "./clients.ts";
import { calendarOf, dimensionsOf, measuresOf, type Question } from "./question.ts";
import type { RecordList, Source } from "./source.ts";

/** The parameters that choose rows: filters, with the unit, the date and the ends of the range. */
type Filters = Record<string, unknown>;

/** Of a text in several Unicode forms, the last is the one that was sent. */
const asSent = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value);

/** The list takes every filter of the question with the same meaning, and the same rows without a date. */
const listsRows = (list: RecordList, question: Question, filters: Filters): boolean => {
  const isOfTime =
    calendarOf(question) !== undefined || dimensionsOf(question).some(({ isCycle }) => isCycle);
  const hasRange = filters.data_inicio !== undefined || filters.data_fim !== undefined;
  return (
    question.filters.every(
      (name) => list.filters.includes(name) || question.source.filters[name]?.needsMeasures,
    ) && (hasRange ? list.dates.includes(question.dateName) : !isOfTime)
  );
};

/** A list of exactly the rows that were counted: its URL, or in a tool its name and arguments. */
const recordsOf = (
  { list }: Source,
  question: Question,
  filters: Filters,
  isToolCall: boolean,
): string | null => {
  if (list === undefined || !listsRows(list, question, filters)) return null;
  const named = [
    "estabelecimento_id",
    "data_inicio",
    "data_fim",
    ...(list.hasDates ? ["data"] : []),
    ...list.filters,
  ];
  const parameters = Object.fromEntries(
    named.flatMap((name) => (filters[name] === undefined ? [] : [[name, String(filters[name])]])),
  );
  if (isToolCall) return `${list.tool} ${JSON.stringify(parameters)}`;
  const query = new URLSearchParams(parameters).toString();
  return query === "" ? `/v1/${list.path}` : `/v1/${list.path}?${query}`;
};

/**
 * Where the figures come from (R28), as JSON text that lacks `dados_ate` and the last brace.
 * @throws Refusal 400 for CSV, which has no place for it
 */
export const explanationOf = (
  source: Source,
  question: Question,
  { rights, unit, format, isToolCall = false }: ReadRequest,
  parameters: Filters,
): string => {
  if (format !== undefined)
    throw new Refusal(
      400,
      "`explicar` must not be given with CSV. Omit `explicar`, or `formato` and `Accept`.",
    );
  const asksForReturn = measuresOf(question).some(({ daysAhead }) => daysAhead !== undefined);
  const sent = Object.entries({
    ...(asksForReturn && { retorno_dias: DEFAULT_DAYS }),
    data: source.dateParameter && question.dateName,
    estabelecimento_id: unit,
    ...parameters,
  });
  const filtros = Object.fromEntries(
    sent.flatMap(([name, value]) => (value === undefined ? [] : [[name, asSent(value)]])),
  );
  const medidas = Object.fromEntries(
    measuresOf(question).map(({ name, description }) => [name, description]),
  );
  const text = JSON.stringify({
    linha: source.row,
    medidas,
    filtros,
    direitos: direitosOf(rights),
    registros: recordsOf(source, question, filtros, isToolCall),
  });
  return text.slice(0, -1);
};
