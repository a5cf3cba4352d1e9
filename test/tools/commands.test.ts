// @module-tag server
// @module-tag slow
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { makeToken } from "../../tools/agent-tokens.ts";
import { startEmbeddedPostgres } from "../../tools/local/embedded-postgres.ts";
import { addUser } from "../../tools/users.ts";
import { connected } from "../../tools/warehouse/databases.ts";
import { generateWarehouse } from "../../tools/warehouse/generate.ts";
import { migrateWarehouse } from "../../tools/warehouse/migrate.ts";
import { type Database, openDatabase, openMigrated } from "../support/databases.ts";
import { type Fence, fences, needs, type Run, run, SERVICE_LOG } from "../support/pages.ts";

const SERVER = process.env.TEST_DATABASE_URL;

const place = inject("docs");
let shared: Database;
beforeAll(async () => {
  shared = await openMigrated(SERVER);
  await fill(shared.url);
}, 120_000);
afterAll(() => shared.close());

/** What is not run here, by how a line begins, and who runs it. */
const ELSEWHERE: [start: RegExp, reason: string][] = [
  [/^npm run wrangler /, "needs an account at Cloudflare; asked for its help above"],
  [/^npm run deploy\b/, "needs an account at Cloudflare"],
  [/^git switch --detach </, "leaves this commit"],
  [/^npm ci\b/, "test/installs/installs.test.ts"],
  [/^npm --prefix \S+ ci\b/, ".ci/run; it would install anew what this run stands on"],
  [
    /^npx @modelcontextprotocol\/inspector /,
    "fetches a package; its client is asked in agents.test.ts beside",
  ],
  [/^npm run check\b/, ".ci/run; it would run this test"],
  [/^npm test -- /, ".ci/run; it would run tests within a test"],
  [/^TEST_DATABASE_URL=\S+ npm test -- /, ".ci/run; it would run tests within a test"],
];

interface Circumstances {
  /** Why it needs a server. */
  server?: string;
  /** Roles of a server belong to all its databases: these are changed where nobody else is. */
  roles?: true;
  /** Fills a database of its own; else it is the warehouse that sections share. */
  given?: (url: string) => Promise<void>;
  env?: Record<string, string>;
  /** What is arranged first, or goes on beside it until the end. */
  beside?: (url: string) => Promise<{ env: Record<string, string>; end: () => Promise<unknown> } | undefined>;
  /** Commands that have to fail, as their beginning. */
  fails?: string[];
  shows?: (run: Run, url: string) => Promise<void> | void;
}

const ask = async (url: string, sql: string) => (await connected(url, (db) => db.query(sql))).rows;
const fill = (url: string) =>
  connected(url, async (db) => {
    await generateWarehouse(db, { visits: 60 });
    await addUser(db, { email: "ana@example.com", name: "Ana Souza", password: "demo-password" });
  });
const warehouse = async (url: string) => {
  await migrateWarehouse(url);
  await fill(url);
};
const empty = async () => undefined;

/** Tables of the same names by other hands: serial and missing keys, floating point, no zones, states as words. */
const LEGACY = `
  create table transacoes (id serial primary key, salon_id varchar(40), unidade varchar(10), total double precision,
    data_hora timestamp, servicos json, sent_to_erp boolean, raw_data json, synced_at timestamp default now());
  create table lancamentos (salon_id text primary key, estabelecimento_id text, raw_data json, synced_at timestamp, sent_to_salon int);
  create table pagamentos_erp (id bigint, erp_id text, situacao text, valor text, data_vencimento timestamp, raw_data json);
  create table users (id serial primary key, login text);
  create view transacoes_de_janeiro as select * from transacoes where data_hora < '2026-02-01';
  create table recibos (transacao int references transacoes (id));
  insert into transacoes (salon_id, unidade, total, data_hora, servicos, raw_data)
    select 'T' || n % 900, '101', n + 0.1, timestamp '2026-01-31 23:30' + n * interval '1 minute',
      '[{"idProfissionalQueRealizouServico": "5001"}]', '{"a": 1.10}' from generate_series(1, 1000) as n;
  insert into lancamentos select 'L' || n, '101', '{"ValorBruto": "1.10"}', timestamp '2026-02-01 00:10', n % 2 from generate_series(1, 500) as n;
  insert into pagamentos_erp select n, n::text, case n % 2 when 0 then 'pago' else 'pendente' end, '1.234,50', timestamp '2026-02-01', '{}'
    from generate_series(1, 300) as n`;

