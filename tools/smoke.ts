import { env, exit } from "node:process";
import { fail, readArguments } from "./arguments.ts";
import { posting } from "./posting.ts";
import { whereTimeGoes } from "./timings.ts";

const USAGE = `Checks a deployed service from outside, shows where time goes, and leaves nothing behind.

  SMOKE_EMAIL=… SMOKE_PASSWORD=… npm run smoke -- https://api.example.com

The account must be one that may sign in. Ends with 1 when a check fails.`;

const [base, ...others] = readArguments(USAGE, { allowPositionals: true }).positionals;
const { SMOKE_EMAIL: email, SMOKE_PASSWORD: password } = env;
if (!base || !URL.canParse(base) || others.length > 0) fail(`Give the URL of one service.\n\n${USAGE}`);
if (!email || !password) fail(`SMOKE_EMAIL and SMOKE_PASSWORD are not set.\n\n${USAGE}`);

let failures = 0;
const check = (name: string, holds: boolean, detail = ""): void => {
  if (!holds) failures += 1;
  console.log(`${holds ? "ok  " : "FAIL"}  ${name}${holds ? "" : `  ${detail}`}`);
};

const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(new URL(path, base), { ...init, signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.includes("json");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
};
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(path, posting(body, headers));

const HEADERS: Record<string, RegExp> = {
  "Strict-Transport-Security": /max-age=\d+/,
  "X-Content-Type-Options": /^nosniff$/,
  "Content-Security-Policy": /default-src 'none'/,
  "X-Request-Id": /^[\w.-]+$/,
  "Access-Control-Expose-Headers": /ETag/,
  RateLimit: /"global";r=\d+/,
};

/** A route without database access, one record, and sums. Not `/auth`, whose quota is needed for sign-ins. */
const TIMED = ["/health", "/v1/transacoes?per_page=1", "/v1/relatorios/resumo"];

const signedIn = async (tokens: { access_token: string; refresh_token: string }) => {
  const headers = { Authorization: `Bearer ${tokens.access_token}` };
  const me = await ask("/auth/me", { headers });
  check("/auth/me knows who asks", me.status === 200, `answered ${me.status}`);
  const page = await ask("/v1/transacoes?per_page=1", { headers });
  check(
    "one page from the warehouse",
    page.status === 200 && typeof page.body.pagination?.total === "number",
    `answered ${page.status}`,
  );
  const again = await ask("/v1/transacoes?per_page=1", {
    headers: { ...headers, "If-None-Match": page.headers.get("ETag") ?? "" },
  });
  check("the same page again is a 304", again.status === 304, `answered ${again.status}`);
  const report = await ask("/v1/relatorios/resumo", { headers });
  check("a report", report.status === 200, `answered ${report.status}`);
  console.log("      Where time goes from here: medians of ten requests in ms, the longest in parentheses");
  console.log(await whereTimeGoes(TIMED, (path) => ask(path, { headers })));
  const renewed = await post("/auth/refresh", { refresh_token: tokens.refresh_token });
  check("one refresh", renewed.status === 200, `answered ${renewed.status}`);
  const last = renewed.status === 200 ? renewed.body : tokens;
  const out = await post(
    "/auth/logout",
    { refresh_token: last.refresh_token },
    { Authorization: `Bearer ${last.access_token}` },
  );
  check("logout", out.status === 200, `answered ${out.status}`);
  const dead = await post("/auth/refresh", { refresh_token: last.refresh_token });
  check("nothing left behind: the session has ended", dead.status === 401, `answered ${dead.status}`);
};

try {
  const health = await ask("/health");
  check("/health", health.status === 200 && health.body.status === "ok", `answered ${health.status}`);
  for (const [name, pattern] of Object.entries(HEADERS)) {
    const value = health.headers.get(name) ?? "";
    check(`header ${name}`, pattern.test(value), `is "${value}"`);
  }
  const closed = await ask("/v1/transacoes");
  check(
    "data needs a token",
    closed.status === 401 && /^Bearer/.test(closed.headers.get("WWW-Authenticate") ?? ""),
    `answered ${closed.status}`,
  );
  check("/llms.txt", (await ask("/llms.txt")).status === 200);
  const login = await post("/auth/login", { email, password });
  check("a real login", login.status === 200, `answered ${login.status}: ${login.body?.message ?? ""}`);
  if (login.status === 200) await signedIn(login.body);
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  check(`${base} answers`, false, `${error instanceof Error ? error.message : error}${cause}`);
}
console.log(failures === 0 ? "The service is well." : `${failures} checks failed.`);
exit(failures === 0 ? 0 : 1);
