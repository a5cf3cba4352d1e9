import { format } from "sql-formatter";
import { describe, expect, it } from "vitest";
import { type Operation, operationsOf, type Parameter } from "../support/document.ts";
import { get, mendDatabase, readDocument, statements } from "../support/worker/api.ts";
import { dense } from "./dense.ts";

/** A distinct value for each parameter, by which it is recognized in the statement. */
const sampleOf = ({ name, schema }: Parameter): string => {
  if (name === "data_inicio") return "2024-02-01T00:00:00Z";
  if (name === "data_fim") return "2025-03-01T00:00:00Z";
  if (schema.pattern) return String(schema.example);
  if (schema.type === "integer") return "17";
  if (schema.type === "number") return "17.50";
  // Of an enum, the last value that is not the default.
  return schema.enum ? String(schema.enum.filter((word) => word !== schema.default).at(-1)) : `the_${name}`;
};
/** Parameters that change the text of a statement and are not bound. */
const CHOOSES_TEXT = new Set([
  "page",
  "tudo",
  "granularidade",
  "por",
  "medidas",
  "data",
  "comparar",
  "ordem",
]);
/** A cursor and a whole list have their own order. */
const NOT_BY_ID = new Set(["ordem"]);
const asSent = (value: string) => value.replace(/:00Z$/, ":00.000000Z");

/** A statement with the name of each bound parameter by its number. */
const withNames = (
  { query, params }: { query: string; params: unknown[] },
  given: Record<string, string>,
  presets: Record<string, string>,
) => {
  const [, epoch = "", copyStart = "", position = ""] = given.after?.split(".") ?? [];
  const marker = given.after ? { epoch, copyStart, position } : {};
  const known = Object.entries({ ...presets, ...marker, ...given });
  const names = params.map(
    (param) =>
      known.find(([, value]) => [asSent(value), `{"${value}"}`].includes(String(param)))?.[0] ??
      // Only the time of the request is in milliseconds.
      (/\.\d{3}Z$/.test(String(param)) ? "agora" : undefined),
  );
  // One value may be bound in another form: its name is the only one left. Other values are constants.
  const left = Object.keys(given).filter((name) => !names.includes(name) && !CHOOSES_TEXT.has(name));
  if (names.includes(undefined) && left.length > 1) throw new Error(`whose values are ${params}? ${left}`);
  const numbered = names.map((name, n) => [
    String(n + 1),
    name || left[0] ? `:${name ?? left[0]}` : `'${params[n]}'`,
  ]);
  return { query, params: Object.fromEntries(numbered) as Record<string, string> };
};

/** The unformatted statement, with names in place of numbers. */
const inlined = ({ query, params }: ReturnType<typeof withNames>) =>
  query.replaceAll(/\s+/g, " ").replaceAll(/\$(\d+)/g, (_, number) => params[number] ?? "");

/** An instant or a day, as the names below write it. */
const BOUND = String.raw`((?:\w+\()*:?\w+(?:::timestamptz)?\)*)`;
/** What stands in snapshots for an expression that most statements have. The later ones are written with the earlier. */
const SHORT: [expression: RegExp, name: string][] = [
  [
    /\(\((:\w+)::timestamptz at time zone 'UTC' \+ interval '1 microsecond'\) at time zone 'UTC'\)/g,
    "after($1)",
  ],
  [
    /\(\(([^()]+|after\(:\w+\)) at time zone 'America\/Sao_Paulo'\) \+ interval '12 hours'\)::date/g,
    "day_of($1)",
  ],
  [/date_trunc\('month', \((day_of\((?:[^()]+|after\(:\w+\))\)) \+ 15\)::timestamp\)::date/g, "month_of($1)"],
  [/octet_length\(body\) <= 4194304/g, "body_fits"],
  [/encode\(sha256\(convert_to\((case when .*? end), 'UTF8'\)\), 'hex'\)/g, "sha256_of($1)"],
  [
    new RegExp(`case when ${BOUND} <= ${BOUND} then (1|"?\\w+"?) else - ?\\3 end`, "g"),
    "$3 * sign_of($2, $1)",
  ],
  [
    new RegExp(`(\\w+) >= least\\(${BOUND}, ${BOUND}\\) and \\1 < greatest\\(\\2, \\3\\)`, "g"),
    "is_between($1, $2, $3)",
  ],
  [
    /coalesce\(sum\(("\w+")\) filter \(where is_signed\), 0\) as "signed_\w+", coalesce\(sum\(\1\) filter \(where not is_signed\), 0\) as "present_\w+"/g,
    "signed_and_present($1)",
  ],
  [/\( ?select row_to_json\(figures\) from \( ?select ([^()]*)\) as figures\)/g, "figures_of($1)"],
  // A range without a filter, as one with it.
  [/(grain = '\w+') and (starts_on|is_between)/g, "$1 and true and $2"],
  [/where (is_between\(at, \S+ \S+\))(?= )/g, "where (true and $1)"],
  [
    /left\(name_sort_key\(("\w+"\."nome")\), 64\) collate "C", \(case when octet_length\(\1\) > 64 then substr\(name_sort_key\(\1\), 64 \+ 1\) else '' end\) collate "C", \1 asc/g,
    "by_name($1)",
  ],
  [
    /select case when (body_fits.*?) then body end as body, ((?:"\w+", )*)sha256_of\(case when \1 then body else left\(body, 1\) end\) as tag from/g,
    "select $2 body_if($1) from",
  ],
];

