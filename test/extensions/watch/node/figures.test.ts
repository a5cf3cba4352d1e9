// @module-tag slow
// @module-tag server
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type pg from "pg";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { Source } from "../../../../src/api/v1/relatorios/source.ts";
import { SOURCES } from "../../../../src/api/v1/relatorios/sources/index.ts";
import type { AlertRule } from "../../../../src/extensions/watch/alert-rule.ts";
import { AlertsError, parseAlerts } from "../../../../tools/operate/alerts.ts";
import { insertRows } from "../../../oracle/rows.ts";
import { DEMO_USER, openDemo } from "../../../support/node/databases.ts";
import { useWatch } from "../../../support/node/watch.ts";

const QUARTER = 900_000;
const DAY = 86_400_000;
const START = Date.parse("2026-11-23T12:00:00Z");
const stamp = (at: number) => new Date(at).toISOString().replace("Z", "+00:00");

const OVERDUE = `
  [[alert]]
  name = "Contas <vencidas>"
  question = "pagamentos?medidas=valor_vencido"
  above = 5000`;
const OTHERS = `
  [[alert]]
  name = "Menos contas"
  question = "pagamentos?medidas=pendentes&situacao=1"
  below = 3
  [[alert]]
  name = "Média de nada"
  question = "visitas?medidas=ticket_medio&periodo=1999"
  below = 1e300
  [[alert]]
  name = "Loja 999"
  question = "visitas?medidas=visitas"
  unit = "999"
  above = 0`;
const RULES = parseAlerts(OVERDUE + OTHERS);

const bed = useWatch(() => openDemo(process.env.TEST_DATABASE_URL, 400));
const { folder, requests, lines, addressOf, openEndpoint } = bed;
let db: pg.Client;

interface Alert {
  text: string;
  state: "problem" | "ok";
  problems: { kind: string; name: string; since: string; value?: number; status?: number }[];
}

const alerts = (): Alert[] =>
  requests.filter(({ path }) => path === "/alert").map(({ body }) => JSON.parse(body));
const shown = () =>
  alerts().map(({ problems }) => problems.map(({ kind, name }) => `${kind} ${name}`).sort());
const beats = () => requests.filter(({ path }) => path === "/beat").length;

/** Starts the service with these rules. */
const start = (rules: AlertRule[], options: { own?: string; DATABASE_URL?: string } = {}) => {
  const { own, ...settings } = options;
  const addresses = { ALERT_WEBHOOK: addressOf("/alert"), HEARTBEAT_URL: addressOf("/beat") };
  return bed.start(
    { ...addresses, JOB_LATE_SECONDS: "100000000", ...settings },
    { rules, ...(own && { own }) },
  );
};

let bills = 1e9;
const insertBill = (valor: string, data_vencimento: string) => {
  bills += 1;
  return insertRows(db, "pagamentos_erp", [
    { erp_id: bills, situacao: 1, valor, data_vencimento, raw_data: {} },
  ]);
};

beforeAll(async () => {
  db = bed.db;
  await db.query("truncate jobs_log, produtos");
  const jobs = ["sync-transacoes", "send-receber", "send-pagar"];
  const created_at = new Date(START - DAY).toISOString();
  const done = jobs.map((job_name) => ({ queue: "q", job_name, status: "completed", created_at }));
  await insertRows(db, "jobs_log", done);
});
const openUnit = () =>
  db.query(
    "insert into estabelecimentos (salon_id, nome) select '999', 'Loja nova' where not exists (select from estabelecimentos where salon_id = '999')",
  );

beforeEach(async () => {
  await db.query("truncate pagamentos_erp");
  for (const _ of [1, 2, 3]) await insertBill("1.00", "2199-01-01");
  await openUnit();
});

