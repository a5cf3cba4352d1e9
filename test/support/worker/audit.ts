import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, inject } from "vitest";
import { app } from "../../../src/app.ts";
import { authorization, signIn, sql } from "./api.ts";

const URL_OF_AUDIT = { AUDIT_DATABASE_URL: inject("auditUrl") };
export const ADDRESS = "203.0.113.99";
let mine: Record<string, string>;
let count = 0;

/** Sends a request to a service that records. Nobody has read the body. */
export const begin = async (
  path: string,
  { settings = URL_OF_AUDIT, headers = {}, ...init }: RequestInit & { settings?: Partial<Env> } = {},
) => {
  count += 1;
  const id = `access-${count}`;
  const all = { ...mine, "CF-Connecting-IP": ADDRESS, "X-Request-Id": id, ...(headers as object) };
  const request = new Request(`https://api.test${path}`, { ...init, headers: all });
  const response = await app.fetch(request, { ...env, ...settings }, createExecutionContext());
  return { response, id };
};

/** Sends a request, and reads its body. The insert may still run. */
export const ask = async (...asked: Parameters<typeof begin>) => {
  const { response, id } = await begin(...asked);
  return { response, id, body: await response.text() };
};

export const select = (id: string) => sql`select * from acessos where request_id = ${id} order by id`;

/** The recorded rows of a request. If there is none, later requests are recorded first: they may overtake it. */
export const rowsOf = async (id: string) => {
  let rows = await select(id);
  for (let tries = 0; rows.length === 0 && tries < 5; tries += 1) {
    const { id: later } = await ask("/v1/profissionais?per_page=1");
    await expect.poll(() => select(later), { interval: 5 }).toHaveLength(1);
    rows = await select(id);
  }
  return rows;
};

/** The recorded rows of a GET request. It must succeed. */
export const recorded = async (path: string, init?: Parameters<typeof ask>[1]) => {
  const { response, body, id } = await ask(path, init);
  expect([200, 304], `${path}: ${body.slice(0, 200)}`).toContain(response.status);
  return rowsOf(id);
};

/** Signs in for all requests of a file. */
export const useReader = () => {
  beforeAll(async () => {
    mine = authorization(await signIn());
  });
};
