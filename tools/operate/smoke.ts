import { env, exit } from "node:process";
import { parse } from "yaml";
import { fail, readArguments, refuseSwallowed } from "../arguments.ts";
import { posting } from "../posting.ts";
import { headersForVersion } from "./deployed-version.ts";
import { whereTimeGoes } from "./timings.ts";

const USAGE = `Checks a deployed service from outside, shows where time goes, and ends its session.

  SMOKE_EMAIL=… SMOKE_PASSWORD=… npm run smoke -- [--summary] [--version-id ID [--name NAME]] https://api.example.com

  --version-id ID  sends every request to this version of the current deployment, even if it has 0 % of the traffic
  --name NAME      the Worker of the version (default: production)
  --summary        also sends the daily summary now, by each channel that is set: the account needs all rights

The account must be able to sign in. Exits with 1 if a check fails.`;

const OPTIONS = {
  summary: { type: "boolean" },
  // Not `version`: npm answers that itself if `--` is missing.
  "version-id": { type: "string" },
  name: { type: "string" },
} as const;
const { values, positionals } = readArguments(USAGE, {
  allowPositionals: true,
  options: OPTIONS,
});
refuseSwallowed("smoke", Object.keys(OPTIONS));
const [base, ...extra] = positionals;
const { SMOKE_EMAIL: email, SMOKE_PASSWORD: password } = env;
if (!base || !URL.canParse(base) || extra.length > 0) fail(`Give the URL of one service.\n\n${USAGE}`);
if (!email || !password) fail(`Set SMOKE_EMAIL and SMOKE_PASSWORD.\n\n${USAGE}`);
const { "version-id": version, name: worker } = values;
if (worker !== undefined && version === undefined) fail(`--name needs --version-id.\n\n${USAGE}`);
const toVersion = version === undefined ? {} : await headersForVersion(version, worker);

let failures = 0;
const check = (name: string, hasPassed: boolean, detail = ""): void => {
  if (!hasPassed) failures += 1;
  console.log(`${hasPassed ? "ok  " : "FAIL"}  ${name}${hasPassed ? "" : `  ${detail}`}`);
};

const checkStatus = (name: string, { status }: { status: number }, expected = 200): void =>
  check(name, status === expected, `answered ${status}`);

const ask = async (path: string, init: { headers?: Record<string, string> } & RequestInit = {}) => {
  const headers = { ...init.headers, ...toVersion };
  const response = await fetch(new URL(path, base), {
    ...init,
    headers,
    signal: AbortSignal.timeout(10_000),
  });
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

/** A statement fails with a 5xx if the database lacks what the code reads, such as a rollup. */
const checkDataRoutes = async (headers: Record<string, string>): Promise<void> => {
  const document = await ask("/openapi.yaml", { headers });
  checkStatus("/openapi.yaml", document);
  if (document.status !== 200) return;
  const paths = Object.keys(parse(document.body).paths);
  const failed: string[] = [];
  for (const path of paths.filter((one) => one.startsWith("/v1/") && !one.includes("{"))) {
    const { status } = await ask(path, { headers });
    if (status >= 500) failed.push(`${path} answered ${status}`);
  }
  const advice = "Compare the database with the code: npm run warehouse -- verify";
  check("every list, report and feed", failed.length === 0, `${failed.join(", ")}. ${advice}`);
};

const CHANNELS = { webhook: "SUMMARY_WEBHOOK", email: "SUMMARY_EMAIL and SUMMARY_FROM" };

/** Sends the summary now. A channel that is not set is no failure, unless none is. */
const checkSummary = async (headers: Record<string, string>): Promise<void> => {
  const { status, body } = await ask("/operations/summary", { method: "POST", headers });
  if (status !== 200) return check("summary", false, `answered ${status}: ${body?.message ?? ""}`);
  const sent = Object.entries(CHANNELS).filter(([channel]) => body[channel] !== null);
  for (const [channel, settings] of sent)
    check(`summary by ${channel}`, body[channel] === "delivered", `${body[channel]}. Check ${settings}`);
  if (sent.length === 0)
    check("summary", false, `has no channel. Set ${Object.values(CHANNELS).join(", or ")}`);
};

const checkSignedIn = async (tokens: { access_token: string; refresh_token: string }) => {
  const headers = { Authorization: `Bearer ${tokens.access_token}` };
  checkStatus("/auth/me returns the user", await ask("/auth/me", { headers }));
  const page = await ask("/v1/transacoes?per_page=1", { headers });
  check(
    "a page of data",
    page.status === 200 && typeof page.body.pagination?.total === "number",
    `answered ${page.status}`,
  );
  const again = await ask("/v1/transacoes?per_page=1", {
    headers: { ...headers, "If-None-Match": page.headers.get("ETag") ?? "" },
  });
  checkStatus("the same page with its ETag is a 304", again, 304);
  checkStatus("a report", await ask("/v1/relatorios/resumo", { headers }));
  await checkDataRoutes(headers);
  console.log(
    "      Where time goes, as seen from here: median of ten requests in ms, maximum in parentheses",
  );
  console.log(await whereTimeGoes(TIMED, (path) => ask(path, { headers })));
  if (values.summary) await checkSummary(headers);
  const renewed = await post("/auth/refresh", { refresh_token: tokens.refresh_token });
  checkStatus("a refresh", renewed);
  const last = renewed.status === 200 ? renewed.body : tokens;
  const { refresh_token } = last;
  const bearer = { Authorization: `Bearer ${last.access_token}` };
  checkStatus("a logout", await post("/auth/logout", { refresh_token }, bearer));
  checkStatus("the session has ended", await post("/auth/refresh", { refresh_token }), 401);
};

try {
  const health = await ask("/health");
  check("/health", health.status === 200 && health.body.status === "ok", `answered ${health.status}`);
  // It waits for its count, so it always has the rate limit headers (E4).
  const unauthorized = await ask("/v1/transacoes");
  for (const [name, pattern] of Object.entries(HEADERS)) {
    const value = unauthorized.headers.get(name) ?? "";
    check(`header ${name}`, pattern.test(value), `is "${value}"`);
  }
  check(
    "data routes require a token",
    unauthorized.status === 401 && /^Bearer/.test(unauthorized.headers.get("WWW-Authenticate") ?? ""),
    `answered ${unauthorized.status}`,
  );
  check("/llms.txt", (await ask("/llms.txt")).status === 200);
  const login = await post("/auth/login", { email, password });
  check("a login", login.status === 200, `answered ${login.status}: ${login.body?.message ?? ""}`);
  if (login.status === 200) await checkSignedIn(login.body);
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  check(`${base} responds`, false, `${error instanceof Error ? error.message : error}${cause}`);
}
console.log(failures === 0 ? "All checks passed." : `${failures} checks failed.`);
exit(failures === 0 ? 0 : 1);