/** Parts that statements share. What varies in a part is in its groups. */
const SHARED: Record<string, RegExp> = {
  units_of_centres: /select centre, unit from \( select distinct on \(centre\) .*? where unit is not null/g,
  professionals: /professionals as materialized .*? as anywhere \)/g,
  changes_since:
    /'[\w-]+' as lista, .*? from "(?<facts>\w+)" join .*? where \((?<days>[^()]+(?:\([^()]+\)[^()]+)*) and change > position\).*? list = '(?<table>\w+)' .*? 0\) ?\)/g,
  range_by_period:
    /select starts_on as starts_on, (?<columns>(?:(?! from ).)*) from "(?<table>\w+)" where \(grain = 'month' and (?<filter>.*?) and starts_on > .*? is_between\(at, \S+ after\(:data_fim\)\)\)/g,
  range:
    /select (?<columns>(?:(?! from ).)*) from "(?<table>\w+)" where \(grain = 'month' and (?<filter>.*?) and starts_on > .*? is_between\(at, \S+ after\(:data_fim\)\)\)/g,
  people: /select mapped ->> .*? as people\b/g,
  columns_of_lancamentos: /(?<=select )"lancamentos"\."id" as "id", .*?(?= from \( ?select|\) as record)/g,
  columns_of_transacoes: /(?<=select )"transacoes"\."salon_id" as .*?(?= from \( select \*)/g,
  columns_of_pagamentos_erp:
    /(?<=select )"pagamentos_erp"\."id" as "id", .*?(?= from \( ?select|\) as record)/g,
  columns_of_vendas_produto: /(?<=select )"vendas_produto"\."origem" as .*?(?= from \( select \*)/g,
  totals:
    /matched as not .* from grouped\), .*? order by (?<order>"\w+" desc) .*? \(select (?<measures>[^()]*) from shown .* from size\b/g,
  periods: /matched as not .* from grouped where .*? order by (?<measure>"\w+") .* from size\b/g,
  page: /select \S+ \|\| \(coalesce\(\(select .*? from \((?<rows>.*)\) as record\), .* as link_value from \((?<count>.*)\) as counted\(total\)/g,
  page_by_cursor:
    /select \S+ \|\| \(coalesce\(items.*? select "(?<table>\w+)"\."id" as id, .*? from \((?<rows>.*)\) as "\w+" cross join lateral \( ?select (?<columns>.*)\) as record\) .* as page_items/g,
  part: /select (?:\S+ \|\| )?body as body, records, last, \( ?select min\(id\) from "(?<table>\w+)" .*? from \((?<rows> ?select id .*?) order by id limit .*? cross join lateral \( ?select (?<columns>.*)\) as record order by part_id .* as reached/g,
  page_of_changes:
    /select \S+ \|\| \(coalesce\(items.*? from "(?<table>\w+)_changes" .*? as registro from \( ?select (?<columns>.*?) from .* as page\b/g,
};
/** The columns of a range, which have the sign of their part. */
const SIGNED =
  /select (date_trunc\(.*? as starts_on, )?(?:"\w+", )*(records|1) \* (sign_of\(.*?\)) as "records"(?:, "\w+" \* \3 as "\w+")* from/g;

/** The text of each shared part, with the names of its groups. */
const shared = new Map<string, string>();

/** A part by its name, with what varies. A part that differs in more stays as it is. */
const named = (name: string, part: string, groups: Record<string, string> = {}) => {
  const longestFirst = Object.entries(groups).toSorted(([, one], [, other]) => other.length - one.length);
  const text = longestFirst.reduce(
    (rest, [group, value]) => rest.replaceAll(value, group).replaceAll(value.replaceAll("_", "-"), group),
    part.replaceAll(SIGNED, "select $1$2 * $3 as columns from"),
  );
  if (!shared.has(name)) shared.set(name, text);
  return shared.get(name) === text ? `${name}(${Object.values(groups).join(", ")})` : part;
};

/** The statement with the names of expressions and of shared parts. */
const shortened = (statement: ReturnType<typeof withNames>) => {
  let text = inlined(statement);
  for (const [expression, name] of SHORT) text = text.replaceAll(expression, name);
  for (const [name, part] of Object.entries(SHARED))
    for (const { 0: found, groups } of text.matchAll(part))
      text = text.replace(found, () => named(name, found, groups));
  return text;
};

/** The text, formatted for review. The formatter takes `:name` for an operator. */
const formatted = (statement: string) => {
  const quoted = statement.replaceAll(/(?<!:):(\w+)/g, '"$$$1"');
  const text = format(quoted, { language: "postgresql", expressionWidth: 110 });
  return dense(text.replaceAll(/"\$(\w+)"/g, ":$1"));
};

const paging = ["page", "per_page", "after_id"];
/** These have tests of their own or are replaced before the statement: `periodo` by the ends of its range. */
const ELSEWHERE = ["campos", "formato", "periodo", "comparar", "tudo"];

/** The query with all filters, its page by cursor, and the whole list. */
const queriesOf = ({ parameters = [] }: Operation): { name: string; query: Record<string, string> }[] => {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const filters = inQuery.filter(({ name }) => ![...paging, ...ELSEWHERE].includes(name));
  if (filters.length === 0) return [];
  const given = filters.map((filter) => [filter.name, sampleOf(filter)] as const);
  const all = { name: "all-filters", query: Object.fromEntries(given) };
  const cursor = inQuery.find(({ name }) => name === "after_id");
  if (cursor === undefined) return [all];
  const byId = Object.fromEntries(given.filter(([name]) => !NOT_BY_ID.has(name)));
  const whole = { name: "all-filters-whole", query: { ...byId, tudo: "true" } };
  if (cursor.schema["x-only-with"]) return [all, whole];
  return [all, { name: "all-filters-by-cursor", query: { ...byId, after_id: "41", per_page: "7" } }, whole];
};

const isData = ({ path }: { path: string }) => path.startsWith("/v1/");

/** The statements that a route sends for a query. */
const statementsFor = async (path: string, { parameters = [] }: Operation, query: Record<string, string>) => {
  const key = parameters.find((one) => one.in === "path");
  const id = key?.schema.type === "integer" ? "4711" : key?.name === "mes" ? "2031-07" : "the_id";
  const presets = Object.fromEntries(
    parameters.flatMap(({ name, schema }) =>
      schema.default === undefined ? [] : [[name, String(schema.default)]],
    ),
  );
  // The ends of the month.
  if (key?.name === "mes")
    Object.assign(presets, {
      data_inicio: "2031-07-01T03:00:00.000000Z",
      data_fim: "2031-08-01T02:59:59.999999Z",
    });
  // The first part of a whole list (X2).
  if ("tudo" in query) Object.assign(presets, { after: "0", to: "50000", size: "100" });
  const url = `${path.replace(/\{\w+\}/, id)}?${new URLSearchParams(query)}`;
  const given = key ? { [key.name]: id, ...query } : query;
  await get(url);
  await mendDatabase();
  await get(url);
  return (await statements()).map((statement) => withNames(statement, given, presets));
};

/** The statements to review. Without a filter if the route has none, or rejects all of them together. */
const reviewedOf = async (path: string, operation: Operation) => {
  const reviewed: { name: string; sent: ReturnType<typeof withNames>[] }[] = [];
  for (const { name, query } of queriesOf(operation)) {
    const sent = await statementsFor(path, operation, query);
    // A query that is rejected sends nothing.
    if (sent.length > 0) reviewed.push({ name, sent });
  }
  return reviewed.length > 0
    ? reviewed
    : [{ name: "no-filter", sent: await statementsFor(path, operation, {}) }];
};

describe("the SQL of each route", () => {
  it("matches its snapshots, and no snapshot is missing or obsolete", { timeout: 120_000 }, async () => {
    const reviewed: string[] = [];
    for (const { path, operation } of operationsOf(await readDocument()).filter(isData)) {
      // Each part of the panel is the statement of a report (R7).
      if (operation.operationId === "painel") continue;
      for (const { name, sent } of await reviewedOf(path, operation)) {
        const file = `./${operation.operationId}/${name}.sql`;
        const texts = sent.map(shortened).map(formatted);
        await expect(`${texts.join("\n;\n\n")}\n`).toMatchFileSnapshot(file);
        reviewed.push(file);
      }
    }
    for (const [name, text] of shared) {
      const file = `./shared/${name}.sql`;
      await expect(`${formatted(text)}\n`).toMatchFileSnapshot(file);
      reviewed.push(file);
    }
    const kept = Object.keys(import.meta.glob("./*/*.sql"));
    expect(kept.filter((file) => !reviewed.includes(file))).toEqual([]);
  });
});
