import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import { addUser, sql } from "../../support/worker/api.ts";
import { createClient } from "../../support/worker/client.ts";
import { stopClock, wait } from "../../support/worker/clock.ts";

type Http = (path: string, init?: RequestInit) => Promise<Response>;

/** The text that the pattern's one group matches first. */
const extract = (text: string, pattern: RegExp): string => {
  const match = pattern.exec(text)?.[1];
  if (match === undefined) throw new Error(`the instructions have no match for ${pattern}`);
  return match;
};

/** The finished lines of a body, and whether it has an end. */
const readLines = async (body: ReadableStream<Uint8Array> | null) => {
  let text = "";
  let isWhole = true;
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    isWhole = false;
  }
  return { lines: text.split("\n").slice(0, -1), isWhole };
};

/**
 * Runs an agent that knows only /llms.txt: it extracts every path, field and rule from that text.
 * @returns the ids of all ledger entries, the error statuses the agent received, and how often the list broke off
 */
const runAgent = async (
  http: Http,
  credentials: { email: string; password: string },
  sleep: (seconds: number) => Promise<void>,
) => {
  const text = await (await http("/llms.txt")).text();
  const loginPath = extract(text, /POST (\S+) with \{"email"/);
  const refreshPath = extract(text, /On 401 call POST (\S+) with/);
  const [accessField, refreshField] = [
    extract(text, /returns \{"(\w+)"/),
    extract(text, /returns \{"\w+", "(\w+)"/),
  ];
  const scheme = extract(text, /Send Authorization: (\w+) </);
  const waitHeader = extract(text, /On 429 or 503, wait\s+(\S+) seconds/);
  const path = extract(text, /new records of\s+(\S+) or/);
  const whole = extract(text, /(\w+=true), for every list: all records/);
  const after = extract(text, /send the last id as (\w+)/);

  const errorStatuses: number[] = [];
  const post = (to: string, body: unknown) =>
    http(to, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  let tokens = await (await post(loginPath, credentials)).json<Record<string, string>>();
  const get = async (url: string): Promise<Response> => {
    const response = await http(url, { headers: { Authorization: `${scheme} ${tokens[accessField]}` } });
    if (response.status === 200) return response;
    errorStatuses.push(response.status);
    if (response.status === 401)
      tokens = await (await post(refreshPath, { [refreshField]: tokens[refreshField] })).json();
    else if (response.status === 429) await sleep(Number(response.headers.get(waitHeader)));
    else throw new Error(`${url} answered ${response.status}`);
    return get(url);
  };

  const ids: number[] = [];
  let breaks = 0;
  for (let isBroken = true; isBroken; ) {
    const { body } = await get(`${path}?${whole}&${after}=${ids.at(-1) ?? 0}`);
    const { lines, isWhole } = await readLines(body);
    ids.push(...lines.map((line) => JSON.parse(line).id));
    isBroken = !isWhole;
    if (isBroken) breaks += 1;
  }
  return { ids, errorStatuses, breaks };
};

afterEach(() => {
  vi.useRealTimers();
  clearTallies();
});

it("an agent that reads only /llms.txt reads all ledger entries, despite breaks, a 429 and a 401 (A6, E4, X2)", async () => {
  const account = { email: "agent@example.com", password: "agent-password" };
  await addUser(account);
  // Each is a part of the list, and more parts than the quota has requests.
  await sql`
    insert into lancamentos (salon_id, estabelecimento_id, raw_data)
    select 'long ' || n, '101', json_build_object('text', repeat('x', 3000000)) from generate_series(1, 5) as n`;
  onTestFinished(async () => void (await sql`delete from lancamentos where salon_id like 'long %'`));
  stopClock();
  const { send } = createClient({ RATE_LIMIT_GLOBAL: 3, RATE_LIMIT_AUTH: 3 });
  const { ids, errorStatuses, breaks } = await runAgent(
    send,
    account,
    async (seconds) => void wait(seconds * 1000),
  );
  const rows = await sql`select id::int from lancamentos order by id`;
  expect(ids).toEqual(rows.map(({ id }) => id));
  expect(breaks).toBeGreaterThan(0);
  expect(errorStatuses).toContain(429);
  // The wait for the limit is as long as the life of an access token.
  expect(errorStatuses).toContain(401);
});
