// @module-tag slow
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/installed.ts";
import { type Opened, openBrowser } from "./browser.ts";
import { navigate, openPanel, PHONE, signIn, textOf, waitForPanel } from "./panel.ts";

describe.runIf(hasChromium)("the cards of /painel", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  afterAll(() => opened?.close());

  /** The elements that end outside another, as text. */
  const outside = (page: Page, selector: string, frame: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((one) => {
         const [own, around] = [one, document.querySelector(${JSON.stringify(frame)})].map((at) => at.getBoundingClientRect());
         return one.checkVisibility() && (own.left < around.left || own.right > around.right);
       }).map((one) => one.outerHTML)`,
    );

  /** Changes a response of the service before the page reads it. */
  const change = async (
    page: Page,
    path: RegExp,
    edit: (body: { data: Record<string, unknown>[] }) => void,
  ) =>
    page.route(path, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: Record<string, unknown>[] };
      edit(body);
      await route.fulfill({ response, json: body });
    });

  it("shows the whole amount of payments on a phone, with their number below (A2)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado", PHONE);
    await page.locator("#payments tbody a").first().waitFor();
    expect(await outside(page, "#payments :is(a, .more)", "#payments")).toEqual([]);
    for (const text of await page.locator("#payments a").allTextContents())
      expect(text).toMatch(/^R\$\u00a0[\d.]+,\d\d$/);
    expect(await textOf(page, "#payments tbody td .more")).toMatch(/^\d+ pagamentos?$/);
  });

  it("downloads the sales of stores apart from the visits of salons (X1)", async () => {
    const { page, paths } = await openPanel(opened, "?periodo=mes-passado");
    paths.length = 0;
    await page.getByText("Baixar atendimentos dos salões", { exact: true }).waitFor();
    const arriving = page.waitForEvent("download");
    await page.getByText("Baixar vendas das lojas", { exact: true }).click();
    expect((await arriving).suggestedFilename()).toMatch(/^vendas-por-estabelecimento-/);
    expect(new URL(paths.at(-1) ?? "", opened.base).searchParams.get("origem")).toBe("loja");
  });

  it("names the file of overdue payments after its list (X1)", async () => {
    const { page } = await openPanel(opened, "?lista=vencidos");
    await page.locator("#record-table [role=status]").waitFor();
    const arriving = page.waitForEvent("download");
    await page.locator('button[data-get="records"]').click();
    const download = await arriving;
    expect(download.suggestedFilename()).toMatch(/^pagamentos-vencidos-\d{4}-\d\d-\d\d\.csv$/);
    expect(readFileSync(await download.path(), "utf8")).toContain("data_vencimento");
  });

  it("prints whole borders, readable type, and the number of rows it leaves out (A2)", async () => {
    const { page } = await openPanel(opened, "?periodo=ano");
    await page.setViewportSize({ width: 740, height: 1050 });
    await page.emulateMedia({ media: "print" });
    const right = await page.evaluate<number>(
      `document.documentElement.clientWidth - Math.max(...[...document.querySelectorAll("#panel .card")].map((one) => one.getBoundingClientRect().right))`,
    );
    expect(right).toBeGreaterThan(0.5);
    for (const id of ["professionals", "services", "products", "forms"]) {
      const hidden = await page.locator(`#${id} tbody tr:not(:visible)`).count();
      const line = page.locator(`#${id} .left-out`);
      expect(hidden === 0 ? 0 : Number(/\d+/.exec((await line.textContent()) ?? "")?.[0])).toBe(hidden);
    }
    const smallest = await page.evaluate<number>(
      `Math.min(...[...document.querySelectorAll("#panel :is(td, th, p, dt, dd)")].filter((one) => one.checkVisibility())
         .map((one) => parseFloat(getComputedStyle(one).fontSize)))`,
    );
    expect(smallest * 0.75).toBeGreaterThanOrEqual(6.5);
  });

  it("shows all hours of a week on a phone, each under its header (A2)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado", PHONE);
    await page.locator("#hours td.heat").first().waitFor();
    expect(await outside(page, "#hours :is(th, td)", "#hours")).toEqual([]);
    const aligned = await page.evaluate<string[]>(
      `[...document.querySelectorAll("#hours thead th")].map((one) => getComputedStyle(one).textAlign)`,
    );
    expect(new Set(aligned)).toEqual(new Set(["center"]));
  });

  it.each([
    [[6, 6, 2], "Mais movimento: seg. às 9h e ter. às 10h, com 6 atendimentos cada no período."],
    [[7, 6, 2], "Mais movimento: seg. às 9h, com 7 atendimentos no período."],
    [[3, 3, 3, 3, 3], "Mais movimento: 5 horários, com 3 atendimentos cada no período."],
    [[2, 1], "Poucos atendimentos para comparar horários."],
  ])("names the busiest hours, and their ties, for %j visits (A2)", async (visits, text) => {
    const { page } = await opened.open("/painel?periodo=mes-passado");
    await change(page, /transacoes-por-horario/, (body) => {
      const [row] = body.data;
      body.data = visits.map((total_transacoes, index) => ({
        ...row,
        dia_semana: index + 1,
        hora: 9 + index,
        total_transacoes,
      }));
    });
    await signIn(page);
    await waitForPanel(page);
    await page.locator("#hours .note").waitFor();
    expect(await textOf(page, "#hours .note")).toBe(text);
  });

  it("shows the first periods on a phone, or the chosen one, and a comparison that is not cut (A2)", async () => {
    const { page } = await openPanel(opened, "", PHONE);
    const chip = (value: string) => `.chips label:has([value="${value}"])`;
    expect(await outside(page, `${chip("hoje")}, ${chip("mes")}`, ".chips")).toEqual([]);
    await navigate(page, "?periodo=ano&comparar=ano");
    expect(await outside(page, chip("ano"), ".chips")).toEqual([]);
    const borders = await page.evaluate<string[]>(
      `[...document.querySelectorAll("#unit, #compare")].map((one) => getComputedStyle(one).border)`,
    );
    expect(new Set(borders).size).toBe(1);
    expect(await page.locator("#compare option").allTextContents()).toEqual([
      "período anterior",
      "ano passado",
      "nada",
    ]);
  });

  it("marks a closed unit, whose fall is no alarm (A2)", async () => {
    const { page } = await opened.open("/painel?periodo=ano");
    await change(page, /\/v1\/estabelecimentos/, (body) => {
      for (const unit of body.data) if (unit.salon_id === "101") unit.ativo = false;
    });
    await signIn(page);
    await waitForPanel(page);
    const row = page.locator("#units tr").filter({ has: page.locator('a[href*="lista-unidade=101"]') });
    expect(await row.locator(".name").textContent()).toMatch(/ \(inativa\)$/);
    expect(await row.locator(".change:is(.up, .down)").count()).toBe(0);
  });

  it("says what a figure is of: salons, stores, amounts (R13)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado");
    expect(await textOf(page, "#ticket .more")).toBe("só salões");
    expect(await page.locator("#value-parts dt").count()).toBe(3);
    expect(await textOf(page, "#periods-title")).toBe("Valor dos atendimentos por dia");
    await navigate(page, "?periodo=mes-passado&unidade=101");
    expect(await page.locator("#ticket .more").count()).toBe(0);
    expect(await page.locator("#value-parts dt").allTextContents()).toEqual([
      "Serviços",
      "Produtos nos salões",
    ]);
  });

  it.each([
    ["phone", PHONE],
    ["desk", { viewport: { width: 1280, height: 900 } }],
  ])("keeps the place of the first cards while they load: %s (A2)", async (_, options) => {
    const { page } = await opened.open("/painel?periodo=mes-passado", options);
    const held: (() => void)[] = [];
    let isHeld = true;
    await page.route("**/v1/**", async (route) => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await signIn(page);
    await page.locator("#value .skeleton").waitFor();
    const height = () => page.locator(".cards").evaluate((cards) => cards.getBoundingClientRect().height);
    const before = await height();
    isHeld = false;
    for (const release of held) release();
    await waitForPanel(page);
    expect(Math.abs((await height()) - before)).toBeLessThan(40);
  });
});