const REQUEST = "import-7";

/** What a section needs or shows besides commands that end well. */
const SECTIONS: Record<string, Circumstances> = {
  "Trying it": {
    shows: ({ output }) => {
      expect(output.match(/^[a-z]+(?:[A-Z][a-z]+)*$/gm)).toContain("transacoesPorEstabelecimento");
      expect(output).toMatch(/^\S.*\t\d+(?:\.\d+)?$/m);
    },
  },
  "The first time": {
    roles: true,
    given: empty,
    shows: async ({ output }, url) => {
      expect(output).toContain("Added ana@example.com.");
      expect(output).toMatch(/^[\w-]{43}$/m);
      expect(output).toContain("The service is well.");
      const [role] = await ask(url, "select rolpassword from pg_authid where rolname = 'salon_api'");
      expect(role.rolpassword).toMatch(/^SCRAM/);
    },
  },
  "Rotating secrets": {
    roles: true,
    given: warehouse,
    shows: async ({ output }, url) => {
      expect(output).toMatch(/^[\w-]{43}$/m);
      expect(await ask(url, "select from pg_roles where rolname = 'salon_api_next'")).toEqual([]);
    },
  },
  Staging: {
    given: empty,
    shows: async (_, url) =>
      expect(
        await ask(url, "select count(*)::int as visits from transacoes where salon_id like 'T%'"),
      ).toEqual([{ visits: 3000 }]),
  },
  Logs: {
    env: { REQUEST },
    beside: async () => {
      await fetch(`${place.base}/health`, { headers: { "X-Request-Id": REQUEST } });
      const printed = () => readFileSync(join(place.folder, SERVICE_LOG), "utf8");
      await expect.poll(printed).toContain(REQUEST);
      writeFileSync(join(place.folder, "service.log"), printed());
    },
    shows: ({ output }) =>
      expect(output.match(/^\{.*\}$/gm)?.map((line) => JSON.parse(line))).toMatchObject([
        { request: REQUEST, method: "GET", route: "/health", status: 200 },
      ]),
  },
  "A new sum": {
    beside: async (url) => {
      // What the generated migration creates.
      await ask(
        url,
        `create table contas_rollup (grain text not null, starts_on date not null, nome_conta_classificacao text, writer int not null,
           records bigint not null, valor numeric not null, unique nulls not distinct (grain, starts_on, nome_conta_classificacao, writer))`,
      );
    },
    shows: async (_, url) => {
      const total = "round(sum(valor) filter (where abs(valor) < 'Infinity'), 2) as total";
      const kept = await ask(url, `select ${total} from contas_rollup where grain = 'all'`);
      expect(kept).toEqual(await ask(url, `select ${total} from pagamentos_erp`));
    },
  },
  "A cursor that stands still": {
    server: "a loader beside",
    beside: async (url) => {
      let end: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        end = resolve;
      });
      let started: (pid: string) => void = () => undefined;
      const pid = new Promise<string>((resolve) => {
        started = resolve;
      });
      const loader = connected(url, async (db) => {
        await db.query("begin");
        await db.query(
          "insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('held', '101', '{}')",
        );
        await ask(
          url,
          "insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('newer', '101', '{}')",
        );
        started(String((await db.query("select pg_backend_pid() as pid")).rows[0].pid));
        await released;
      });
      return {
        env: { PID: await pid },
        end: () => {
          end();
          return loader.catch(() => undefined);
        },
      };
    },
    shows: async ({ output }, url) => {
      const [, settled, written] = /^ +(\d+) \| +(\d+)$/m.exec(output) ?? [];
      expect(Number(settled)).toBeLessThan(Number(written));
      expect(output).toContain("idle in transaction");
      const [now] = await ask(
        url,
        "select settled_id('lancamentos') = max(id) as settled, bool_or(salon_id = 'held') as held from lancamentos",
      );
      expect(now).toEqual({ settled: true, held: false });
    },
  },
  "503: the database lets nobody in": { shows: ({ output }) => expect(output).toContain("salon_api") },
  "503 on /auth only": { shows: ({ output }) => expect(output).toMatch(/^400\n200$/m) },
  "429 of one user": {
    shows: ({ output }) => expect(output).toMatch(/RateLimit-Policy: "global";q=100000;w=900/i),
  },
  "Sums that differ": {
    given: async (url) => {
      await warehouse(url);
      await ask(url, "update transacoes_rollup set records = records + 1 where grain = 'all'");
    },
    fails: ['DATABASE_URL="$OWNER" npm run warehouse -- verify'],
    shows: ({ output }) => expect(output).toMatch(/transacoes_rollup: \d+ sums differ, counted anew/),
  },
  Sums: { shows: ({ output }) => expect(output).toContain("transacoes_rollup: all sums match") },
  "Agent tokens": {
    beside: async (url) => {
      const { told } = await connected(url, (db) => makeToken(db, "ana@example.com"));
      return { env: { TOKEN_ID: told.match(/\d+/)?.[0] ?? "" }, end: async () => undefined };
    },
    shows: async ({ output }, url) => {
      expect(output).not.toContain("agt_");
      expect(output).toMatch(/^\d+ {2}assistant@example\.com {2}made \S+ {2}ends \S+ {2}active$/m);
      expect(output).toMatch(/^Revoked agent token \d+\. It ends within a minute\.$/m);
      const left = "select email from agent_tokens join users on identity = user_identity";
      expect(await ask(url, left)).toEqual([{ email: "assistant@example.com" }]);
    },
  },
  "Backup and restore": {
    server: "pg_dump speaks to a server of its own version",
    env: { LAST: "987654" },
    shows: async ({ output }, url) => {
      const [next] = await ask(url, "select nextval('lancamentos_id_seq')::int as id");
      expect(next).toEqual({ id: 987_655 });
      expect(output.match(/rights and settings are as they should be/g)).toHaveLength(2);
    },
  },
  COPY: {
    server: "an embedded one takes no COPY from a client",
    beside: async () => {
      const lines = [
        "salon_id,estabelecimento_id,total,data_hora,raw_data",
        "C1,101,10.00,2026-02-01T10:00:00-03:00,{}",
      ];
      writeFileSync(join(place.folder, "visits.csv"), `${lines.join("\n")}\n`);
    },
    shows: async (_, url) =>
      expect(await ask(url, "select total from transacoes where salon_id = 'C1'")).toEqual([
        { total: "10.00" },
      ]),
  },
  "Bringing in a warehouse that is there": {
    given: async (url) => {
      await ask(url, LEGACY);
      await expect(migrateWarehouse(url)).rejects.toThrow(/relation "users_id_seq" already exists/);
    },
    shows: async ({ output }, url) => {
      const [carried] = await ask(
        url,
        `select count(*)::int as visits, max(id)::int < nextval('transacoes_id_seq')::int as ids, (select min(valor) from pagamentos_erp) as valor,
           (select data_hora = timestamptz '2026-02-01T03:15:00-03:00' from transacoes where id = 225) as zone,
           (select count(*)::int from legado.transacoes_de_janeiro) as in_view
         from transacoes`,
      );
      expect(carried).toEqual({ visits: 900, ids: true, valor: "1234.50", zone: true, in_view: 29 });
      expect(output.match(/^transacoes_rollup: all sums match$/gm)).toHaveLength(2);
    },
  },
  "Telling somebody what is held": {
    env: { CLIENT: "c-1", NAME: "Fulana" },
    beside: async (url) => {
      await ask(
        url,
        "update transacoes set cliente_salon_id = 'c-1', raw_data = '{\"cliente\": \"Fulana de Tal\"}' where salon_id = 'T1'",
      );
    },
    shows: ({ output }) => expect(output).toMatch(/T1[\s\S]+transacoes \|/),
  },
  "Erasing somebody": {
    given: warehouse,
    env: { CLIENT: "c-2", PROFESSIONAL: "5001" },
    beside: async (url) => {
      await ask(
        url,
        "update transacoes set cliente_salon_id = 'c-2', cliente_nome = 'Fulana' where salon_id = 'T2'",
      );
    },
    shows: async ({ output }, url) => {
      expect(output).toContain("Removed ana@example.com.");
      const [left] = await ask(
        url,
        "select cliente_nome, cliente_salon_id, raw_data, total is not null as money from transacoes where salon_id = 'T2'",
      );
      expect(left).toEqual({ cliente_nome: null, cliente_salon_id: null, raw_data: {}, money: true });
    },
  },
};

