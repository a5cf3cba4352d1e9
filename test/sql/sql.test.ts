import { format } from "sql-formatter";
import { beforeAll, describe, expect, it } from "vitest";
import { type Operation, operationsOf, type Parameter } from "../support/document.ts";
import { get, mendDatabase, readDocument, statements } from "../support/worker/api.ts";

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
const CHOOSES_TEXT = new Set(["page", "granularidade", "por", "medidas", "data", "comparar", "ordem"]);
/** A cursor has its own order. */
const NOT_BY_CURSOR = new Set(["ordem"]);
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
];

/** The statement, formatted for review. The formatter takes `:name` for an operator. */
const formatted = (statement: ReturnType<typeof withNames>) => {
  const shortened = SHORT.reduce(
    (text, [expression, name]) => text.replaceAll(expression, name),
    inlined(statement),
  );
  const quoted = shortened.replaceAll(/(?<!:):(\w+)/g, '"$$$1"');
  return format(quoted, { language: "postgresql", expressionWidth: 110 }).replaceAll(/"\$(\w+)"/g, ":$1");
};

const paging = ["page", "per_page", "after_id"];
/** These have tests of their own or are replaced before the statement: `periodo` by the ends of its range. */
const ELSEWHERE = ["campos", "formato", "periodo", "comparar"];

/** The query with all filters, and its page by cursor. */
const queriesOf = ({ parameters = [] }: Operation): { name: string; query: Record<string, string> }[] => {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const filters = inQuery.filter(({ name }) => ![...paging, ...ELSEWHERE].includes(name));
  if (filters.length === 0) return [];
  const given = filters.map((filter) => [filter.name, sampleOf(filter)] as const);
  const all = { name: "all-filters", query: Object.fromEntries(given) };
  if (!inQuery.some(({ name }) => name === "after_id")) return [all];
  const byCursor = given.filter(([name]) => !NOT_BY_CURSOR.has(name));
  const query = { ...Object.fromEntries(byCursor), after_id: "41", per_page: "7" };
  return [all, { name: "all-filters-by-cursor", query }];
};

/** How the panel asks a report for a part: parameters that it sends, and values that it has in its statement. */
interface Asked {
  report: string;
  asks: Record<string, string>;
  constants?: Record<string, string>;
  isOfAllTime?: true;
}
const PENDING = { sent_to_salon: "false" };
const PENDING_PAYMENTS = {
  por: "centro_custo,faixa",
  medidas: "pendentes,valor_pendente,vencimento_mais_antigo",
};

/** The parts of the panel by name, except the earlier range: it has another range. */
const inPanel = ({ granularidade = "mes", data_fim }: Record<string, string>): Record<string, Asked> => ({
  faturamento: { report: "faturamento", asks: { por: "origem" } },
  faturamento_por_periodo: { report: "faturamento", asks: { por: granularidade, medidas: "valor_total" } },
  metas: { report: "faturamento", asks: { por: "mes", medidas: "valor_total,meta,valor_com_meta" } },
  metas_por_unidade: { report: "faturamento", asks: { por: "mes,unidade", medidas: "meta" } },
  faturamento_por_unidade: { report: "faturamento", asks: { por: "unidade" } },
  faturamento_por_unidade_e_periodo: {
    report: "faturamento",
    asks: { por: `${granularidade},unidade`, medidas: "valor_total" },
  },
  visitas: { report: "visitas", asks: {} },
  visitas_por_forma_pagamento: {
    report: "visitas",
    asks: { por: "forma_pagamento", medidas: "visitas,valor_total,taxas" },
  },
  // Clients are counted over a range only.
  ...(data_fim && { clientes: { report: "visitas", asks: { medidas: "clientes,clientes_novos" } } }),
  lancamentos_pendentes: {
    report: "lancamentos",
    asks: { medidas: "lancamentos,valor_total", ...PENDING },
    constants: PENDING,
    isOfAllTime: true,
  },
  lancamentos_pendentes_antigos: {
    report: "lancamentos",
    asks: {
      por: "mes,enviado",
      medidas: "lancamentos,valor_total",
      data_fim: "2025-03-01T00:00:00Z",
      ...PENDING,
    },
    constants: { ...PENDING, data_fim: "(select at from a_day_old)" },
    isOfAllTime: true,
  },
  pagamentos: {
    report: "pagamentos",
    asks: { ...PENDING_PAYMENTS, situacao: "1" },
    constants: { situacao: "1" },
    isOfAllTime: true,
  },
  servicos_por_profissional: { report: "servicos", asks: { por: "profissional", ordem: "-valor_total" } },
  servicos_por_unidade_e_profissional: {
    report: "servicos",
    asks: { por: "unidade,profissional", medidas: "servicos", profissional_salon_id: "5001" },
    constants: {
      profissional_salon_id:
        "any ( select row ->> 'profissional_salon_id' from \"part_servicos_por_profissional\", jsonb_array_elements(body::jsonb -> 'data') as row )",
    },
  },
});
/** Members of the panel that are no answers of reports, or not over a range that a reader can ask for. */
const NOT_COMPARED = ["unidades", "faturamento_anterior", "pendentes", "pendentes_antigos", "frescor"];

