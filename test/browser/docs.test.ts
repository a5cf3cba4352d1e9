import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signAccessToken } from "../../src/auth/access-token.ts";
import { keyRing } from "../../src/auth/keys.ts";
import { Settings } from "../../src/ground/settings.ts";
import { CHROMIUM, hasChromium } from "../support/installed.ts";
import { type Served, serveIn } from "../support/service.ts";

const SCREENSHOTS = ".data/screenshots";
const folder = mkdtempSync(join(tmpdir(), "browser-"));

describe.runIf(hasChromium)("/docs in a browser (A2)", () => {
  let served: Served;
  let browser: Browser;
  let base: string;

  /** A page that tells of every request that leaves the origin and of every error on its console. */
  const open = async (options: BrowserContextOptions = {}) => {
    const page = await (await browser.newContext(options)).newPage();
    const complaints: string[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.origin !== base && url.protocol !== "data:" && url.protocol !== "blob:")
        complaints.push(`request to ${url}`);
    });
    page.on("console", (message) => {
      // The browser itself reports every 401 as an error; those are expected here.
      if (message.type() === "error" && !/status of 40[019]|status of 429/.test(message.text()))
        complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(`${base}/docs`);
    return { page, complaints };
  };

  const signIn = async (page: Page, password = "demo-password") => {
    await page.getByLabel("E-mail").fill("demo@example.com");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  const openOperation = async (page: Page) => {
    await page.locator("#operations-lancamentos-listLancamentos .opblock-summary-control").click();
    await page.locator('tr[data-param-name="after_id"] input').fill("0");
    await page.locator('tr[data-param-name="per_page"] input').fill("1");
  };
  const execute = async (page: Page) => {
    await page.locator("#operations-lancamentos-listLancamentos button.execute").click();
    return page
      .locator("#operations-lancamentos-listLancamentos .live-responses-table tbody .response-col_status")
      .first();
  };

  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    served = await serveIn(folder, ["--var", "RATE_LIMIT_AUTH:40"]);
    base = served.base;
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });

  it("signs in, opens an operation, executes it and shows the JSON; nothing leaves the origin", async () => {
    const { page, complaints } = await open();
    await page.screenshot({ path: `${SCREENSHOTS}/sign-in.png` });
    await signIn(page);
    await page.locator("#operations-lancamentos-listLancamentos").waitFor();
    const sections = await page
      .locator(".opblock-tag")
      .evaluateAll((tags) => tags.map((tag) => tag.getAttribute("data-tag")));
    expect(sections).toEqual([
      "health",
      "auth",
      "transacoes",
      "lancamentos",
      "pagamentos-erp",
      "profissionais",
      "estabelecimentos",
      "produtos",
      "vendas-produto",
      "jobs-log",
      "frescor",
      "relatorios",
      "alteracoes",
      "docs",
    ]);
    await page.screenshot({ path: `${SCREENSHOTS}/reference.png` });
    await openOperation(page);
    expect(await (await execute(page)).textContent()).toContain("200");
    const body = await page
      .locator("#operations-lancamentos-listLancamentos .live-responses-table .highlight-code")
      .first()
      .textContent();
    expect(body).toContain('"salon_id": "L1"');
    await page
      .locator("#operations-lancamentos-listLancamentos .live-responses-table")
      .scrollIntoViewIfNeeded();
    await page.screenshot({ path: `${SCREENSHOTS}/executed.png` });
    expect(complaints).toEqual([]);
  });

  it("keeps the tokens in memory only", async () => {
    const { page } = await open();
    await signIn(page);
    await page.locator("#swagger-ui .info").waitFor();
    const kept = await page.evaluate(
      "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])",
    );
    expect(kept).toBe('[{},{},""]');
    await page.reload();
    await page.getByRole("heading", { name: "Salon-to-ERP data service" }).waitFor();
  });

  it("a wrong password says so, and the keyboard is enough", async () => {
    const { page, complaints } = await open();
    await page.keyboard.type("demo@example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.type("wrong-password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "E-mail or password is wrong" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("an empty field, too many attempts and an unreachable service each say what to do", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").filter({ hasText: "Type your e-mail and your password." }).waitFor();
    await page.route("**/auth/login", (route) =>
      route.fulfill({ status: 429, headers: { "Retry-After": "61" }, body: "{}" }),
    );
    await signIn(page);
    await page.getByRole("alert").filter({ hasText: "Wait 2 minutes" }).waitFor();
    await page.unroute("**/auth/login");
    await page.route("**/auth/login", (route) => route.abort());
    await signIn(page);
    await page.getByRole("alert").filter({ hasText: "cannot be reached" }).waitFor();
  });

  it("an expired access token renews itself and the page goes on", async () => {
    const { page, complaints } = await open();
    await signIn(page);
    await page.locator("#operations-lancamentos-listLancamentos").waitFor();
    const secrets = readFileSync(join(folder, ".data/demo/secrets.env"), "utf8");
    const keys = keyRing(Settings.shape.TOKEN_KEYS.parse(/TOKEN_KEYS=(.*)/.exec(secrets)?.[1]));
    const longAgo = Math.floor(Date.now() / 1000) - 1000;
    const expired = await signAccessToken(
      keys,
      { id: 1, identity: crypto.randomUUID(), email: "demo@example.com", name: "Demo", family: "f" },
      longAgo,
    );
    await page.evaluate(`tokens.access_token = ${JSON.stringify(expired)}`);
    const renewal = page.waitForResponse((response) => response.url().endsWith("/auth/refresh"));
    await openOperation(page);
    const status = await execute(page);
    expect((await renewal).status()).toBe(200);
    expect(await status.textContent()).toContain("200");
    expect(complaints).toEqual([]);
  });

  it("signing out ends the session, for the tokens too", async () => {
    const { page } = await open();
    await signIn(page);
    await page.locator("#swagger-ui .info").waitFor();
    const { refresh_token } = (await page.evaluate("tokens")) as { refresh_token: string };
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "You have signed out." }).waitFor();
    const response = await fetch(`${base}/auth/refresh`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ refresh_token }),
    });
    expect(response.status).toBe(401);
  });

  it.each([
    ["phone", { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true }],
    ["dark", { colorScheme: "dark" as const }],
  ])("is readable: %s", async (name, options) => {
    const { page, complaints } = await open(options);
    await page.screenshot({ path: `${SCREENSHOTS}/sign-in-${name}.png` });
    await signIn(page);
    await page.locator("#operations-lancamentos-listLancamentos").waitFor();
    await page.screenshot({ path: `${SCREENSHOTS}/reference-${name}.png` });
    const [wide, visible] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [
      number,
      number,
    ];
    expect(wide).toBeLessThanOrEqual(visible);
    expect(complaints).toEqual([]);
  });
});
