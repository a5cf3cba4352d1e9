// @module-tag server
// @module-tag slow
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { readSettings } from "../../src/core/settings.ts";
import { startEmbeddedPostgres } from "../../tools/local/embedded-postgres.ts";
import { makeToken } from "../../tools/operate/agent-tokens.ts";
import { addClient } from "../../tools/operate/clients.ts";
import { addUser } from "../../tools/operate/user-changes.ts";
import { connected } from "../../tools/warehouse/databases.ts";
import { generateWarehouse } from "../../tools/warehouse/generate.ts";
import { migrateWarehouse } from "../../tools/warehouse/migrate.ts";
import { DEPLOYED, startCloudflareApi, UPLOADED } from "../support/node/cloudflare-api.ts";
import { type Database, openDatabase, openMigrated } from "../support/node/databases.ts";
import {
  type Fence,
  fences,
  runScript,
  type ScriptRun,
  SERVICE_LOG,
  skipWithoutTools,
} from "../support/node/pages.ts";

const SERVER = process.env.TEST_DATABASE_URL;

const docs = inject("docs");
let shared: Database;
/** What the section that runs now sends to Cloudflare. */
let cloudflare: Awaited<ReturnType<typeof startCloudflareApi>>;
beforeAll(async () => {
  shared = await openMigrated(SERVER);
  await fill(shared.url);
}, 120_000);
afterAll(() => shared.close());

const WRANGLER = /^npm run wrangler /;
/** Lines that this test does not run, by their beginning, and why or where they are tested. */
const ELSEWHERE: [start: RegExp, reason: string][] = [
  [WRANGLER, "needs a Cloudflare account; pages.test.ts checks its options"],
  [/^npm run wrangler -- (login|whoami)$/, "needs a Cloudflare account and a browser"],
  [/^git (clone|fetch|switch) /, "checks out another commit"],
  [/^read -rs /, "reads from a terminal; the test sets the variable"],
  [/^BASE=/, "the test sets the variable"],
  [/^npm ci\b/, "test/installs/installs.test.ts"],
  [/^npm run check\b/, ".ci/run; it would run this test again"],
  [/^npm run (?:db:generate|snapshots|lint -- --write)\b/, "writes files of the project"],
  [/^npm test -- /, ".ci/run; it would run tests inside a test"],
  [/^TEST_DATABASE_URL=\S+ npm test -- /, ".ci/run; it would run tests inside a test"],
];