/** What of a fence is run here. SQL is the owner's; the account that is invented is the one the service has. */
function scriptOf({ language, text }: Fence): string {
  if (language === "sql") return `psql "$OWNER" -v ON_ERROR_STOP=1 <<'SQL'\n${text}SQL\n`;
  return text
    .split("\n")
    .filter((line) => !ELSEWHERE.some(([begins]) => begins.test(line)))
    .join("\n")
    .replaceAll("SMOKE_EMAIL=ana@example.com", "SMOKE_EMAIL=demo@example.com")
    .replaceAll("…", "demo-password");
}

const sections = Map.groupBy(
  fences.filter(({ language }) => language === "sh" || language === "sql"),
  ({ page, heading }) => `${page} › ${heading}`,
);
const scripts = [...sections]
  .filter(([name]) => name !== "README.md › A tour with curl")
  .map(([name, parts]): [string, string] => [name, parts.map(scriptOf).join("\n")])
  .filter(([, script]) => script.trim() !== "");

it("each section that needs something is there, and so is each line that is run elsewhere", () => {
  const headings = scripts.map(([name]) => name.split(" › ")[1]);
  expect(Object.keys(SECTIONS).filter((heading) => !headings.includes(heading))).toEqual([]);
  const lines = fences.filter(({ language }) => language === "sh").flatMap(({ text }) => text.split("\n"));
  expect(ELSEWHERE.filter(([begins]) => !lines.some((line) => begins.test(line)))).toEqual([]);
});

