// @module-tag server
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { clearAgentCaches } from "../../../src/access/auth/agents.ts";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import {
  addUser,
  breakDatabase,
  DEMO,
  databaseRequests,
  expectError,
  get,
  makeAgentToken,
  mendDatabase,
  sql,
} from "../../support/worker/api.ts";
import { logged } from "../../support/worker/captured-logs.ts";
import { createClient, interceptObjects, signTokenOf } from "../../support/worker/client.ts";
import { stopClock, wait } from "../../support/worker/clock.ts";

/** Ledger entries of a unit of their own. Each part has four of them. */
const UNIT = "whole";
const PATH = `/v1/lancamentos?estabelecimento_id=${UNIT}&tudo=true&campos=id,raw_data`;
let ids: number[];

beforeAll(async () => {
  const rows = await sql`
    insert into lancamentos (salon_id, estabelecimento_id, raw_data)
    select ${UNIT} || n, ${UNIT}, jsonb_build_object('text', repeat('x', 1000000)) from generate_series(1, 16) as n
    returning id::int`;
  ids = rows.map(({ id }) => id);
});
afterAll(async () => {
  await sql`delete from lancamentos where estabelecimento_id = ${UNIT}`;
});
afterEach(async () => {
  vi.useRealTimers();
  clearTallies();
  await mendDatabase();
});

let users = 7000;
/** A client of a user of its own. */
const asUser = async (overrides: Partial<Env> = {}, token?: string) => {
  users += 1;
  const { send } = createClient(overrides);
  const headers = { Authorization: `Bearer ${token ?? (await signTokenOf(users))}` };
  return (path = PATH, more: HeadersInit = {}, method = "GET") =>
    send(path, { method, headers: { ...headers, ...more } });
};

/** An agent token of a new user. */
const agentOf = async (email: string) => {
  await addUser({ ...DEMO, email });
  return makeAgentToken(email);
};

/** Reads a whole list as it arrives. */
const readerOf = ({ body, status }: Response) => {
  expect(status).toBe(200);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  const idsSoFar = () =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line): number => JSON.parse(line).id);
  const readOn = async () => {
    const { value, done } = await reader.read();
    text += decoder.decode(value, { stream: true });
    return !done;
  };
  return {
    /** Reads the first part, which the next one follows soon. */
    readPart: async () => {
      while (idsSoFar().length < 4) await readOn();
    },
    /** Reads the rest. Returns all ids, and why the list broke off. */
    readAll: async () => {
      const broken = await (async () => {
        while (await readOn());
        return "";
      })().catch(String);
      // What is handed over ends at a line's end.
      expect(text).toMatch(/\n$/);
      return { ids: idsSoFar(), broken };
    },
    cancel: () => reader.cancel(),
  };
};

const breakLines = () => logged.filter((line) => line.includes('"event":"stream"'));