/** What a report selects without its limit: its rows, its single object, or the steps of a general report. */
const sourceOf = (statement: string): string => {
  const [, steps] = /(?:with |, )(grouped as .*), shown as materialized/s.exec(statement) ?? [];
  if (steps !== undefined) return steps;
  const [, rows] =
    /string_agg\(row_to_json\(record\)::text, ','\) from \((.*)\) as record\), ''\)/s.exec(statement) ?? [];
  const [, object] = /from \(select (.*) as body offset 0\) as finished/s.exec(statement) ?? [];
  return (rows ?? object ?? "").replace(/ limit :\w+$/, "").trim();
};

const isData = ({ path }: { path: string }) => path.startsWith("/v1/");

/** The statements that a route sends for a query. */
const statementsFor = async (path: string, { parameters = [] }: Operation, query: Record<string, string>) => {
  const isNumber = parameters.find(({ name }) => name === "id")?.schema.type === "integer";
  const id = isNumber ? "4711" : "the_id";
  const presets = Object.fromEntries(
    parameters.flatMap(({ name, schema }) =>
      schema.default === undefined ? [] : [[name, String(schema.default)]],
    ),
  );
  const url = `${path.replace("{id}", id)}?${new URLSearchParams(query)}`;
  const given = path.includes("{id}") ? { id, ...query } : query;
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
  let operations: ReturnType<typeof operationsOf>;
  beforeAll(async () => {
    operations = operationsOf(await readDocument()).filter(isData);
  });

  it("matches its snapshots, and no snapshot is missing or obsolete", { timeout: 120_000 }, async () => {
    const reviewed: string[] = [];
    for (const { path, operation } of operations) {
      if (operation.operationId === "painel") continue;
      for (const { name, sent } of await reviewedOf(path, operation)) {
        const file = `./${operation.operationId}/${name}.sql`;
        await expect(`${sent.map(formatted).join("\n;\n\n")}\n`).toMatchFileSnapshot(file);
        reviewed.push(file);
      }
    }
    const kept = Object.keys(import.meta.glob("./*/*.sql"));
    expect(kept.filter((file) => !reviewed.includes(file))).toEqual([]);
  });

  it("is the same in the panel as in each of its reports (R7)", async () => {
    const find = (id: string) =>
      operations.find(({ operation }) => operation.operationId === id) as (typeof operations)[0];
    const panel = find("painel");
    const names = (panel.operation.parameters ?? []).map(({ name }) => name);
    const compared = new Set<string>();
    for (const query of [{}, ...queriesOf(panel.operation).map((one) => one.query)]) {
      const [all = ""] = (await statementsFor(panel.path, panel.operation, query)).map(inlined);
      for (const [part, { report, asks, constants = {}, isOfAllTime }] of Object.entries(inPanel(query))) {
        const { path, operation } = find(report);
        const own = (operation.parameters ?? [])
          .map(({ name }) => name)
          .filter((name) => names.includes(name) && !(isOfAllTime && name.startsWith("data_")));
        const shared = Object.fromEntries(Object.entries(query).filter(([name]) => own.includes(name)));
        const [statement = ""] = (await statementsFor(path, operation, { ...shared, ...asks })).map(inlined);
        const source = sourceOf(statement).replaceAll(/:(\w+)/g, (bound, name) => constants[name] ?? bound);
        expect(source.length, part).toBeGreaterThan(300);
        expect(all, part).toContain(source);
        compared.add(part);
      }
    }
    const members = Object.keys((await readDocument()).components.schemas.Painel?.properties ?? {});
    expect([...compared, ...NOT_COMPARED].toSorted()).toEqual(members.toSorted());
  });
});
