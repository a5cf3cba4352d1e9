import { describe, expect, it } from "vitest";
import { PUBLIC } from "../src/pages/routes.ts";
import { expectError, get, readDocument, send } from "./support/api.ts";
import { operationsOf } from "./support/document.ts";

const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe.each(["/docs", "/painel"])("GET %s (A2)", (page) => {
  it("a browser without a token gets the sign-in page with status 401 (A2)", async () => {
    const response = await send(page, { headers: BROWSER });
    expect(response.status).toBe(401);
    expect(response.headers.get("Content-Type")).toMatch(/^text\/html/);
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api"');
    const html = await response.text();
    expect(html).toContain('<form id="form"');
    expect(html).not.toMatch(/<script>|<script [^>]*>[^<]|style="|onclick|https?:/);
  });

  it.each(["*/*", "application/json", "application/json, text/html;q=0.5", ""])(
    "any other client (Accept: %s) gets the JSON 401 (A2)",
    async (accept) => {
      await expectError(
        await send(page, { headers: { Accept: accept } }),
        401,
        "Unauthorized",
        /Authorization: Bearer/,
      );
    },
  );

  it("says that the answer goes by Accept, whichever it is", async () => {
    for (const Accept of ["text/html", "application/json"])
      expect((await send(page, { headers: { Accept } })).headers.get("Vary")).toMatch(/\bAccept\b/);
  });

  it("with a token it is the page itself", async () => {
    expect((await get(page, BROWSER)).status).toBe(200);
  });

  it("HEAD is the same without a body, another method is refused, and a bad token too (A2)", async () => {
    const head = await send(page, { method: "HEAD", headers: BROWSER });
    expect([head.status, await head.text()]).toEqual([401, ""]);
    const wrong = await send(page, { method: "POST", headers: BROWSER });
    await expectError(wrong, 405, "Method Not Allowed", /./);
    expect(wrong.headers.get("Allow")).toContain("GET");
    const bad = { Authorization: "Bearer bad", Accept: "application/json" };
    const refused = await send(page, { headers: bad });
    expect(refused.headers.get("WWW-Authenticate")).toContain("invalid_token");
    await expectError(refused, 401, "Unauthorized", /POST \/auth\/refresh/);
  });

  it("loads nothing from elsewhere: the policy allows this origin alone (E8)", async () => {
    const response = await send(page, { headers: BROWSER });
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|eval/);
    // Swagger UI writes styles into its elements; nothing of ours does.
    expect(policy.includes("unsafe")).toBe(page === "/docs");
  });

  it("cannot be navigated by a page of another origin that opened it (E8)", async () => {
    for (const answer of [await send(page, { headers: BROWSER }), await get(page, BROWSER)])
      expect(answer.headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
  });

  it("loads files that are public", async () => {
    const html = await (await send(page, { headers: BROWSER })).text();
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) expect([path, (await send(path)).status]).toEqual([path, 200]);
  });
});