describe("an alert on a figure", () => {
  it("is sent once the figure is above the limit, not at it, daily while it is, and when it ends (W3)", async () => {
    const watch = await start(RULES);
    await insertBill("5000.00", "2026-11-20");
    await watch.run(START);
    expect([alerts(), beats()]).toEqual([[], 1]);
    await insertBill("321.5", "2026-11-20");
    await watch.run(START + QUARTER);
    const since = stamp(START + QUARTER);
    expect(alerts()).toEqual([
      {
        text: `Salon-to-ERP data service: 1 problem\n- Contas &lt;vencidas&gt; is 5,321.50, above 5,000, since ${since}`,
        state: "problem",
        problems: [{ kind: "figure", name: "Contas <vencidas>", since, value: 5321.5, above: 5000 }],
      },
    ]);
    await insertBill("10000.00", "2026-11-20");
    await watch.run(START + 2 * QUARTER);
    expect([alerts().length, beats()]).toEqual([1, 1]);
    await watch.run(START + QUARTER + DAY);
    expect(alerts()[1]?.problems).toEqual([{ ...alerts()[0]?.problems[0], value: 15_321.5 }]);
    await db.query("update pagamentos_erp set situacao = 2 where valor > 1");
    await watch.run(START + 2 * QUARTER + DAY);
    expect([alerts().length, alerts()[2]?.state, beats()]).toEqual([3, "ok", 2]);
    await expect.poll(() => lines.map((line) => JSON.parse(line).problems)).toEqual([0, 1, 1, 1, 0]);
    expect(lines.join()).not.toMatch(/Contas|vencidas|5321|999/);
  });

  it("is sent once the figure is below the limit, and not for an average of nothing (W3)", async () => {
    const watch = await start(RULES);
    await watch.run(START);
    await db.query("delete from pagamentos_erp where erp_id = $1", [bills]);
    await watch.run(START + QUARTER);
    const since = stamp(START + QUARTER);
    expect(alerts().map((alert) => alert.text.split("\n")[1])).toEqual([
      `- Menos contas is 2, below 3, since ${since}`,
    ]);
    expect(alerts()[0]?.problems).toEqual([
      { kind: "figure", name: "Menos contas", since, value: 2, below: 3 },
    ]);
  });

  it("is of the scheduled time, not of the present (W3)", async () => {
    await insertBill("9000.00", "2026-11-30");
    const watch = await start(RULES);
    for (const day of [0, 6, 7, 8, 9]) await watch.run(START + day * DAY);
    // Overdue from the day after it was due. The last one is the reminder.
    expect(alerts().map(({ problems }) => problems[0]?.since)).toEqual(Array(2).fill(stamp(START + 8 * DAY)));
  });
});

describe("a rule that could not be checked", () => {
  it("is a problem with the status of its report, and the other rules are checked (W3)", async () => {
    const watch = await start(RULES);
    await insertBill("6000.00", "2026-11-20");
    await watch.run(START);
    await db.query("delete from estabelecimentos where salon_id = '999'");
    await watch.run(START + QUARTER);
    const since = stamp(START + QUARTER);
    expect(alerts()[1]?.text).toContain(`\n- The rule Loja 999 could not be checked (400) since ${since}`);
    expect(alerts()[1]?.problems).toEqual([
      { kind: "figure", name: "Contas <vencidas>", since: stamp(START), value: 6000, above: 5000 },
      { kind: "rule", name: "Loja 999", since, status: 400 },
    ]);
    await openUnit();
    await watch.run(START + 2 * QUARTER);
    expect(shown().at(-1)).toEqual(["figure Contas <vencidas>"]);
  });

  it("keeps its figure as it was, and so do all rules while the database does not answer (W3)", async () => {
    const lost = await openEndpoint();
    const watch = await start(RULES, { DATABASE_URL: lost.url });
    await insertBill("6000.00", "2026-11-20");
    await watch.run(START);
    await db.query("alter table pagamentos_facts rename to renamed_facts");
    try {
      await watch.run(START + QUARTER);
    } finally {
      await db.query("alter table renamed_facts rename to pagamentos_facts");
    }
    await lost.close();
    await watch.run(START + 2 * QUARTER);
    const kept = "figure Contas <vencidas>";
    const unchecked = ["rule Contas <vencidas>", "rule Menos contas"];
    expect(shown()).toEqual([[kept], [kept, ...unchecked], ["database database", kept, ...unchecked]]);
    const figures = alerts().map(({ problems }) => problems.find(({ kind }) => kind === "figure"));
    expect(figures).toEqual(Array(3).fill(alerts()[0]?.problems[0]));
    expect(alerts()[1]?.problems.find(({ kind }) => kind === "rule")?.status).toBe(500);
    await expect
      .poll(() => lines.map((line) => JSON.parse(line).sqlstate))
      .toEqual([undefined, "42P01", undefined]);
  });
});

