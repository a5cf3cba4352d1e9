// @module-tag slow
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { accessibilityViolations, base, expireOnce, fits, openPage, shoot } from "./browser.ts";
import { PHONE, signIn } from "./panel.ts";

const LANCAMENTOS = "#operations-lancamentos-listLancamentos";

/** Serves a page of another origin while `work` runs. */
const onOtherOrigin = async (html: string, work: (url: string) => Promise<void>) => {
  const other = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(html));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://localhost:${(other.address() as AddressInfo).port}/`);
  } finally {
    other.closeAllConnections();
    other.close();
  }
};

describe.runIf(hasChromium)("/docs in a browser (A2)", () => {
  const open = (options?: Parameters<typeof openPage>[1]) => openPage("/docs", options);

  const openOperation = async (page: Page) => {
    await page.locator(`${LANCAMENTOS} .opblock-summary-control`).click();
    await page.locator('tr[data-param-name="after_id"] input').fill("0");
    await page.locator('tr[data-param-name="per_page"] input').fill("1");
  };
  const execute = async (page: Page) => {
    await page.locator(`${LANCAMENTOS} button.execute`).click();
    return page.locator(`${LANCAMENTOS} .live-responses-table tbody .response-col_status`).first();
  };

  it("signs in, executes an operation and shows its JSON, without requests to other origins (A2)", {
    tags: ["server"],
  }, async () => {
    const { page, complaints } = await open();
    await shoot(page, "sign-in");
    await signIn(page);
    await page.locator(LANCAMENTOS).waitFor();
    expect(await page.locator(".opblock-tag[data-tag=relatorios]").count()).toBe(1);
    await shoot(page, "reference");
    await openOperation(page);
    expect(await (await execute(page)).textContent()).toContain("200");
    const body = await page
      .locator(`${LANCAMENTOS} .live-responses-table .highlight-code`)
      .first()
      .textContent();
    expect(body).toContain('"salon_id": "L1"');
    await page.locator(`${LANCAMENTOS} .live-responses-table`).scrollIntoViewIfNeeded();
    await shoot(page, "executed");
    expect(complaints).toEqual([]);
  });

  it("leads to an operation from the side, finds it by its words, and shows how long a request took (D1)", async () => {
    const { page, complaints } = await open({ viewport: { width: 1280, height: 900 } });
    await signIn(page);
    await page.locator(LANCAMENTOS).waitFor();
    expect(await page.locator(".auth-wrapper .authorize, .authorization__btn").count()).toBe(0);
    const links = await page.locator("#navigation a").allTextContents();
    expect(links).toEqual(expect.arrayContaining(["/v1/relatorios/painel", "POST /auth/login"]));
    expect(links.indexOf("/v1/frescor")).toBeLessThan(links.indexOf("/health"));
    await page.locator("#navigation").getByRole("link", { name: "/v1/frescor", exact: true }).click();
    const operation = page.locator("#operations-frescor-frescor");
    await operation.locator("button.execute").click();
    await operation.locator(".live-responses-table").first().waitFor();
    await expect.poll(() => operation.textContent()).toContain("Request duration");
    for (const name of ["cURL (bash)", "cURL (PowerShell)"])
      expect(await operation.getByText(name).count()).toBe(1);
    await page.locator(".operation-filter-input").fill("forma pagamento");
    await expect.poll(() => page.locator(".opblock-summary-path").allTextContents()).toHaveLength(1);
    await shoot(page, "reference-search");
    expect(complaints).toEqual([]);
  });

  it("sends a period that does not exist, so that the service lists those that do (I7)", async () => {
    const { page } = await open();
    await signIn(page);
    const operation = page.locator("#operations-relatorios-faturamento");
    await operation.locator(".opblock-summary-control").click();
    const period = operation.locator('tr[data-param-name="periodo"]');
    await period.locator(".parameters-col_description").filter({ hasText: "semana-passada" }).waitFor();
    await shoot(page, "reference-periodo");
    await period.locator("input").fill("novembro");
    await operation.locator("button.execute").click();
    const shown = operation.locator(".live-responses-table").first();
    await shown.waitFor();
    expect(await shown.textContent()).toContain("must be one of hoje, ontem");
  });

  it.each(["light", "dark"] as const)("can be read: contrast and names, %s (A2)", async (colorScheme) => {
    const { page } = await open({ colorScheme });
    await signIn(page);
    await page.locator("#servers[aria-label]").waitFor();
    await page.locator(".json-schema-2020-12__title").first().waitFor();
    const rules = ["color-contrast", "select-name", "label", "link-name", "button-name"];
    expect(await accessibilityViolations(page, rules)).toEqual([]);
  });

  it("shows an error for a wrong password, and works with the keyboard alone (A2)", async () => {
    const { page, complaints } = await open();
    await page.keyboard.type("demo@example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.type("wrong-password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "E-mail or password is wrong" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("says what to do after an empty field, too many attempts and a lost connection (A2)", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").filter({ hasText: "Enter your e-mail and password." }).waitFor();
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

  it("renews an expired access token and continues (A2)", async () => {
    const { page, complaints } = await open();
    await signIn(page);
    await page.locator(LANCAMENTOS).waitFor();
    await expireOnce(page, "**/v1/lancamentos?**");
    const renewal = page.waitForResponse((response) => response.url().endsWith("/auth/refresh"));
    await openOperation(page);
    const status = await execute(page);
    expect((await renewal).status()).toBe(200);
    expect(await status.textContent()).toContain("200");
    expect(complaints).toEqual([]);
  });

  it("ends the session when the user signs out (A8)", async () => {
    const { page } = await open();
    const login = page.waitForResponse("**/auth/login");
    await signIn(page);
    await page.locator("#swagger-ui .info").waitFor();
    const { refresh_token } = (await (await login).json()) as { refresh_token: string };
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "You have signed out." }).waitFor();
    const response = await fetch(`${base}/auth/refresh`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ refresh_token }),
    });
    expect(response.status).toBe(401);
  });

  it("fits the window of a phone (A2)", async () => {
    const { page, complaints } = await open(PHONE);
    await shoot(page, "sign-in-phone");
    await signIn(page);
    await page.locator(LANCAMENTOS).waitFor();
    await shoot(page, "reference-phone");
    expect(await fits(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("keeps the quota of its address while a page of another origin sends requests (E3)", async () => {
    const remaining = async (headers: Record<string, string> = {}) => {
      const rateLimit = (await fetch(`${base}/nothing`, { headers })).headers.get("RateLimit") ?? "";
      return Number(/"global";r=(\d+)/.exec(rateLimit)?.[1]);
    };
    const target = (name: string) => `${base}/auth/${name}`;
    const rules = { prefetch: [{ source: "list", urls: [target("prefetch")], eagerness: "immediate" }] };
    const html = `<!doctype html><img src="${target("image")}"><iframe src="${target("frame")}"></iframe>
      <link rel="stylesheet" href="${target("style")}"><script src="${target("script")}"></script>
      <script type="speculationrules">${JSON.stringify(rules)}</script>
      <script>
        for (const mode of ["cors", "no-cors"]) fetch("${target("fetch")}", { mode }).catch(() => {});
        navigator.sendBeacon("${target("beacon")}", "text");
        new WebSocket("${target("socket").replace("http", "ws")}");
      </script>`;
    await onOtherOrigin(html, async (url) => {
      const [own, pages] = [await remaining(), await remaining({ "Sec-Fetch-Site": "cross-site" })];
      const { page } = await openPage("/health");
      // A page of the service itself counts for the address.
      expect(await remaining()).toBe(own - 2);
      await page.goto(url);
      // The page sends nine requests, of which the prefetch or the socket is last. Each probe counts as one.
      let probes = 0;
      await expect
        .poll(
          async () => {
            probes += 1;
            return pages - (await remaining({ "Sec-Fetch-Site": "cross-site" })) - probes;
          },
          { timeout: 30_000, interval: 500 },
        )
        .toBeGreaterThanOrEqual(9);
      expect(await remaining()).toBe(own - 3);
      await page.close();
    });
  });

  it("lets a page of another origin send a token and any other header (E7)", async () => {
    const names = ["traceparent", "baggage", "cache-control", "prefer", "mcp-protocol-version"];
    const headers = Object.fromEntries(
      ["authorization", "x-anything", ...names].map((name) => [name, "a=b"]),
    );
    const { page } = await openPage("");
    await onOtherOrigin("", async (url) => {
      await page.goto(url);
      const status = await page.evaluate(
        ([target, init]) => fetch(target, init).then((response) => response.status, String),
        [`${base}/v1/lancamentos`, { headers }] as const,
      );
      expect(status).toBe(401);
    });
  });
});