interface SectionSetup {
  /** Why the section needs a server. */
  server?: string;
  /** The section changes roles, which all databases of a server share, so it gets a database of its own. */
  roles?: true;
  /** The section runs wrangler against a fake of Cloudflare's API. */
  cloudflare?: true;
  /** Fills a separate database. If omitted, the section uses the shared warehouse. */
  prepare?: (url: string) => Promise<void>;
  env?: Record<string, string>;
  /** Runs before the commands. It may return variables for them and a function to call after them. */
  before?: (url: string) => Promise<{ env: Record<string, string>; end: () => Promise<unknown> } | undefined>;
  /** The beginnings of commands that must fail. */
  failing?: string[];
  verify?: (result: ScriptRun, url: string) => Promise<void> | void;
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

/** An older schema: serial or missing keys, floating-point amounts, no time zones, states as text. */
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

/** Per section: what it needs, and what it must show besides successful commands. */
const SMOKE_ACCOUNT = { SMOKE_EMAIL: "demo@example.com", SMOKE_PASSWORD: "demo-password" };
const SECTIONS: Record<string, SectionSetup> = {
  "Run it": { verify: ({ output }) => expect(output).toMatch(/"agora":"\d{4}-/) },
  "Trying it": {
    verify: ({ output }) => {
      expect(output.match(/^[a-z]+(?:[A-Z][a-z]+)*$/gm)).toContain("faturamento");
      expect(output).toMatch(/^\S.*\t\d+(?:\.\d+)?$/m);
    },
  },
  "The first time": {
    roles: true,
    cloudflare: true,
    prepare: empty,
    env: { SMOKE_PASSWORD: "demo-password" },
    verify: async ({ output }, url) => {
      expect(output).toMatch(/^1[58]\.\d+/m);
      expect(output).toContain("Added ana@example.com.");
      const secrets = cloudflare.requests
        .filter(({ method, path }) => method === "PUT" && path.endsWith("/secrets"))
        .map(({ body }) => JSON.parse(body) as { name: string; text: string });
      expect(secrets).toMatchObject([{ name: "DATABASE_URL" }, { name: "TOKEN_KEYS" }]);
      const [{ text: api = "" } = {}, { text: keys = "" } = {}] = secrets;
      readSettings({
        DATABASE_URL: api,
        TOKEN_KEYS: keys,
        RATE_LIMIT_GLOBAL: 1,
        RATE_LIMIT_AUTH: 1,
        REFRESH_LENIENCY_SECONDS: 1,
      });
      expect(output).toContain(`\n${api}\n${keys}\n`);
      expect(api).toMatch(/^postgres:\/\/salon_api:[\da-f]{48}@/);
      expect(output).toContain("All checks passed.");
      const [role] = await ask(url, "select rolpassword from pg_authid where rolname = 'salon_api'");
      expect(role.rolpassword).toMatch(/^SCRAM/);
    },
  },
  "Rotating secrets": {
    roles: true,
    prepare: warehouse,
    verify: async ({ output }, url) => {
      expect(output).toMatch(/^[\w-]{43}$/m);
      expect(await ask(url, "select from pg_roles where rolname = 'salon_api_next'")).toEqual([]);
    },
  },
  "The role of a loader": { roles: true, prepare: migrateWarehouse },
  Releasing: { env: SMOKE_ACCOUNT },
  "Gradual rollout": {
    cloudflare: true,
    env: { NEW: UPLOADED, ...SMOKE_ACCOUNT },
    verify: ({ output }) => {
      expect(output).toContain(`\nNEW=${UPLOADED}\n`);
      expect(output).toContain("All checks passed.");
      const deployments = cloudflare.requests
        .filter(({ method, path }) => method === "POST" && path.endsWith("/deployments"))
        .map(({ body }) => JSON.parse(body).versions);
      const traffic = (version_id: string, percentage: number) => ({ version_id, percentage });
      expect(deployments).toEqual([
        [traffic(DEPLOYED, 100), traffic(UPLOADED, 0)],
        [traffic(DEPLOYED, 90), traffic(UPLOADED, 10)],
        [traffic(UPLOADED, 100)],
        [traffic(DEPLOYED, 100)],
      ]);
    },
  },
  Alarms: {
    before: async () => {
      const line = {
        level: "error",
        status: 503,
        route: "/v1/produtos",
        sqlstate: "28P01",
        error: "NeonDbError",
      };
      writeFileSync(join(docs.folder, "service.log"), `${JSON.stringify(line)}\n`);
      return undefined;
    },
    verify: ({ output }) => expect(output).toBe("now\tdatabase-login\t1\n"),
  },
  Staging: {
    prepare: empty,
    verify: async ({ output }, url) => {
      expect(output).toContain("Worker salon-erp-data-service-staging\n");
      const visits = "select count(*)::int as visits from transacoes where salon_id like 'T%'";
      expect(await ask(url, visits)).toEqual([{ visits: 3000 }]);
    },
  },
  Logs: {
    env: { REQUEST },
    before: async () => {
      await fetch(`${docs.base}/health`, { headers: { "X-Request-Id": REQUEST } });
      const printed = () => readFileSync(join(docs.folder, SERVICE_LOG), "utf8");
      await expect.poll(printed).toContain(REQUEST);
      writeFileSync(join(docs.folder, "service.log"), printed());
    },
    verify: ({ output }) =>
      expect(output.match(/^\{.*\}$/gm)?.map((line) => JSON.parse(line))).toMatchObject([
        { request: REQUEST, method: "GET", route: "/health", status: 200 },
      ]),
  },
  "Add a rollup": {
    before: async (url) => {
      // What the generated migration creates.
      await ask(
        url,
        `create table contas_rollup (grain text not null, starts_on date not null, nome_conta_classificacao text, writer int not null,
           records bigint not null, valor numeric not null, unique nulls not distinct (grain, starts_on, nome_conta_classificacao, writer))`,
      );
    },
    verify: async (_, url) => {
      const total = "round(sum(valor) filter (where abs(valor) < 'Infinity'), 2) as total";
      const kept = await ask(url, `select ${total} from contas_rollup where grain = 'all'`);
      expect(kept).toEqual(await ask(url, `select ${total} from pagamentos_erp`));
    },
  },
  "A stuck cursor": {
    server: "it needs a second connection",
    before: async (url) => {
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
    verify: async ({ output }, url) => {
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
  "503: the database rejects the login": { verify: ({ output }) => expect(output).toContain("salon_api") },
  "503 on /auth only": { verify: ({ output }) => expect(output).toMatch(/^400\n200$/m) },
  "429 of one user": {
    verify: ({ output }) => expect(output).toMatch(/RateLimit-Policy: "global";q=100000;w=900/i),
  },
  "Rollups that differ": {
    prepare: async (url) => {
      await warehouse(url);
      await ask(url, "update transacoes_rollup set records = records + 1 where grain = 'all'");
    },
    failing: ['DATABASE_URL="$OWNER" npm run warehouse -- verify'],
    verify: ({ output }) => expect(output).toMatch(/transacoes_rollup: \d+ sums differ, recalculated/),
  },
  Rollups: { verify: ({ output }) => expect(output).toContain("transacoes_rollup: all sums match") },
  "Agent tokens": {
    before: async (url) => {
      const { message } = await connected(url, (db) => makeToken(db, "ana@example.com"));
      return { env: { TOKEN_ID: message.match(/\d+/)?.[0] ?? "" }, end: async () => undefined };
    },
    verify: async ({ output }, url) => {
      expect(output).not.toContain("agt_");
      expect(output).toMatch(
        /^\d+ {2}assistant@example\.com {2}created \S+ {2}expires \S+ {2}active {2}units all, /m,
      );
      expect(output).toMatch(/^Revoked agent token \d+\. It ends within a minute\.$/m);
      const left = "select email from agent_tokens join users on identity = user_identity";
      expect(await ask(url, left)).toEqual([{ email: "assistant@example.com" }]);
    },
  },
  "OAuth clients": {
    before: async (url) => {
      const { id } = await connected(url, (db) => addClient(db, "Gemini", ["https://gemini.test/callback"]));
      return { env: { CLIENT_ID: id }, end: async () => undefined };
    },
    verify: async ({ output }, url) => {
      expect(output).toMatch(/^client-\S+ {2}Gemini {2}created \S+ {2}https:\/\/gemini\.test\/callback$/m);
      expect(output).toMatch(/^Replaced the redirect URLs of client-/m);
      expect(output.match(/^client_secret: ocs_[\w-]{43}$/gm)).toHaveLength(1);
      expect(output).toMatch(/^Removed client-\S+ Codes and refresh tokens end within a minute/m);
      expect(await ask(url, "select name from oauth_clients")).toEqual([{ name: "ChatGPT" }]);
    },
  },
  "Backup and restore": {
    server: "pg_dump connects only to a server",
    env: { LAST: "987654" },
    verify: async ({ output }, url) => {
      const [next] = await ask(url, "select nextval('lancamentos_id_seq')::int as id");
      expect(next).toEqual({ id: 987_655 });
      expect(output.match(/privileges and settings are correct/g)).toHaveLength(2);
    },
  },
  COPY: {
    server: "the embedded Postgres does not support COPY from a client",
    before: async () => {
      const lines = [
        "salon_id,estabelecimento_id,total,data_hora,raw_data",
        "C1,101,10.00,2026-02-01T10:00:00-03:00,{}",
      ];
      writeFileSync(join(docs.folder, "visits.csv"), `${lines.join("\n")}\n`);
    },
    verify: async (_, url) =>
      expect(await ask(url, "select total from transacoes where salon_id = 'C1'")).toEqual([
        { total: "10.00" },
      ]),
  },
  "Importing an existing warehouse": {
    prepare: async (url) => {
      await ask(url, LEGACY);
      await expect(migrateWarehouse(url)).rejects.toThrow(/relation "users_id_seq" already exists/);
    },
    verify: async ({ output }, url) => {
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
  "Find a person's data": {
    env: { CLIENT: "c-1", PROFESSIONAL: "5001", NAME: "Fulana" },
    before: async (url) => {
      await ask(
        url,
        "update transacoes set cliente_salon_id = 'c-1', raw_data = '{\"cliente\": \"Fulana de Tal\"}' where salon_id = 'T1'",
      );
    },
    verify: ({ output }) => {
      expect(output).toMatch(/transacoes \|/);
      const exported = JSON.parse(readFileSync(join(docs.folder, "person.json"), "utf8"));
      expect([exported.kind, exported.rows.profissionais.length]).toEqual(["professional", 1]);
    },
  },
  "Erase a person's data": {
    prepare: warehouse,
    env: { CLIENT: "c-2", PROFESSIONAL: "5001", KEY: "k".repeat(43) },
    before: async (url) => {
      await ask(
        url,
        "update transacoes set cliente_salon_id = 'c-2', cliente_nome = 'Fulana' where salon_id = 'T2'",
      );
    },
    verify: async ({ output }, url) => {
      expect(output).toContain("Removed ana@example.com.");
      expect(output).toContain("client: 1 receipt; erased again because they had come back: 0.");
      const [left] = await ask(
        url,
        "select cliente_nome, cliente_salon_id, raw_data, total is not null as money from transacoes where salon_id = 'T2'",
      );
      expect(left).toEqual({ cliente_nome: null, cliente_salon_id: null, raw_data: {}, money: true });
      // The client's id is in no rollup either.
      const known = "select from transacoes_cliente_rollup where cliente_salon_id = 'c-2'";
      expect(await ask(url, known)).toEqual([]);
      expect(await ask(url, "select from profissionais where salon_id = '5001'")).toEqual([]);
    },
  },
  "In an incident": {
    prepare: warehouse,
    verify: ({ output }) => expect(output).toContain("Disabled ana@example.com"),
  },
};

const deploys = new Set<string>();
/** A command that deploys checks all types first, so each runs once. */
const isRepeated = (line: string): boolean => {
  const seen = deploys.has(line);
  if (line.startsWith("npm run deploy")) deploys.add(line);
  return seen;
};

/**
 * The script of a fence. SQL runs as the owner, the example account becomes the demo account, and nothing is uploaded:
 * deploy.test.ts shows what an upload sends. Sections with `cloudflare` upload to a fake of its API.
 */
function scriptOf({ heading, language, text }: Fence): string {
  const { cloudflare: runsWrangler } = SECTIONS[heading] ?? {};
  const isElsewhere = (line: string) =>
    ELSEWHERE.some(([begins]) => begins.test(line) && !(runsWrangler && begins === WRANGLER));
  if (language === "sql") return `psql "$OWNER" -v ON_ERROR_STOP=1 <<'SQL'\n${text}SQL\n`;
  const lines = text.split("\n").filter((line) => !isElsewhere(line) && !isRepeated(line));
  return lines
    .join("\n")
    .replaceAll("SMOKE_EMAIL=ana@example.com", "SMOKE_EMAIL=demo@example.com")
    .replaceAll(/^npm run deploy( --)?/gm, runsWrangler ? "$&" : "npm run deploy -- --dry-run")
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

it("every section and every skipped line that this test names is in the docs", () => {
  const headings = scripts.map(([name]) => name.split(" › ")[1]);
  expect(Object.keys(SECTIONS).filter((heading) => !headings.includes(heading))).toEqual([]);
  const lines = fences.filter(({ language }) => language === "sh").flatMap(({ text }) => text.split("\n"));
  expect(ELSEWHERE.filter(([begins]) => !lines.some((line) => begins.test(line)))).toEqual([]);
});

it.for(scripts)(
  "the commands of %s run as documented",
  { timeout: 300_000 },
  async ([name, script], context) => {
    const {
      server,
      roles,
      prepare,
      env,
      before,
      failing = [],
      verify,
    } = SECTIONS[name.split(" › ")[1] ?? ""] ?? {};
    skipWithoutTools(context, script);
    if (server && !SERVER) context.skip(`needs a server (TEST_DATABASE_URL): ${server}`);
    if (!server && SERVER) context.skip("runs on the embedded Postgres");
    const isOwn = roles || prepare !== undefined;
    const database = roles ? await startEmbeddedPostgres() : isOwn ? await openDatabase(SERVER) : shared;
    const target = script.includes("$NEW") ? await openDatabase(SERVER) : undefined;
    cloudflare = await startCloudflareApi();
    try {
      await prepare?.(database.url);
      const other = await before?.(database.url);
      const urls = {
        OWNER: database.url,
        BEFORE: database.url,
        STAGING_OWNER: database.url,
        POOLED: database.url,
        ...cloudflare.env,
        NEW: target?.url,
      };
      // Another program may use the default port of `npm start`.
      const ran = await runScript(docs.folder, script.replaceAll("http://127.0.0.1:8787", docs.base), {
        ...urls,
        API: database.url.replace("//postgres@", "//salon_api@"),
        BASE: docs.base,
        ...env,
        ...other?.env,
      });
      await other?.end();
      for (const [, kept = ""] of ran.output.matchAll(/its source map is in (.+)\.$/gm))
        rmSync(kept, { recursive: true });
      expect(
        ran.failed.filter((line) => !failing.some((begin) => line.startsWith(begin))),
        ran.output,
      ).toEqual([]);
      expect(ran.failed).toHaveLength(failing.length);
      await verify?.(ran, database.url);
    } finally {
      await cloudflare.close();
      await target?.close();
      if (isOwn) await database.close();
    }
  },
);