it("the figures of removed rules end, and those of new ones begin, by a deployment (W3)", async () => {
  const own = mkdtempSync(join(folder, "deployed-"));
  await insertBill("6000.00", "2026-11-20");
  await insertRows(db, "jobs_log", [
    {
      queue: "q",
      job_name: "send-pagar",
      status: "failed",
      created_at: new Date(START - QUARTER).toISOString(),
    },
  ]);
  try {
    for (const [n, rules] of [[], RULES, parseAlerts(OTHERS)].entries()) {
      const watch = await start(rules, { own });
      await watch.run(START + n * QUARTER);
      await watch.stop();
    }
  } finally {
    await db.query("delete from jobs_log where status = 'failed'");
  }
  expect(shown()).toEqual([
    ["failed send-pagar"],
    ["failed send-pagar", "figure Contas <vencidas>"],
    ["failed send-pagar"],
  ]);
});

/** Asks as a client does. */
const signIn = async (url: URL) => {
  const response = await fetch(new URL("/auth/login", url), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: DEMO_USER.email, password: DEMO_USER.password }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${access_token}`, Prefer: "handling=strict" };
  return (path: string) => fetch(new URL(path, url), { headers });
};

const quoted = (value: string) => JSON.stringify(value);

describe("the question of a rule", () => {
  const VALUES = ["1", "2", "0", "true", "false", "Pix", "101", "10.00", "sabado", "salao", "5001", "x"];
  const PERIODS = ["hoje", "ontem", "mes", "ano-passado", "2026-T4", "2026-13", "1999", "proximos-7-dias"];
  const INSTANTS = [
    "2024-01-01T00:00:00-03:00",
    "2026-01-01T00:00:00Z",
    "2026-11-01T00:00:00-03",
    "2199-01-01T00:00:00Z",
    "2026-01-01",
  ];
  const questionOf = (source: Source): fc.Arbitrary<string> => {
    const parameter = (names: string[], values: string[]) =>
      fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values));
    const own = [...Object.keys(source.filters), "estabelecimento_id"];
    const rare = ["por", "comparar", "ordem", "limite", "formato", "campos", "data", "other", "situacao"];
    const measures = Object.keys(source.measures);
    return fc
      .tuple(
        fc.oneof(
          { weight: 12, arbitrary: fc.constantFrom(...measures) },
          { weight: 1, arbitrary: fc.constantFrom("valor", "", measures.slice(0, 2).join(",")) },
        ),
        fc.array(
          fc.oneof(
            { weight: 6, arbitrary: parameter(own, VALUES) },
            { weight: 4, arbitrary: parameter(["periodo"], PERIODS) },
            { weight: 3, arbitrary: parameter(["data_inicio", "data_fim"], INSTANTS) },
            { weight: 1, arbitrary: parameter(rare, ["mes", "pagamento", "1"]) },
          ),
          { maxLength: 3 },
        ),
      )
      .map(([measure, parameters]) => {
        const query = new URLSearchParams([...parameters, ["medidas", measure]]);
        return `${source.name}?${query}`;
      });
  };
  /** What only a rule may not do. */
  const OF_RULES = /must not be given, because|must be exactly one measure|`unit`|`formato` is not/;

  it("is refused if its report refuses it always, and else answered, or its value is unknown (W3)", async () => {
    const watch = await start([]);
    const get = await signIn(watch.url);
    const counts = { answered: 0, unknown: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SOURCES).chain((source) => questionOf(source)),
        fc.constantFrom(undefined, undefined, "101", "no-such-unit", ""),
        async (question, unit) => {
          const text =
            `[[alert]]\nname = "x"\nquestion = ${quoted(question)}\nabove = 1\n` +
            (unit === undefined ? "" : `unit = ${quoted(unit)}`);
          try {
            const [rule] = parseAlerts(text);
            const response = await get(rule?.path ?? "");
            const body = (await response.json()) as { message?: string; totais?: Record<string, unknown> };
            if (response.status === 200) {
              expect(body.totais?.[rule?.measure ?? ""] ?? null).toSatisfy(
                (value) => value === null || typeof value === "number",
              );
              counts.answered += 1;
            } else {
              expect([response.status, body.message]).toEqual([
                400,
                expect.stringMatching(/ does not exist\. /),
              ]);
              counts.unknown += 1;
            }
          } catch (error) {
            if (!(error instanceof AlertsError)) throw error;
            const errors = error.message.split("\n").slice(1);
            for (const line of errors) expect(line).toMatch(/^- Rule 1 \(x\): `(question|unit)`/);
            counts.refused += 1;
            if (errors.some((line) => OF_RULES.test(line))) return;
            expect((await get(`/v1/relatorios/${question}`)).status).toBe(400);
          }
        },
      ),
      { numRuns: 400, seed: inject("fuzzSeed") },
    );
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(20);
  });
});
