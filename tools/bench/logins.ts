import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { hashPassword } from "../../src/auth/passwords.ts";
import { startEmbeddedPostgres } from "../local/embedded-postgres.ts";
import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";
import { bundleWorker, startRuntime } from "../local/runtime.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";

const EACH = 500;

/** Failed logins of known and of unknown e-mails, one after the other: how long each kind takes, in ms (A5). */
const measureLogins = async (url: URL): Promise<Record<"known" | "unknown", number[]>> => {
  const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
  const fail = async (email: string) => {
    const started = performance.now();
    const response = await fetch(new URL("/auth/login", url), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email, password: "not-the-password" }),
    });
    await response.text();
    if (response.status !== 401) throw new Error(`a failed login answered ${response.status}`);
    return performance.now() - started;
  };
  for (let i = 0; i < 10; i += 1) await fail(`warm-up-${i}@example.com`);
  for (let i = 0; i < EACH; i += 1) {
    // The order alternates, so that neither kind always comes second.
    for (const kind of i % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const)) {
      times[kind].push(await fail(`${kind}-${i}@example.com`));
    }
    if ((i + 1) % 100 === 0) console.error(`${i + 1} of ${EACH} pairs`);
  }
  return times;
};

const quantile = (values: number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(q * (values.length - 1))] ?? Number.NaN;

const folder = mkdtempSync(join(tmpdir(), "bench-"));
const database = await startEmbeddedPostgres();
await migrateWarehouse(database.url);
const owner = new pg.Client({ connectionString: database.url });
await owner.connect();
await owner.query(
  "insert into users (email, name, password_hash) select 'known-' || i || '@example.com', 'Known', $1 from generate_series(0, $2::int - 1) i",
  [hashPassword("the-password"), EACH],
);
await owner.end();
const endpoint = await startNeonEndpoint({ url: database.url, sessions: 1 });
bundleWorker(folder);
const { runtime, url } = await startRuntime(folder, endpoint.urlOf("salon_api"));
try {
  const { known, unknown } = await measureLogins(url);
  const row = (name: string, values: number[]) =>
    `| ${name} | ${quantile(values, 0.5).toFixed(1)} | ${quantile(values, 0.99).toFixed(1)} |`;
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  console.log(
    [
      `Failed logins, ${EACH} of each, interleaved · ${new Date().toISOString().slice(0, 10)} · ${availableParallelism()} cores, ${gigabytes} GiB`,
      "",
      "| e-mail | median ms | p99 ms |",
      "|---|---|---|",
      row("known", known),
      row("unknown", unknown),
      "",
      `Median of known / unknown: ${(quantile(known, 0.5) / quantile(unknown, 0.5)).toFixed(4)}`,
    ].join("\n"),
  );
} finally {
  await runtime.dispose();
  await endpoint.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
