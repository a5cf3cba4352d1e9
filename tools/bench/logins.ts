import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashPassword } from "../../src/auth/passwords.ts";
import { startEmbeddedPostgres } from "../local/embedded-postgres.ts";
import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";
import { bundle, SETTINGS, startRuntime } from "../local/runtime.ts";
import { connected } from "../warehouse/databases.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { type Figure, median, plain, spread } from "./figures.ts";

const EACH = 500;

/** Failed logins of known and of unknown e-mails, one after the other: how long each kind takes, in ms (A5). */
const measureLogins = async (
  url: URL,
  progress: (line: string) => void,
): Promise<Record<"known" | "unknown", number[]>> => {
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
    if ((i + 1) % 100 === 0) progress(`Logins: ${i + 1} of ${EACH} pairs`);
  }
  return times;
};

/** Failed logins of known against unknown e-mails: the time must not tell which is which (A5). */
export const measureLoginTimes = async (progress: (line: string) => void): Promise<Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const database = await startEmbeddedPostgres();
  await migrateWarehouse(database.url);
  await connected(database.url, (owner) =>
    owner.query(
      "insert into users (email, name, password_hash) select 'known-' || i || '@example.com', 'Known', $1 from generate_series(0, $2::int - 1) i",
      [hashPassword("the-password"), EACH],
    ),
  );
  const endpoint = await startNeonEndpoint({ url: database.url, sessions: 1, roles: ["salon_api"] });
  bundle(folder);
  const { runtime, url } = await startRuntime(folder, {
    ...SETTINGS,
    DATABASE_URL: endpoint.urlOf("salon_api"),
  });
  try {
    const { known, unknown } = await measureLogins(url, progress);
    const ratio = (median(known) / median(unknown)).toFixed(3);
    const measure = `failed login, ${EACH} of each: known / unknown e-mail`;
    return [plain(measure, ratio, `${spread(known)} / ${spread(unknown)}`)];
  } finally {
    await runtime.dispose();
    await endpoint.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
