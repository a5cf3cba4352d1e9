import type pg from "pg";
import type { Rights } from "../../../src/core/rights.ts";
import { dataInstant, firstInstantOf } from "../comparison.ts";
import { formatInstant } from "../instants.ts";
import type { Range } from "./expected-rows.ts";
import { columnsOf, dimensionsOf, type GeneralQuestion, measuresOf } from "./general-question.ts";
import { type PlainSource, TZ } from "./plain-source.ts";

const local = (at: bigint) => `(timestamptz '${formatInstant(at)}' at time zone ${TZ})`;
const micros = (at: string) => `(extract(epoch from ${at}) * 1000000)::bigint::text`;

/** The end of a range: that of its day if it lies within the last second of the day. */
export const dayEndOf = async (db: pg.Client, to: bigint): Promise<bigint> => {
  const next = firstInstantOf(`(${local(to)} + interval '1 day')`);
  const { rows } = await db.query(
    `select case when next - timestamptz '${formatInstant(to)}' <= interval '1 second' then ${micros("next")} end as next from (select ${next} as next) as day`,
  );
  return rows[0].next === null ? to : BigInt(rows[0].next) - 1n;
};

/** Whether a range is whole months of Brasília, up to the last second (R24). */
const isWholeMonths = async (db: pg.Client, { from, to }: Range): Promise<boolean> => {
  if (from === undefined || to === undefined) return false;
  const after = (await dayEndOf(db, to)) + 1n;
  const { rows } = await db.query(`
    select first = ${firstInstantOf(local(from))} and extract(day from ${local(from)}) = 1
      and after = ${firstInstantOf(local(after))} and extract(day from ${local(after)}) = 1 as is_whole
    from (select timestamptz '${formatInstant(from)}' as first, timestamptz '${formatInstant(after)}' as after) as ends`);
  return rows[0].is_whole;
};

/** Whether the data has passed a range. @param now epoch milliseconds */
const isPast = async (db: pg.Client, { to = 0n }: Range, now: number): Promise<boolean> =>
  (await dataInstant(db, now)) > to;

/** Whether the data has passed a range, and for a return 60 more days. */
const isVisitPast = async (db: pg.Client, asking: Asking, now: number): Promise<boolean> => {
  const { range } = asking;
  if (!asksFor("looksAhead", asking)) return isPast(db, range, now);
  const { rows } = await db.query(
    `select ${local(range.to ?? 0n)}::date + 60 < ${local(await dataInstant(db, now))}::date as is_past`,
  );
  return rows[0].is_past;
};

/** A status, and what the message must contain one of. */
export interface Refusal {
  status: number;
  says: string[];
}

export interface Asking {
  source: PlainSource;
  question: GeneralQuestion;
  rights: Rights;
  range: Range;
}

const isPersonalFilter = ({ source, question }: Asking) =>
  Object.keys(question.filters).some((name) => source.filters[name]?.isPersonal);

/** Whether a measure of the question may show which visits are of one client, or is of goals. */
export const asksFor = (
  what: "linksVisits" | "isOfGoals" | "looksAhead",
  { source, question }: Pick<Asking, "source" | "question">,
) => measuresOf(source, question).some((name) => source.measures[name]?.[what]);

