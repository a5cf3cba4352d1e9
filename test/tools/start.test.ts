import { type ChildProcess, execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, type Service, start, untilReady } from "../support/service.ts";

const folder = mkdtempSync(join(tmpdir(), "start-"));
const sh = promisify(execFile);

const listen = (port: number): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer().listen(port, "127.0.0.1", () => resolve(server));
  });
const close = (server: Server) => new Promise((resolve) => server.close(resolve));

const begin = (env: Record<string, string>) => start(folder, env, ["--var", "REFRESH_LENIENCY_SECONDS:11"]);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("npm start", () => {
  let port: number;
  let service: Service;

  const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
    child.kill(signal);
    expect(await service.exit).toBe(0);
    // Everything it started is gone: the port is free again.
    await close(await listen(port));
  };

  beforeAll(async () => {
    port = await freePort();
  });

  it("fills the demo warehouse with a progress line and prints a curl line that works when pasted", {
    timeout: 120_000,
  }, async () => {
    service = begin({ PORT: String(port) });
    await untilReady(service);
    expect(service.output).toMatch(/Filling the warehouse: transacoes 3000 of 3000/);
    expect(service.output).toContain(`Base URL    http://127.0.0.1:${port}`);
    expect(service.output).toContain("demo@example.com / demo-password");
    expect(service.output).toMatch(/REFRESH_LENIENCY_SECONDS/);
    const line = service.output.split("\n").find((text) => text.startsWith("curl "));
    const { stdout } = await sh("sh", ["-c", line ?? "false"]);
    const { data, pagination } = JSON.parse(stdout);
    expect(data).toHaveLength(2);
    expect(pagination).toMatchObject({ per_page: 2, has_more: true });
  });

  it("the smoke test finds a well service well and leaves no session behind; a wrong password fails it", async () => {
    const smoke = (password: string) =>
      sh("node", [new URL("../../tools/smoke.ts", import.meta.url).pathname, `http://127.0.0.1:${port}`], {
        env: { ...process.env, SMOKE_EMAIL: "demo@example.com", SMOKE_PASSWORD: password },
      });
    const { stdout } = await smoke("demo-password");
    expect(stdout).toMatch(/nothing left behind: the session has ended\nThe service is well\.\n$/);
    await expect(smoke("not-the-password")).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/FAIL {2}a real login {2}answered 401/),
    });
  });

  it("a second start beside it ends with one clear line", async () => {
    const taken = begin({ PORT: String(port) });
    expect(await taken.exit).toBe(1);
    expect(taken.output).toBe(`Port ${port} is taken. Choose another one: PORT=${port + 1} npm start\n`);
    const same = begin({ PORT: String(port === 65535 ? 1024 : port + 1) });
    expect(await same.exit).toBe(1);
    expect(same.output).toBe("The demo warehouse is in use by another `npm start` of this folder.\n");
  });

  it("SIGTERM ends every process", () => end(service.child, "SIGTERM"));

  it("starts again without filling, and Ctrl-C ends it", { timeout: 120_000 }, async () => {
    service = begin({ PORT: String(port) });
    await untilReady(service);
    expect(service.output).not.toContain("Filling");
    await end(service.child, "SIGINT");
  });

  it.each([
    [{ PORT: "x" }, /^PORT must be a number from 1 to 65535; got "x"\.\n$/],
    [{ PORT: "0" }, /^PORT must be a number/],
    [{ DATABASE_URL: "mysql://x/y" }, /^DATABASE_URL must look like postgres:\/\/.*\n$/],
    [
      { DATABASE_URL: "postgres://me:hidden@127.0.0.1:1/x" },
      /^The database at postgres:\/\/me:\*\*\*@127\.0\.0\.1:1\/x cannot be used: .*ECONNREFUSED.*\n$/,
    ],
  ])("%j ends with one clear line and a non-zero exit", async (env, message) => {
    const failed = begin({ PORT: String(port), ...env });
    expect(await failed.exit).toBe(1);
    expect(failed.output).toMatch(message);
    expect(failed.output).not.toContain("hidden");
  });
});
