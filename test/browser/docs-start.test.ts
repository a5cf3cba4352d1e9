// @module-tag slow
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TASKS } from "../../public/docs/tasks.ts";
import { hasChromium } from "../support/node/installed.ts";
import { accessibilityViolations, base, openPage, overflowing, shoot } from "./browser.ts";
import { PHONE, signIn } from "./panel.ts";

describe.runIf(hasChromium)("the first page of /docs in a browser (A2)", () => {
  const open = async (options?: Parameters<typeof openPage>[1]) => {
    const opened = await openPage("/docs", options);
    await signIn(opened.page);
    await answered(opened.page);
    return opened;
  };
  const answered = (page: Page, status = "200") =>
    page.locator("#status strong").filter({ hasText: status }).waitFor();
  const request = (page: Page) => page.locator("#request").textContent();
  const answer = (page: Page) => page.getByLabel("Answer").inputValue();
  const run = (page: Page) => page.getByRole("button", { name: "Run" }).click();
  const documented = (page: Page) => page.locator("#headers tbody tr").first().waitFor();

  it("runs a task with the reader's sign-in, and again with other values and parameters", async () => {
    const { page, complaints } = await open();
    const buttons = page.locator("#tasks button span");
    expect(await buttons.allTextContents()).toEqual(TASKS.map(({ title }) => title));
    expect(await request(page)).toBe(
      "/v1/relatorios/faturamento?por=unidade&medidas=valor_total,visitas&periodo=mes&comparar=mes-anterior",
    );
    await shoot(page, "docs-start");
    await page.getByRole("button", { name: /^Sales by product/ }).click();
    await page.getByLabel("periodo", { exact: true }).fill("2026");
    await documented(page);
    const offered = await page.getByLabel("Add a parameter").locator("option").allTextContents();
    expect(offered).toEqual(expect.arrayContaining(["origem", "comparar"]));
    expect(offered).not.toContain("periodo");
    await page.getByLabel("Add a parameter").selectOption("origem");
    await page.getByLabel("origem", { exact: true }).fill("loja");
    expect(await request(page)).toMatch(/periodo=2026&ordem=-valor_total&limite=10&origem=loja$/);
    const sent = page.waitForResponse((response) => response.url().endsWith("&origem=loja"));
    await page.keyboard.press("Enter");
    const { data } = (await (await sent).json()) as { data: object[] };
    await page.locator("#status").filter({ hasText: "Applied-Range 2026-01-01 to " }).waitFor();
    expect(JSON.parse(await answer(page)).data).toEqual(data);
    expect(complaints).toEqual([]);
  });

  it("shows the error of the service, and what to do without a connection", async () => {
    const { page } = await open();
    await page.getByLabel("periodo", { exact: true }).fill("novembro");
    await run(page);
    await answered(page, "400");
    expect(await answer(page)).toContain("must be one of hoje, ontem");
    await page.route("**/v1/relatorios/**", (route) => route.abort());
    await run(page);
    await answered(page, "No answer");
    expect(await page.locator("#status").textContent()).toContain("Check it, then run again.");
  });

  it("copies the request for a shell, with the access token", async () => {
    const { page } = await open();
    await page.evaluate("navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }");
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.locator("#copied").filter({ hasText: "valid for at most 15 minutes" }).waitFor();
    const [, url = "", token = ""] =
      /^curl '(.+)' -H 'Authorization: (Bearer .+)'$/.exec(await page.evaluate<string>("copied")) ?? [];
    expect(url).toBe(base + (await request(page)));
    expect((await fetch(url, { headers: { Authorization: token } })).status).toBe(200);
  });

  it("has no task that the reader may not run (A11)", async () => {
    const { page } = await openPage("/docs");
    await page.route("**/auth/login", async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { access_token: string };
      const [head, claims = "", signature] = body.access_token.split(".");
      const all = JSON.parse(Buffer.from(claims, "base64url").toString());
      const fewer = { ...all, rights: { ...all.rights, payments: false, personalData: false } };
      const changed = Buffer.from(JSON.stringify(fewer)).toString("base64url");
      await route.fulfill({
        response,
        json: { ...body, access_token: [head, changed, signature].join(".") },
      });
    });
    await signIn(page);
    await page.locator("#tasks button").first().waitFor();
    expect(await page.locator("#tasks button").count()).toBe(TASKS.filter(({ needs }) => !needs).length);
  });

  it("links the guides, which are served as text (D1)", async () => {
    const { page } = await open();
    const links = await page
      .locator("#guides a")
      .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
    expect(links).toHaveLength(6);
    for (const link of links) {
      const response = await fetch(link);
      expect(response.headers.get("Content-Type"), link).toBe("text/plain; charset=utf-8");
      expect(await response.text()).toMatch(/^# \w/);
    }
    expect(links[0]).toContain("/clients-");
  });

  it("has the headers of responses once, and in no response of the reference", async () => {
    const { page } = await open();
    await documented(page);
    const names = await page.locator("#headers tbody th").allTextContents();
    expect(names).toEqual(expect.arrayContaining(["X-Request-Id", "Link", "ETag", "RateLimit"]));
    expect(new Set(names).size).toBe(names.length);
    await page.locator("#operations-frescor-frescor .opblock-summary-control").click();
    await page.locator("#operations-frescor-frescor .responses-table .response").first().waitFor();
    expect(await page.locator("#swagger-ui .response .headers-wrapper").count()).toBe(0);
  });

  it.each(["light", "dark"] as const)("has no accessibility violation, %s", async (colorScheme) => {
    const { page } = await open({ colorScheme });
    await documented(page);
    // Swagger UI has its own test.
    await page.evaluate("document.getElementById('swagger-ui').remove()");
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  it("is one column on a phone: tasks, request, answer, with targets of 44 px", async () => {
    const { page } = await open(PHONE);
    await documented(page);
    await shoot(page, "docs-start-phone", true);
    expect(await overflowing(page)).toEqual([]);
    const tops = await Promise.all(
      ["#tasks", "#request", "#fields", "#answer", "#periods"].map(async (one) =>
        Math.round((await page.locator(one).boundingBox())?.y ?? 0),
      ),
    );
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
    const targets = page.locator("#start :is(button, input, select, .jump a):visible");
    for (const target of await targets.all())
      expect(
        (await target.boundingBox())?.height,
        `${await target.getAttribute("id")}`,
      ).toBeGreaterThanOrEqual(43.9);
  });
});