describe("GET /assets (A1)", () => {
  const TYPES: Record<string, RegExp> = {
    js: /^text\/javascript/,
    css: /^text\/css/,
    svg: /^image\/svg/,
    png: /^image\/png/,
  };

  it.each(PUBLIC)("%s is public (A1)", async (name) => {
    const response = await send(`/assets/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toMatch(TYPES[name.replace(/.*\./, "")] ?? /nothing/);
    expect(response.headers.get("X-Request-Id")).toBeTruthy();
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
    const again = await send(`/assets/${name}`, {
      headers: { "If-None-Match": response.headers.get("ETag") ?? "" },
    });
    expect(again.status).toBe(304);
  });

  it("/painel names each of its modules, so that none is found only when another has come", async () => {
    const page = await (await send("/painel", { headers: { Accept: "text/html" } })).text();
    const named = [...page.matchAll(/"\/assets\/((?:painel\/)?\w+\.js)"/g)].map(([, name]) => name);
    const modules = PUBLIC.filter((name) => /^(painel\/\w+|session)\.js$/.test(name));
    expect(named.sort()).toEqual(modules.sort());
  });

  it.each([
    "/assets",
    "/assets/",
    "/assets/tsconfig.json",
    "/assets/globals.d.ts",
    "/assets/painel/index.html",
    "/assets/docs/index.html",
    "/assets/swagger-ui-dist/package.json",
    "/assets/swagger-ui-dist/..%2fsession.js",
    "/assets/painel/../session.js/",
    "/assets/constructor",
    "/session.js",
    "/swagger-ui-dist/swagger-ui-bundle.js",
    "/painel/index.html",
    "/painel/",
    "/index.html",
    "/",
  ])("%s is nothing (A1)", async (path) => {
    await expectError(await send(path), 404, "Not Found", /There is (no such file|nothing at this path)/);
  });
});

describe("GET /llms.txt", () => {
  const text = async () => (await send("/llms.txt")).text();

  it("needs no token and is plain text by the llms.txt convention (A1)", async () => {
    const response = await send("/llms.txt");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const lines = (await response.text()).split("\n");
    expect(lines[0]).toMatch(/^# /);
    expect(lines.filter((line) => line.startsWith("# "))).toHaveLength(1);
    expect(lines[2]).toMatch(/^> /);
    expect(lines.filter((line) => line.startsWith("## ")).length).toBeGreaterThan(5);
  });

  // English prose and names of fields come to nearly four bytes a token: 3.8 here by the tokenizer of GPT-4o, 3.6 by that
  // of GPT-4.
  it("is under 4,000 tokens, at 3.2 bytes a token", async () => {
    expect(new TextEncoder().encode(await text()).length).toBeLessThan(4000 * 3.2);
  });

  it("has every data endpoint with its parameters, emitted from the routes", async () => {
    const lines = (await text()).split("\n");
    const operations = operationsOf(await readDocument()).filter(({ path }) => path.startsWith("/v1/"));
    expect(operations).toHaveLength(27);
    for (const { method, path, operation } of operations) {
      const line = lines.find((one) => one.startsWith(`- ${method} ${path} `));
      for (const { name } of (operation.parameters ?? []).filter((one) => one.in === "query"))
        expect(line).toContain(name);
    }
  });

  it("says of each report what it is for, and names no path that is not there", async () => {
    const [prose = ""] = (await text()).split("## Endpoints");
    const paths = Object.keys((await readDocument()).paths);
    const reports = paths.filter((path) => path.startsWith("/v1/relatorios/"));
    expect(reports.filter((path) => !prose.includes(path.replace(/.*\//, "")))).toEqual([]);
    const named = [...prose.matchAll(/\/(?:v1|auth)\/[\w/-]*\w/g)].map(([path]) => path);
    for (const [report] of prose.matchAll(/\b(?:\w+-por(?:-\w+)+|painel|nao-mapeados)/g))
      named.push(`/v1/relatorios/${report}`);
    expect(named.filter((one) => !paths.some((path) => `${path}/`.startsWith(`${one}/`)))).toEqual([]);
  });

  it.each([
    "How fresh all is: /v1/frescor",
    "go on with next_after, which is always there",
    "Sunday 05:00 Brasília",
    "Descontar do Profissional",
    "outside the financial integration",
    "Independent of the",
    "/auth/login",
    "/auth/refresh",
    "/auth/logout",
    "Retry-After",
    "after_id",
    "has_more",
    "handling=strict",
    "%2B",
    "tokens",
    "with the id of the last record",
    "with the same after_id after an empty page",
    "as a rule nome and valor",
    "Add neither servicos nor salon lines",
    "synced_at is when our workers last fetched a record",
    "A job whose",
    "They are your user's",
    "{id} is salon_id for transacoes and lancamentos",
    "valor_total of visits is the sum of total",
    "Never add up rows of transacoes-por-profissional",
    "0.0299 is 2.99 %",
    "is the home unit; services elsewhere are common",
    "nome_conta_classificacao wants the whole name",
    "POST /mcp with the bearer",
    "(/openapi.yaml)",
    "(/docs)",
  ])("tells of %s (L7, M5)", async (word) => {
    expect((await text()).replace(/\s+/g, " ")).toContain(word);
  });
});
