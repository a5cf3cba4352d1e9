import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { bundle } from "../../../tools/local/bundle.ts";
import { startNeonEndpoint } from "../../../tools/local/neon-endpoint/server.ts";
import { childrenNamed } from "../../../tools/local/processes.ts";
import { SETTINGS, startRuntime } from "../../../tools/local/runtime.ts";
import { addUser } from "../../../tools/operate/user-changes.ts";

const ROUNDS = 50;
const folder = mkdtempSync(join(tmpdir(), "killed-"));
let endpoint: Awaited<ReturnType<typeof startNeonEndpoint>>;

beforeAll(async () => {
  bundle(folder);
  const db = new pg.Client({ connectionString: inject("postgresUrl") });
  await db.connect();
  await addUser(db, { email: "killed@example.com", name: "Killed", password: "killed-password" });
  await db.end();
  endpoint = await startNeonEndpoint({
    url: inject("postgresUrl"),
    sessions: inject("isServer") ? 10 : 1,
    roles: ["salon_api"],
  });
});

afterAll(async () => {
  await endpoint?.close();
  rmSync(folder, { recursive: true, force: true });
});

it(`a spent refresh token stays spent if the runtime is killed right after its rotation, ${ROUNDS} rounds (A6)`, {
  timeout: 1_200_000,
}, async () => {
  const post = async (url: URL, path: string, body: unknown) => {
    const response = await fetch(new URL(path, url), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as { refresh_token: string } };
  };
  const settings = {
    ...SETTINGS,
    // A restart may take longer than the default of ten seconds.
    REFRESH_LENIENCY_SECONDS: "600",
    DATABASE_URL: endpoint.urlOf("salon_api"),
  };
  let { runtime, url } = await startRuntime(folder, settings);
  let { refresh_token } = (
    await post(url, "/auth/login", { email: "killed@example.com", password: "killed-password" })
  ).body;
  for (let round = 0; round < ROUNDS; round += 1) {
    const rotated = await post(url, "/auth/refresh", { refresh_token });
    expect(rotated.status).toBe(200);
    const killed = childrenNamed("workerd");
    expect(killed.length).toBeGreaterThan(0);
    for (const pid of killed) process.kill(pid, "SIGKILL");
    await runtime.dispose().catch(() => undefined);
    ({ runtime, url } = await startRuntime(folder, settings));
    // The spent token first: within the leniency and from the same address, it gets 401 and ends nothing.
    expect((await post(url, "/auth/refresh", { refresh_token })).status).toBe(401);
    const next = await post(url, "/auth/refresh", { refresh_token: rotated.body.refresh_token });
    expect(next.status).toBe(200);
    ({ refresh_token } = next.body);
  }
  await runtime.dispose();
});
