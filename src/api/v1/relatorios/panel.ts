import { type Query, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { BoundedMap } from "../../../core/bounded-map.ts";
import type { Db, JsonText } from "../../../core/database.ts";
import { daysFromToday, untilDayEnd } from "../../../core/periods.ts";
import { joinWithCommas, numberLiteral } from "../../../platform/db/conditions.ts";
import {
  assertRow,
  type FinishedBody,
  finishBody,
  jsonArray,
  jsonObject,
} from "../../../platform/db/json-sql.ts";
import type { ReadRequest } from "../../../platform/db/read-request.ts";
import { selectAllRecords } from "../../../platform/db/records.ts";
import type { Scope } from "../../../platform/db/scope.ts";
import {
  DATA_INSTANT,
  type Earlier,
  type PlaceholdersOf,
  statement,
  withEnd,
} from "../../../platform/db/statement.ts";
import { estabelecimento, ORDER } from "../estabelecimentos/queries.ts";
import { direitosOf, selectFreshness, withoutClock } from "../frescor/queries.ts";
import { selectAnswer } from "./answer-sql.ts";
import { mayLinkVisits, tooLong } from "./general-checks.ts";
import { mapParts, PARTS, type PanelPart, type PartName, partTable, questionTo } from "./panel-parts.ts";
import type { Painel, PainelFilters } from "./panel-schemas.ts";
import type { Question } from "./question.ts";

type Filters = z.output<typeof PainelFilters>;

/** The parts that this request gets, and their questions. The others are null. */
type AskedParts = [name: PartName, part: PanelPart, question: Question][];

/** Ends of other ranges than that of the request. */
interface Ends {
  inteiro_inicio?: string | undefined;
  inteiro_fim?: string | undefined;
}
/** By the clock, whatever the range. */
interface Days {
  hoje_inicio: string;
  hoje_fim: string;
  semanas_inicio: string;
  semanas_fim: string;
}
interface Others {
  /** The end of the range for the clients (R24). */
  clientes_fim: string | undefined;
  direitos: string;
}
type Values = Omit<Filters, "granularidade"> & Ends & Days & Others;

/** What is not sent by then needs attention, or is older (R7). Computed once, so a bound is not a call for each row. */
const ages = sql`ages as materialized (
  select at - interval '24 hours' as a_day_old, at - interval '1440 hours' as sixty_days_old
  from (select ${DATA_INSTANT} as at offset 0) as reach
)`;
const A_DAY_OLD = sql`(select a_day_old from ages)`; // mistake: too-new-for-attention
const SIXTY_DAYS_OLD = sql`(select sixty_days_old from ages)`;

type Range = { data_inicio?: SQL | undefined; data_fim?: SQL | undefined };

/** The ends of each range that a part may be over. */
const rangesOf = (
  placeholders: PlaceholdersOf<Values>,
): Record<NonNullable<PanelPart["range"]> | "asked", Range> => ({
  asked: { data_inicio: placeholders.data_inicio, data_fim: placeholders.data_fim },
  all: {},
  "earlier-in-full": { data_inicio: placeholders.inteiro_inicio, data_fim: placeholders.inteiro_fim },
  "a-day-old": { data_fim: A_DAY_OLD },
  "60-days-old": { data_fim: SIXTY_DAYS_OLD },
  today: { data_inicio: placeholders.hoje_inicio, data_fim: placeholders.hoje_fim },
  "eight-weeks": { data_inicio: placeholders.semanas_inicio, data_fim: placeholders.semanas_fim },
});

/** The range that a part is over, its filters and its limit. */
const placeholdersOf = (
  { asks, range, filters = {}, countsClients }: PanelPart,
  placeholders: PlaceholdersOf<Values>,
): Record<string, SQL | undefined> => ({
  ...rangesOf(placeholders)[range ?? "asked"],
  ...(countsClients && { data_fim: placeholders.clientes_fim }),
  ...filters,
  ...(asks.limite !== undefined && { limite: numberLiteral(asks.limite) }),
});

/** Builds one statement for all parts, so that they are of the same snapshot (R7). */
const selectPanel = (
  asked: AskedParts,
  placeholders: PlaceholdersOf<Values>,
  scope: Scope,
  earlier: Earlier | undefined,
): SQL => {
  const answers = asked.map(([name, part, question]) => {
    const range = placeholdersOf(part, placeholders);
    const isMoved = part.countsClients && scope.hidesPersonalData;
    // mistake: clients-within-a-second
    const compared = earlier && isMoved ? withEnd(earlier, range) : earlier;
    const isCompared = { earlier: question.isCompared ? compared : undefined };
    const answer = selectAnswer({ question, placeholders: range, ...isCompared, scope }, {});
    return sql`${partTable(name)} as materialized (${answer})`;
  });
  // `clientes` has one row, or no body where its report refuses it (R24).
  const bodies = mapParts((name) =>
    asked.some(([one]) => one === name)
      ? sql`coalesce((select body from ${partTable(name)}), 'null')`
      : sql`'null'`,
  );
  const sizes = asked.flatMap(([name, { countsClients }]) =>
    countsClients
      ? []
      : [
          sql`
      select ${sql.raw(`'${name}'`)} as part, first, last from ${partTable(name)} where body is null`,
        ],
  );
  const body = jsonObject({
    unidades: jsonArray(selectAllRecords(estabelecimento, { where: undefined, order: ORDER }, scope, {})),
    ...bodies,
    frescor: sql`(${selectFreshness(placeholders, scope)})`,
  });
  return sql`
    with ${joinWithCommas([ages, ...answers])}
    select ${body} as body, part, first, last
    from (values (true)) as one
      left join lateral (${sql.join(sizes, sql` union all `)} limit 1) as too_long on true`;
};

const compiled = new BoundedMap<string, Query>(100);

const statementOf = (asked: AskedParts, grain: Filters["granularidade"]) =>
  statement<Values>(
    (placeholders, scope, _shape, earlier) =>
      finishBody(selectPanel(asked, placeholders, scope, earlier), {
        columns: ["part", "first", "last"],
        etagSource: withoutClock(sql`body`),
      }),
    { name: [grain, ...asked.map(([name]) => name)].join(), compiled },
  );

const isAnswered = (part: PanelPart, question: Question, request: ReadRequest, filters: Filters): boolean => {
  if (part.range === "earlier-in-full") return request.earlierInFull !== undefined;
  if (part.source.needs && !request.rights[part.source.needs]) return false;
  // mistake: counts-clients-of-any-range
  if (part.countsClients) return !mayLinkVisits(question, { ...request, earlier: undefined }, filters);
  return true;
};

const COARSER = { dia: ["`mes` as `granularidade`"], mes: [], hora: [] };

type PanelRow = FinishedBody & { part: PartName | null; first: string | null; last: string | null };

export const painel = async (db: Db, request: ReadRequest, filters: Filters): Promise<JsonText<Painel>> => {
  const { granularidade, ...range } = filters;
  const asked = Object.entries<PanelPart>(PARTS).flatMap(([name, part]): AskedParts => {
    const plain = questionTo(part, granularidade);
    const isCompared = request.earlier !== undefined && !mayLinkVisits(plain, request, filters);
    const question = isCompared ? questionTo(part, granularidade, { isCompared: true }) : plain;
    return isAnswered(part, question, request, filters) ? [[name as PartName, part, question]] : [];
  });
  const { earlierInFull, rights, now } = request;
  const today = daysFromToday(now, 0, 0);
  const weeks = daysFromToday(now, -56, -1); // mistake: weeks-with-today
  const values: Values = {
    ...range,
    hoje_inicio: today.data_inicio,
    hoje_fim: today.data_fim,
    semanas_inicio: weeks.data_inicio,
    semanas_fim: weeks.data_fim,
    inteiro_inicio: earlierInFull?.data_inicio,
    inteiro_fim: earlierInFull?.data_fim,
    clientes_fim: rights.personalData ? range.data_fim : range.data_fim && untilDayEnd(range.data_fim),
    direitos: JSON.stringify(direitosOf(rights)),
  };
  const row = assertRow(await db<PanelRow>(statementOf(asked, granularidade)(request, values)));
  const long = asked.find(([name]) => name === row.part);
  if (long) throw tooLong(long[2], filters, row, COARSER[granularidade]);
  return row;
};