it.for(scripts)("%s", { timeout: 180_000 }, async ([name, script], context) => {
  const { server, roles, given, env, beside, fails = [], shows } = SECTIONS[name.split(" › ")[1] ?? ""] ?? {};
  needs(context, script);
  if (server && !SERVER) context.skip(`needs a server (TEST_DATABASE_URL): ${server}`);
  if (!server && SERVER) context.skip("runs on the embedded Postgres");
  const isOwn = roles || given !== undefined;
  const database = roles ? await startEmbeddedPostgres() : isOwn ? await openDatabase(SERVER) : shared;
  const target = script.includes("$NEW") ? await openDatabase(SERVER) : undefined;
  try {
    await given?.(database.url);
    const other = await beside?.(database.url);
    const urls = { OWNER: database.url, BEFORE: database.url, STAGING_OWNER: database.url, NEW: target?.url };
    // Where `npm start` serves by default, something else may be here.
    const ran = await run(place.folder, script.replaceAll("http://127.0.0.1:8787", place.base), {
      ...urls,
      API: database.url.replace("//postgres@", "//salon_api@"),
      BASE: place.base,
      ...env,
      ...other?.env,
    });
    await other?.end();
    expect(
      ran.failed.filter((line) => !fails.some((begin) => line.startsWith(begin))),
      ran.output,
    ).toEqual([]);
    expect(ran.failed).toHaveLength(fails.length);
    await shows?.(ran, database.url);
  } finally {
    await target?.close();
    if (isOwn) await database.close();
  }
});
