// @module-tag slow
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { type Opened, openBrowser } from "./browser.ts";
import { installClock, navigate, openPanel, PHONE, rowsOf, signIn, textOf, waitForPanel } from "./panel.ts";

const LAST_MONTH = "?periodo=mes-passado";

describe.runIf(hasChromium)("/painel, while it loads and when requests fail", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  afterAll(() => opened?.close());

  /** Holds the requests to a path until they are released. */
  const hold = async (page: Page, path: string) => {
    const held: (() => void)[] = [];
    let isHeld = true;
    await page.route(path, async (route) => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue().catch(() => undefined);
    });
    return () => {
      isHeld = false;
      for (const release of held.splice(0)) release();
    };
  };
  const refuse = (retryAfter?: number) => (route: Route) =>
    route.fulfill({
      status: 503,
      headers: retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) },
      json: { error: "", message: "" },
    });
  const reportsIn = (paths: string[]) => paths.map((path) => /[^/?]+(?=\?|$)/.exec(path)?.[0]);
  /** The requests of the card `Produção por profissional`. */
  const PRODUCTION = "**/servicos?**por=unidade%2Cprofissional**";

  it("begins with a link past the filters, to the title (A2)", async () => {
    const { page } = await openPanel(opened, LAST_MONTH, PHONE);
    const first = page.locator("#content :is(a, button, input, select)").first();
    expect(await first.textContent()).toBe("Ir para o conteúdo");
    expect((await first.boundingBox())?.y).toBeLessThan(5);
    await first.focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("title");
  });

  it("leaves opened rows and tables alone while nothing changes (A2)", async () => {
    const { page } = await openPanel(opened, LAST_MONTH, PHONE);
    await page.locator("#forms .opener").first().click();
    await page.locator("#services .opener").first().click();
    await page.locator("#professionals .all").click();
    const shown = await page.locator("#professionals tbody tr:visible").count();
    expect(shown).toBeGreaterThan(10);
    await installClock(page);
    for (let minute = 0; minute < 3; minute += 1) {
      const arrived = Promise.all(
        ["**/painel?**", "**/v1/frescor"].map((path) => page.waitForResponse(path)),
      );
      // The first timer was set before the clock was installed.
      if (minute === 0) await page.locator("#now").click();
      else await page.clock.runFor(61_000);
      await arrived;
      await waitForPanel(page);
    }
    expect(await page.locator("#forms tr.open, #services tr.open").count()).toBe(2);
    expect(await page.locator("#professionals tbody tr:visible").count()).toBe(shown);
  });

  it("shows the cards of a remembered view while it loads again, and never those of another (A2)", async () => {
    const { page } = await openPanel(opened, LAST_MONTH);
    const before = await rowsOf(page, "professionals");
    await navigate(page, "?periodo=ano");
    expect(await rowsOf(page, "professionals")).not.toEqual(before);
    const release = await hold(page, "**/v1/**");
    await page.goBack();
    await page.locator("#title").filter({ hasText: "1º a" }).waitFor();
    expect(await page.locator("#panel").getAttribute("aria-busy")).toBe("true");
    expect(await rowsOf(page, "professionals")).toEqual(before);
    release();
    await waitForPanel(page);
  });

  it("keeps a card's data when its request fails, and asks for that card alone again (A2)", async () => {
    const { page, paths } = await openPanel(opened, LAST_MONTH);
    const before = await rowsOf(page, "professionals");
    await installClock(page);
    await page.route(PRODUCTION, refuse());
    await page.locator("#now").click();
    await waitForPanel(page);
    await page.clock.runFor(601_000);
    await waitForPanel(page);
    await page.clock.runFor(61_000);
    await page.locator("#professionals .nothing").filter({ hasText: "Serviço indisponível" }).waitFor();
    expect(await rowsOf(page, "professionals")).toEqual(before);
    await waitForPanel(page);
    paths.length = 0;
    await page.clock.runFor(61_000);
    await waitForPanel(page);
    expect(reportsIn(paths).filter((one) => one !== "frescor" && one !== "painel")).toEqual(["servicos"]);
    expect(paths.find((path) => path.includes("servicos"))).toContain(
      `por=${encodeURIComponent("unidade,profissional")}`,
    );
    await page.unroute(PRODUCTION);
    await page.clock.runFor(61_000);
    await page.locator("#professionals .nothing").waitFor({ state: "detached" });
    expect(await rowsOf(page, "professionals")).toEqual(before);
  });

  it("shows no change of the units if their sales did not arrive (A2)", async () => {
    const { page, paths } = await openPanel(opened, LAST_MONTH);
    const [range = ""] =
      /data_inicio=[^&]*/.exec(paths.find((path) => path.includes("/painel?")) ?? "") ?? [];
    await page.route(
      (url) =>
        url.search.includes(range) && url.search.includes(`por=${encodeURIComponent("unidade,origem")}`),
      (route) => refuse()(route),
    );
    await page.reload();
    await signIn(page);
    await waitForPanel(page);
    const rows = await rowsOf(page, "units");
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.map(([, revenue, growth]) => [revenue, growth])).toEqual(rows.map(() => ["—", "—"]));
    await navigate(page, `${LAST_MONTH}&unidade=202`);
    expect(await textOf(page, "#sold .figure")).toBe("—");
  });

  it("downloads the rows of the chosen view, even while its card loads (X1)", async () => {
    const { page, paths } = await openPanel(opened, LAST_MONTH);
    const [, from] =
      /data_inicio=([^&]*)/.exec(paths.find((one) => one.includes("profissional")) ?? "") ?? [];
    const release = await hold(
      page,
      `**/servicos?limite=**por=${encodeURIComponent("unidade,profissional")}**`,
    );
    await page.getByText("Últimos 7 dias", { exact: true }).click();
    await page.locator("#professionals .skeleton").waitFor();
    const asked = page.waitForRequest(/servicos.*profissional.*formato=excel/);
    await page.locator('button[data-get="professionals"]').click();
    expect((await asked).url()).not.toContain(from);
    release();
    await waitForPanel(page);
  });

  it("saves no file after the user has signed out (A8)", async () => {
    const { page } = await openPanel(opened, `${LAST_MONTH}&lista=atendimentos`);
    await page.locator("#record-table [role=status]").waitFor();
    const release = await hold(page, "**/v1/transacoes?**formato=excel**");
    let hasSaved = false;
    page.on("download", () => {
      hasSaved = true;
    });
    const asked = page.waitForRequest(/formato=excel/);
    await page.locator('button[data-get="records"]').click();
    await asked;
    await page.locator("#sign-out").click();
    await page.locator("#sign-in").waitFor();
    release();
    await page.locator('button[data-get="records"]:not([disabled])').waitFor({ state: "attached" });
    expect(hasSaved).toBe(false);
    expect(await page.locator("#notice").textContent()).toBe("");
  });

  it("says above a list that its file is not complete, or could not be saved (X1)", async () => {
    const { page } = await openPanel(opened, `${LAST_MONTH}&lista=atendimentos`);
    await page.locator("#record-table [role=status]").waitFor();
    await page.route(/formato=excel/, (route) =>
      route.fulfill({ headers: { Link: '</v1/transacoes>; rel="next"' }, body: "salon_id\r\n1\r\n" }),
    );
    const button = page.locator('button[data-get="records"]');
    await button.click();
    await page.locator("#notice:visible").filter({ hasText: "primeiros 4000 registros" }).waitFor();
    await page.unroute(/formato=excel/);
    await page.route(/formato=excel/, refuse(90));
    await button.click();
    await page
      .locator("#notice:visible")
      .filter({ hasText: /Não foi possível baixar o arquivo\. Tente novamente às \d\d:\d\d\.$/ })
      .waitFor();
  });

  it("sends no request for a list or a file before a Retry-After has passed (A2)", async () => {
    const { page, paths } = await openPanel(opened, LAST_MONTH);
    await page.route("**/v1/transacoes?**", refuse(90), { times: 1 });
    await page.locator("#visits a").click();
    await page
      .locator("#record-table .nothing")
      .filter({ hasText: /Serviço indisponível no momento\. Tente novamente às \d\d:\d\d\.$/ })
      .waitFor();
    paths.length = 0;
    await page.goBack();
    await page.locator("#sent a").first().click();
    await page.locator("#record-table .nothing").filter({ hasText: "Tente novamente" }).waitFor();
    await page.locator('button[data-get="records"]').click();
    await page.locator("#notice").filter({ hasText: "Não foi possível baixar" }).waitFor();
    expect(paths).toEqual([]);
  });

  it("names an open list in the title, and moves the focus with each part that opens (A2)", async () => {
    const { page } = await openPanel(opened, `${LAST_MONTH}&lista=pendentes`);
    expect(await page.title()).toBe("Painel · Atendimentos pendentes de envio ao ERP");
    const focused = () => page.evaluate<string>("document.activeElement.id");
    await page.locator("#back").click();
    expect(await focused()).toBe("title");
    expect(await page.title()).toContain("Painel · 1º a");
    await page.locator('[data-jump="services"]').click();
    expect(await focused()).toBe("services-title");
    await page.locator("#professionals .all").click();
    expect(await page.evaluate("document.activeElement.closest('#professionals tr').rowIndex")).toBe(11);
  });

  it("lets the keyboard scroll a table that is wider than its frame, also after a turn of the device (A2)", async () => {
    const { page } = await openPanel(opened, `${LAST_MONTH}&lista=pendentes`, {
      viewport: { width: 1024, height: 768 },
    });
    await page.locator("#record-table [role=status]").waitFor();
    await page.locator("#back").click();
    await page.locator("#units tbody tr").first().waitFor();
    const frames = (selector: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll(".fits, .scrolls")].filter((one) => one.checkVisibility() && ${selector}).map((one) => one.id)`,
      );
    const wide = () => frames("one.scrollWidth > one.clientWidth");
    const scrollable = () => frames("one.hasAttribute('tabindex')");
    expect(await wide()).not.toContain("units");
    await page.setViewportSize({ width: 768, height: 1024 });
    await expect.poll(scrollable).toContain("units");
    expect(await scrollable()).toEqual(await wide());
    await page.setViewportSize({ width: 1024, height: 768 });
    await expect.poll(scrollable).not.toContain("units");
    expect(await scrollable()).toEqual(await wide());
  });

  it("asks for a typed day that is today as for Hoje (R10)", async () => {
    const { page, paths } = await openPanel(opened, "?periodo=hoje");
    const of = () => paths.find((path) => path.startsWith("/v1/relatorios/painel?"));
    const today = of();
    paths.length = 0;
    const day = /data_inicio=([\d-]+)T/.exec(today ?? "")?.[1];
    await page.goto(`${opened.base}/painel?de=${day}&ate=${day}`);
    await signIn(page);
    await waitForPanel(page);
    expect(of()).toBe(today);
    expect(await textOf(page, "#compared")).toMatch(/, até as \d\dh\d\d$/);
  });

  it("works where the browser blocks storage (A2)", async () => {
    const { page } = await opened.open("");
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "localStorage", {
        get: () => {
          throw new DOMException("", "SecurityError");
        },
      });
    });
    await page.goto(`${opened.base}/painel?inicio=app`);
    await signIn(page);
    await waitForPanel(page);
    await page.locator("#unit").selectOption("103");
    await page.waitForURL("**/painel?unidade=103");
    await waitForPanel(page);
  });

  it("shows the age of the data now, and not that of a response in the browser's cache (A2)", async () => {
    const { page } = await openPanel(opened, LAST_MONTH);
    await page.reload();
    const requests = ["**/v1/frescor", "**/painel?**"].map((path) => page.waitForRequest(path));
    await signIn(page);
    await waitForPanel(page);
    for (const request of await Promise.all(requests))
      expect(await request.allHeaders()).not.toHaveProperty("if-none-match");
  });

  it("leaves no figure in the page after the sign-out (A2)", async () => {
    const { page } = await openPanel(opened, LAST_MONTH);
    await page.locator("#sign-out").click();
    await page.locator("#sign-in").waitFor();
    expect(await page.locator("#chart").getAttribute("aria-label")).toBe(null);
  });
});
