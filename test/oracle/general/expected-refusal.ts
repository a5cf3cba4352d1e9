import type pg from "pg";
import type { Rights } from "../../../src/core/rights.ts";
import { formatInstant } from "../instants.ts";
import type { Range } from "./asked.ts";
import { columnsOf, dimensionsOf, type GeneralQuestion, measuresOf } from "./general-question.ts";
import { type PlainSource, TZ } from "./plain-source.ts";
import { isWholeMonths } from "./whole-months.ts";

/** A status, and what the message must contain one of. */
export interface Refusal {
  status: number;
  says: string[];
}

export interface Asking {
  name: string;
  source: PlainSource;
  question: GeneralQuestion;
  rights: Rights;
  range: Range;
}

const isPersonalFilter = ({ source, question }: Asking) =>
  Object.keys(question.filters).some((name) => source.filters[name]?.isPersonal);

/** A goal is of a month and a unit, and of nothing else. */
const isInvalidGoal = ({ source, question }: Asking) => {
  const { estabelecimento_id: _, ...filters } = question.filters;
  return (
    measuresOf(source, question).includes("meta") &&
    (!question.por.some((name) => name === "mes" || name === "ano") ||
      question.por.some((name) => !["mes", "ano", "unidade"].includes(name)) ||
      Object.keys(filters).length > 0)
  );
};

const isInvalidOrder = ({ source, question }: Asking) => {
  const name = question.ordem?.replace(/^-/, "");
  const measures = measuresOf(source, question);
  if (name === "variacao")
    return question.comparar === undefined || source.measures[measures[0] ?? ""]?.isDate === true;
  return name !== undefined && ![...columnsOf(source, question), ...measures].includes(name);
};

/** The parameters that are invalid for every reader. @param hasEarlier whether there is a range to compare with */
const invalidParameters = (asking: Asking, hasEarlier: boolean): string[] => {
  const { source, question } = asking;
  const { hora_min = "0", hora_max = "23" } = question.filters;
  const needsClient = Object.keys(question.filters).filter((name) => source.filters[name]?.needsClient);
  return [
    ...(isInvalidGoal(asking) ? ["medidas"] : []),
    ...(isInvalidOrder(asking) ? ["ordem"] : []),
    ...(Number(hora_min) > Number(hora_max) ? ["hora_min"] : []),
    ...(question.por.includes("cliente") ? [] : needsClient),
    ...(question.comparar !== undefined && !hasEarlier ? ["comparar"] : []),
  ].map((name) => `\`${name}\``);
};

const LINKING = ["mes", "trimestre", "ano", "unidade"];

/** Numbers of clients over short ranges or with filters would show which visits are of one client. */
const showsClients = async (db: pg.Client, { source, question, range }: Asking): Promise<boolean> => {
  const { estabelecimento_id: _, ...filters } = question.filters;
  if (!measuresOf(source, question).some((name) => source.measures[name]?.linksVisits)) return false;
  return (
    question.por.some((name) => !LINKING.includes(name)) ||
    Object.keys(filters).length > 0 ||
    question.comparar === "semana-anterior" ||
    question.comparar === "anterior" ||
    !(await isWholeMonths(db, range))
  );
};

const MAX_DAYS = 400;

/** Whether a rollup holds the question, or the range is short. */
const isCheap = async (db: pg.Client, { source, question, range }: Asking): Promise<boolean> => {
  const held = source.anyRange(question.data);
  const { estabelecimento_id: _, ...filters } = question.filters;
  const dimensions = question.por.filter((name) => !source.dimensions[name]?.unit);
  const isWithin = (names: string[], some: string[]) => names.every((name) => some.includes(name));
  if (
    held === "everything" ||
    held.some(
      (line) =>
        isWithin(dimensions, line.por) &&
        isWithin(measuresOf(source, question), line.medidas) &&
        isWithin(Object.keys(filters), line.filters),
    )
  )
    return true;
  const { from, to } = range;
  if (from === undefined || to === undefined) return false;
  const day = (at: bigint) => `(timestamptz '${formatInstant(at)}' at time zone ${TZ})::date`;
  const { rows } = await db.query(`select ${day(to)} - ${day(from)} + 1 as days`);
  return rows[0].days <= MAX_DAYS;
};

/** What the service must refuse a question with, before it counts periods; undefined for none. */
export const expectedRefusal = async (
  db: pg.Client,
  asking: Asking,
  hasEarlier: boolean,
): Promise<Refusal | undefined> => {
  const { name, source, question, rights } = asking;
  if (name === "pagamentos" && !rights.payments) return { status: 403, says: ["payments"] };
  if (!rights.personalData && isPersonalFilter(asking)) return { status: 403, says: ["personal data"] };
  const invalid = invalidParameters(asking, hasEarlier);
  if (invalid.length > 0) return { status: 400, says: invalid };
  if (!rights.personalData) {
    const personal = dimensionsOf(source, question).some(({ isPersonal }) => isPersonal);
    if (personal) return { status: 403, says: ["personal data"] };
    if (await showsClients(db, asking)) return { status: 400, says: ["`clientes", "whole calendar months"] };
  }
  if (!(await isCheap(db, asking))) return { status: 400, says: ["400 days"] };
  const unit = question.filters.estabelecimento_id;
  if (source.hasUnits && unit !== undefined && rights.units && !rights.units.includes(unit))
    return { status: 403, says: ["unit"] };
  return undefined;
};
