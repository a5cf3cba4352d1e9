// @module-tag slow
import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDeployed } from "../../../tools/local/deployed.ts";
import { freePort } from "../../../tools/local/ports.ts";
import { addUser } from "../../../tools/operate/user-changes.ts";
import { connected } from "../../../tools/warehouse/databases.ts";
import { generateWarehouse } from "../../../tools/warehouse/generate.ts";
import { migrateWarehouse } from "../../../tools/warehouse/migrate.ts";
import { DEMO_USER } from "../../support/node/databases.ts";
import { POSTGRES_PROGRAMS } from "../../support/node/installed.ts";

/** Runs a program of Postgres, which refuses to run as root. */
const run = (program: string, args: string[]) => {
  const command = [join(POSTGRES_PROGRAMS ?? "", program), ...args];
  const [file = "", ...rest] =
    process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...command] : command;
  execFileSync(file, rest, { stdio: ["ignore", "ignore", "pipe"] });
};

describe.skipIf(POSTGRES_PROGRAMS === undefined)("a service that reads a replica", () => {
  const folder = mkdtempSync(join(tmpdir(), "replica-"));
  const data = join(folder, "data");
  let stop: () => Promise<void> = async () => undefined;
  let get: (path: string) => Promise<Response>;
  let lines: string[] = [];

  const pgCtl = (...args: string[]) => run("pg_ctl", ["-D", data, "-w", "-l", join(folder, "log"), ...args]);

  beforeAll(async () => {
    if (process.getuid?.() === 0) {
      const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
      chownSync(folder, id("-u"), id("-g"));
    }
    run("initdb", ["-D", data, "-A", "trust", "-U", "postgres", "--no-sync"]);
    const port = await freePort();
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
    pgCtl("-o", options, "start");
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await migrateWarehouse(url);
    await connected(url, async (db) => {
      await generateWarehouse(db, { visits: 50 });
      await addUser(db, DEMO_USER);
    });
    pgCtl("stop");
    // A server with this file stays in recovery, as a replica does.
    const signal = join(data, "standby.signal");
    writeFileSync(signal, "");
    const { uid, gid } = statSync(data);
    chownSync(signal, uid, gid);
    pgCtl("-o", options, "start");
    const served = await startDeployed(url, 5, "salon_api", {
      options: { handleStructuredLogs: ({ message }) => lines.push(message) },
    });
    stop = served.stop;
    const post = await fetch(new URL("/auth/login", served.url), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: DEMO_USER.email, password: DEMO_USER.password }),
    });
    const { access_token } = (await post.json()) as { access_token: string };
    get = (path) =>
      fetch(new URL(path, served.url), { headers: { Authorization: `Bearer ${access_token}` } });
  });

  afterAll(async () => {
    await stop();
    pgCtl("-m", "immediate", "stop");
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    "/v1/lancamentos?after_id=0",
    "/v1/pagamentos-erp?after_id=0",
    "/v1/alteracoes/transacoes",
    "/v1/alteracoes/lancamentos?per_page=5",
  ])("refuses %s with 503 and logs the cause (C5)", async (path) => {
    lines = [];
    const response = await get(path);
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("2");
    expect(await response.json()).toEqual({
      error: "Service Unavailable",
      message:
        "Cursors and change feeds need the primary database, but the service reads a replica. Tell the operator.",
    });
    await expect
      .poll(() => lines.map((line) => JSON.parse(line)))
      .toMatchObject([{ status: 503, error: "ReplicaError", sqlstate: "SR001" }]);
  });

  it("does not count that as a failure of the database: everything else is served (C5, E2)", async () => {
    for (let i = 0; i < 10; i += 1) expect((await get("/v1/lancamentos?after_id=0")).status).toBe(503);
    for (const path of ["/v1/lancamentos?page=2", "/v1/transacoes", "/v1/relatorios/resumo", "/v1/frescor"])
      expect([path, (await get(path)).status]).toEqual([path, 200]);
  });
});
