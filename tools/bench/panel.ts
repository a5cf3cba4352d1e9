import type pg from "pg";
import { listEstabelecimentos } from "../../src/api/v1/estabelecimentos/queries.ts";
import { frescor } from "../../src/api/v1/frescor/queries.ts";
import { painel } from "../../src/api/v1/relatorios/panel.ts";
import { GRAIN, PARTS, type PanelPart } from "../../src/api/v1/relatorios/panel-parts.ts";
import type { Figure } from "./figures.ts";
import { reports } from "./reports.ts";
import { CUT, type RouteQuery, YEAR } from "./routes.ts";
import { answer, asStatement, assertSame, compare, statementOf } from "./timed.ts";

/** Shows what the panel saves or costs beside the reports and lists that it combines, each as its own statement. */

interface Ends {
  data_inicio?: string;
  data_fim?: string;
}

/** The parts that have the same answer as their report, and the lists. */
const partsOf = (grain: "dia" | "mes", range: Ends): Record<string, RouteQuery> => {
  const answers = Object.entries<PanelPart>(PARTS).flatMap(([name, part]): [string, RouteQuery][] => {
    const { source, asks, range: other, filters = {} } = part;
    const values = Object.values(filters).map((value) => asStatement(value).text);
    const isOwn = other === undefined || other === "all";
    // A filter that asks another part is of the panel alone.
    if (!isOwn || values.some((value) => value.includes("("))) return [];
    const given = Object.fromEntries(Object.keys(filters).map((filter, n) => [filter, values[n]]));
    const por = asks.por?.map((one) => (one === GRAIN ? grain : one));
    const question = { ...asks, por, ...given, ...(other === undefined ? range : {}) };
    return [[name, (to, request) => reports[source.name as keyof typeof reports](to, request, question)]];
  });
  return {
    unidades: (to, request) => listEstabelecimentos.read(to, request, {}),
    ...Object.fromEntries(answers),
    frescor,
  };
};

/** Without what changes every second. */
const comparable = (body: object) =>
  JSON.parse(JSON.stringify(body), (name, value) =>
    name === "agora" || name === "atraso_segundos" || name === "direitos" ? undefined : value,
  );

export const measurePanel = async (db: pg.Client): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [name, granularidade, range] of [
    ["all time by month", "mes", {}],
    ["a year by day", "dia", YEAR],
    ["from mid-month to mid-month, by month", "mes", CUT],
  ] as const) {
    const parts = Object.entries(partsOf(granularidade, range));
    const runs = await Promise.all(
      parts.map(async ([, ask]) => ({ on: db, statement: await statementOf(ask) })),
    );
    const panel = {
      on: db,
      statement: await statementOf((to, request) => painel(to, request, { granularidade, ...range })),
    };
    const expected: Record<string, unknown> = {};
    for (const [n, run] of runs.entries()) {
      const body = JSON.parse((await answer(run)).rows[0].body);
      const part = parts[n]?.[0] ?? "";
      expected[part] = part === "unidades" ? body.data : body;
    }
    const body = JSON.parse((await answer(panel)).rows[0].body);
    const shown = Object.fromEntries(parts.map(([part]) => [part, body[part]]));
    assertSame(comparable(shown), comparable(expected), `panel, ${name}`);
    figures.push(await compare(`panel, ${name} / its reports and lists`, 1.5, 20, panel, runs));
  }
  return figures;
};