const pagesOf = async (list: string, query: string): Promise<string[]> => {
  const texts: string[] = [];
  for (let url = `/v1/${list}?per_page=200&${query}`; url; ) {
    const response = await get(url);
    texts.push(await response.text());
    url = /<([^>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1] ?? "";
  }
  return texts;
};

const LISTS =
  "transacoes vendas-produto lancamentos pagamentos-erp profissionais produtos estabelecimentos jobs-log".split(
    " ",
  );

describe("a whole list (X2)", () => {
  it.each(LISTS.flatMap((list) => (["csv", "excel"] as const).map((formato) => ({ list, formato }))))(
    "has the same records as all pages: $list as $formato (X1, X2)",
    async ({ list, formato }) => {
      const whole = await get(`/v1/${list}?tudo=true&formato=${formato}`);
      expect(whole.headers.get("Content-Type")).toBe("text/csv; charset=utf-8; header=present");
      expect(whole.headers.get("Content-Disposition")).toBe(`attachment; filename="${list}.csv"`);
      const pages = await pagesOf(list, `formato=${formato}`);
      const linesOf = (text: string) => text.split("\r\n");
      const [header = "", ...lines] = linesOf(await whole.text());
      const [shown = ""] = linesOf(pages[0] ?? "");
      const hasId = shown.split(/[,;]/).includes("id") || /\uFEFFid\b/.test(shown);
      expect(header).toBe(hasId ? shown : `${shown}${formato === "csv" ? "," : ";"}id`);
      const withoutId = (line: string) => (hasId ? line : line.replace(/[,;]\d+$/, ""));
      const expected = pages.flatMap((page) => linesOf(page).slice(1));
      // Each page ends with a line end, the whole list once.
      expect(lines.map(withoutId).filter(Boolean).sort()).toEqual(expected.filter(Boolean).sort());
    },
  );

  it("is NDJSON that nobody stores, without pages and tags, and HEAD sends its headers (X2, E6)", async () => {
    const response = await get("/v1/jobs-log?tudo=true&periodo=2026-03");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/x-ndjson; charset=utf-8",
      "content-disposition": 'attachment; filename="jobs-log.ndjson"',
      "cache-control": "no-store",
      "applied-range": "2026-03-01T00:00:00-03:00/2026-03-31T23:59:59.999999-03:00",
      vary: expect.stringContaining("Accept"),
    });
    for (const name of ["ETag", "Link"]) expect(response.headers.get(name), name).toBeNull();
    await response.body?.cancel();
    const ask = await asUser();
    const before = await databaseRequests();
    const head = await ask(PATH, {}, "HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(await databaseRequests()).toBe(before + 1);
    expect(head.headers.get("Content-Type")).toBe("application/x-ndjson; charset=utf-8");
  });

  it.each([
    [{ Accept: "text/csv" }, "", "text/csv"],
    [{ Accept: "text/csv" }, "&formato=ndjson", "application/x-ndjson"],
    [{ Accept: "application/json" }, "", "application/x-ndjson"],
    [{}, "&formato=excel", "text/csv"],
  ])("has the format that %j and %j ask for (X1, X2)", async (headers, formato, type) => {
    const response = await get(`/v1/estabelecimentos?tudo=true${formato}`, headers);
    expect(response.headers.get("Content-Type")).toMatch(new RegExp(`^${type};`));
    await response.body?.cancel();
  });

  it.each([
    ["lancamentos?tudo=true&page=1", "`page` must not be given together with `tudo=true`"],
    ["lancamentos?tudo=true&per_page=50", "`per_page` must not be given together with `tudo=true`"],
    ["pagamentos-erp?tudo=true&ordem=id", "`ordem` must not be given together with `tudo=true`"],
    ["transacoes?formato=ndjson", "`formato` must not be `ndjson` without `tudo=true`"],
    ["transacoes?tudo=false&formato=ndjson", "`formato` must not be `ndjson` without `tudo=true`"],
    ["transacoes?tudo=true&after_id=x", "`after_id` must be an integer from 0"],
    ["transacoes?tudo=true&tudo=true", "`tudo` must be given once"],
    ["transacoes?tudo=true&estabelecimento_id=", "`estabelecimento_id` must be text"],
  ])("is refused: %s (X2, I1)", async (query, message) => {
    for (const Prefer of ["handling=strict", "handling=lenient"]) {
      const response = await get(`/v1/${query}`, { Prefer });
      await expectError(response, 400, "Bad Request", new RegExp(`^${message.replaceAll(".", "\\.")}`));
    }
  });

  it("says which values exist, if none of its records has the value and reading is strict (I8)", async () => {
    const path = "/v1/lancamentos?tudo=true&estabelecimento_id=10";
    await expectError(await get(path, { Prefer: "handling=strict" }), 400, "Bad Request", /does not exist/);
    const lenient = await get(path);
    expect([lenient.status, await lenient.text()]).toEqual([200, ""]);
    // Of an empty list, CSV still has the names of the columns.
    expect(await (await get(`${path}&formato=csv&campos=salon_id`)).text()).toBe("salon_id,id\r\n");
  });

  it("reaches records behind a gap of any number of ids, and ends after the last one (X2)", async () => {
    const far = 9_000_000_000_000_000;
    await sql`insert into profissionais (id, nome) overriding system value values (${far}, 'Far')`;
    try {
      const text = await (await get("/v1/profissionais?tudo=true&campos=nome")).text();
      expect(text.split("\n").at(-2)).toBe(`{"nome":"Far","id":${far}}`);
      expect(await (await get(`/v1/profissionais?tudo=true&after_id=${far}`)).text()).toBe("");
      const last = await get("/v1/profissionais?tudo=true&after_id=9223372036854775807");
      expect([last.status, await last.text()]).toEqual([200, ""]);
    } finally {
      await sql`delete from profissionais where id = ${far}`;
    }
  });

  it("reads a part when its reader has taken the one before, and no more after the reader hung up (X2)", async () => {
    const ask = await asUser();
    await mendDatabase();
    const list = readerOf(await ask());
    expect(await databaseRequests()).toBe(1);
    await list.readPart();
    await expect.poll(databaseRequests).toBe(2);
    await list.cancel();
    // A further one would come before this answer.
    await ask("/v1/frescor");
    expect(await databaseRequests()).toBe(3);
  });

  it("is one of three that an isolate sends at once, and leaves room at its end, break or cancellation (X2)", async () => {
    const ask = await asUser();
    const three = async () => [readerOf(await ask()), readerOf(await ask()), readerOf(await ask())] as const;
    const [toCancel, toEnd, toBreak] = await three();
    const refused = await ask();
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    await expectError(refused, 503, "Service Unavailable", /^3 whole lists are being sent already/);
    await toCancel.cancel();
    expect((await toEnd.readAll()).ids).toEqual(ids);
    await breakDatabase({ kind: "refuse" });
    expect((await toBreak.readAll()).broken).not.toBe("");
    await mendDatabase();
    for (let n = 0; n < 4; n += 1) expect((await ask(PATH, {}, "HEAD")).status).toBe(200);
    for (const list of await three()) await list.cancel();
  });

  it("gives its place back if a 429 replaces it (X2, E11)", async () => {
    stopClock();
    const ask = await asUser({ RATE_LIMIT_GLOBAL: 1 });
    await expect.poll(async () => (await ask("/v1/frescor")).status).toBe(429);
    for (let n = 0; n < 4; n += 1) {
      // Another isolate, which does not know that the quota is used up.
      clearTallies();
      const before = await databaseRequests();
      expect((await ask()).status).toBe(429);
      expect(await databaseRequests()).toBe(before + 1);
    }
    for (let n = 0; n < 4; n += 1) await readerOf(await (await asUser())()).cancel();
  });

  it.each([
    ["the connection is lost", { kind: "refuse" }, undefined],
    ["Neon sends HTML", { kind: "body", body: "<html>Bad gateway</html>" }, undefined],
    [
      "a statement takes too long",
      { kind: "status", status: 400, body: '{"message":"x","code":"57014"}' },
      "57014",
    ],
    ["Postgres stops", { kind: "status", status: 400, body: '{"message":"x","code":"57P01"}' }, "57P01"],
  ] as const)(
    "breaks off if %s, and goes on after the last id without loss or repetition (X2, E2, E9)",
    async (_, fault, sqlstate) => {
      const ask = await asUser();
      const list = readerOf(await ask());
      const logged = breakLines().length;
      await breakDatabase(fault);
      const { ids: received, broken } = await list.readAll();
      expect(received).toEqual(ids.slice(0, 4));
      expect(broken).toContain("broke off");
      const [line = "", ...others] = breakLines().slice(logged);
      expect([JSON.parse(line), others]).toEqual([
        expect.objectContaining({
          level: "error",
          message: "The list broke off before its end",
          route: "/v1/lancamentos",
        }),
        [],
      ]);
      expect(JSON.parse(line).sqlstate).toBe(sqlstate);
      await mendDatabase();
      const rest = await readerOf(await ask(`${PATH}&after_id=${received.at(-1)}`)).readAll();
      expect([...received, ...rest.ids]).toEqual(ids);
      expect(rest.broken).toBe("");
    },
  );

  it("counts each statement, and breaks off before it locks its user out (X2, E3)", async () => {
    stopClock();
    // A fifth of ten requests stays for others.
    const ask = await asUser({ RATE_LIMIT_GLOBAL: 10 });
    for (let n = 0; n < 5; n += 1) await ask("/v1/frescor");
    const { ids: received, broken } = await readerOf(await ask()).readAll();
    expect(received).toEqual(ids.slice(0, 12));
    expect(broken).toContain("broke off");
    expect(breakLines().at(-1)).toContain("QuotaUsedUpError");
    // A new one would not get far.
    const refused = await ask();
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
    await expectError(refused, 429, "Too Many Requests", /^Too few requests are left for a whole list/);
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await ask("/v1/frescor")).status);
    expect(statuses).toEqual([200, 429, 429]);
  });

  it("waits up to a minute for requests that expire (X2)", async () => {
    stopClock();
    const token = await agentOf("waiting@example.com");
    const ask = await asUser({ RATE_LIMIT_GLOBAL: 10 }, token);
    for (let n = 0; n < 5; n += 1) await ask("/v1/frescor");
    wait(850_000);
    // Each statement that has to wait asks the counter again after a second. A tick is shorter than its deadline.
    const ticking = setInterval(() => wait(4000), 200);
    onTestFinished(() => clearInterval(ticking));
    expect(await readerOf(await ask()).readAll()).toEqual({ ids, broken: "" });
  });

  it("is answered while counters are unreachable (X2, E11)", async () => {
    const COUNTERS = interceptObjects(env.COUNTERS, () => Promise.reject(new Error("unreachable")));
    const ask = await asUser({ COUNTERS });
    expect(await readerOf(await ask()).readAll()).toEqual({ ids, broken: "" });
  });

  it("breaks off when its access token expires (X2, A3)", async () => {
    stopClock();
    const list = readerOf(await (await asUser())());
    wait(16 * 60_000);
    expect((await list.readAll()).broken).toContain("broke off");
    expect(breakLines().at(-1)).toContain("TokenEndedError");
  });

  it.each([
    ["is revoked", (hash: string) => sql`delete from agent_tokens where hash = ${hash}`],
    ["has other rights", () => sql`update users set units = array['101'] where email = 'whole@example.com'`],
  ])("breaks off when its agent token %s (X2, A10)", async (_, change) => {
    const token = await agentOf("whole@example.com");
    const list = readerOf(await (await asUser({}, token))());
    const [{ hash } = {}] = await sql`
      select hash from agent_tokens join users on identity = user_identity where email = 'whole@example.com'`;
    await change(hash);
    clearAgentCaches();
    expect((await list.readAll()).broken).toContain("broke off");
    expect(breakLines().at(-1)).toContain("TokenEndedError");
  });

  it("goes on while its agent token is looked up again (X2, A10)", async () => {
    const token = await agentOf("whole@example.com");
    const list = readerOf(await (await asUser({}, token))());
    clearAgentCaches();
    expect(await list.readAll()).toEqual({ ids, broken: "" });
  });

  it("ends at the id that was the last one when it began (X2)", async () => {
    const list = readerOf(await (await asUser())());
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('late', ${UNIT}, '{}')`;
    onTestFinished(async () => void (await sql`delete from lancamentos where salon_id = 'late'`));
    expect(await list.readAll()).toEqual({ ids, broken: "" });
  });
});