/** A goal is of a month and a unit, and of nothing else. */
const isInvalidGoal = (asking: Asking) => {
  const { question } = asking;
  const { estabelecimento_id: _, ...filters } = question.filters;
  return (
    asksFor("isOfGoals", asking) &&
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

const isRanged = ({ periodo, from, to }: GeneralQuestion) => (periodo ?? from ?? to) !== undefined;

/** The parameters that are invalid for every reader. @param hasEarlier whether there is a range to compare with */
const invalidParameters = (asking: Asking, hasEarlier: boolean): string[] => {
  const { source, question } = asking;
  const { hora_min = "0", hora_max = "23", visitas_min = "0", visitas_max = visitas_min } = question.filters;
  const sent = Object.keys(question.filters);
  const needsClient = sent.filter((name) => source.filters[name]?.needsClient);
  return [
    ...(isInvalidGoal(asking) ? ["medidas"] : []),
    ...(isInvalidOrder(asking) ? ["ordem"] : []),
    ...(Number(hora_min) > Number(hora_max) ? ["hora_min"] : []),
    ...(Number(visitas_min) > Number(visitas_max) ? ["visitas_min"] : []),
    ...(question.por.includes("cliente") ? [] : needsClient),
    ...(asksFor("looksAhead", asking) ? [] : sent.filter((name) => source.filters[name]?.needsReturn)),
    ...(isRanged(question) ? [] : sent.filter((name) => source.filters[name]?.needsRange)),
    ...(question.comparar !== undefined && !hasEarlier ? ["comparar"] : []),
  ].map((name) => `\`${name}\``);
};

const LINKING = ["mes", "trimestre", "ano", "unidade"];

/** Numbers of clients over short ranges or with filters would show which visits are of one client. */
const showsClients = async (db: pg.Client, asking: Asking): Promise<boolean> => {
  const { question, range } = asking;
  const { estabelecimento_id: _, ...filters } = question.filters;
  if (!asksFor("linksVisits", asking)) return false;
  return (
    question.por.some((name) => !LINKING.includes(name)) ||
    Object.keys(filters).length > 0 ||
    !isByMonths(question) ||
    !(await isWholeMonths(db, range))
  );
};

/** Whether a comparison moves by months. */
const isByMonths = ({ comparar }: GeneralQuestion) =>
  comparar === undefined || comparar === "mes-anterior" || comparar === "ano-anterior";

/** Goals are compared over whole months only. */
const comparesGoals = (asking: Asking) =>
  asking.question.comparar !== undefined && asksFor("isOfGoals", asking);

const CLIENTS_REFUSED: Refusal = { status: 400, says: ["whole calendar months"] };
const GOALS_REFUSED: Refusal = { status: 400, says: ["with `comparar` unless the range is whole"] };

/** What the statement itself refuses: months that must be over, and that the data has not passed. */
const unfinishedRefusal = async (
  db: pg.Client,
  asking: Asking,
  now: number,
): Promise<Refusal | undefined> => {
  const isLinking = asksFor("linksVisits", asking) && !asking.rights.personalData;
  if (isLinking) return (await isVisitPast(db, asking, now)) ? undefined : CLIENTS_REFUSED;
  const isOverNeeded = asking.source.isComparedWhenOver && asking.question.comparar !== undefined;
  if (!(isOverNeeded || comparesGoals(asking)) || (await isPast(db, asking.range, now))) return undefined;
  return isOverNeeded ? { status: 400, says: ["unless the range is over"] } : GOALS_REFUSED;
};

/** What the service must refuse a question with, before it counts periods; undefined for none. */
export const expectedRefusal = async (
  db: pg.Client,
  asking: Asking,
  hasEarlier: boolean,
  now: number,
): Promise<Refusal | undefined> => {
  const { source, question, rights } = asking;
  if (source.needs && !rights[source.needs])
    return { status: 403, says: [source.needs === "payments" ? "payments" : "personal data"] };
  if (!rights.personalData && isPersonalFilter(asking)) return { status: 403, says: ["personal data"] };
  const invalid = invalidParameters(asking, hasEarlier);
  if (invalid.length > 0) return { status: 400, says: invalid };
  if (!rights.personalData) {
    const personal = dimensionsOf(source, question).some(({ isPersonal }) => isPersonal);
    if (personal) return { status: 403, says: ["personal data"] };
    if (await showsClients(db, asking)) return CLIENTS_REFUSED;
  }
  if (comparesGoals(asking) && !(isByMonths(question) && (await isWholeMonths(db, asking.range))))
    return GOALS_REFUSED;
  const unit = question.filters.estabelecimento_id;
  if (source.hasUnits && unit !== undefined && rights.units && !rights.units.includes(unit))
    return { status: 403, says: ["unit"] };
  return unfinishedRefusal(db, asking, now);
};
