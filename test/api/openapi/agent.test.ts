import { afterEach, expect, it, vi } from "vitest";
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

/**
 * Runs an agent that knows only /llms.txt: it extracts every path, field and rule from that text.
 * @returns the ids of all ledger entries, and the error statuses the agent received
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
  const [path, after] = [
    extract(text, /Only (\S+) and \S+ have a cursor/),
    extract(text, /cursor: send (\w+)=0/),
  ];
  const nextField = extract(text, /then pagination\.(\w+) while/);
  const moreField = extract(text, /then pagination\.\w+ while (\w+)\./);
  // Short pages use up the quota.
  const size = "per_page=10";

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
  let cursor: unknown = 0;
  for (let more = true; more; ) {
    const { data, pagination } = await (await get(`${path}?${after}=${cursor}&${size}`)).json<{
      data: { id: number }[];
      pagination: Record<string, unknown>;
    }>();
    ids.push(...data.map(({ id }) => id));
    cursor = pagination[nextField];
    more = pagination[moreField] === true;
  }
  return { ids, errorStatuses };
};

afterEach(() => {
  vi.useRealTimers();
  clearTallies();
});

it("an agent that reads only /llms.txt pages through all ledger entries, despite a 429 and a 401 (A6, E4, L4)", async () => {
  const account = { email: "agent@example.com", password: "agent-password" };
  await addUser(account);
  stopClock();
  const { send } = createClient({ RATE_LIMIT_GLOBAL: 10, RATE_LIMIT_AUTH: 10 });
  const { ids, errorStatuses } = await runAgent(send, account, async (seconds) => void wait(seconds * 1000));
  const rows = await sql`select id::int from lancamentos order by id`;
  expect(ids).toEqual(rows.map(({ id }) => id));
  expect(errorStatuses).toContain(429);
  // The wait for the limit is as long as the life of an access token.
  expect(errorStatuses).toContain(401);
});
