// @module-tag slow
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { type Opened, openBrowser } from "./browser.ts";
import { count, money, navigate, openPanel, PHONE, rowsOf, signIn, textOf, waitForPanel } from "./panel.ts";

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

  /** Clicks the button of a table and returns the rows of the file. */
  const downloaded = async (page: Page, id: string) => {
    const arriving = page.waitForEvent("download");
    await page.locator(`button[data-get="${id}"]`).click();
    const file = await arriving;
    const text = readFileSync(await file.path(), "utf8");
    expect(text).toMatch(/^\uFEFF[^\uFEFF]*\r\n$/);
    const rows = text.slice(1, -2).split("\r\n");
    const cells = (row: string) =>
      row
        .split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/)
        .map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
    return { name: file.suggestedFilename(), rows: rows.map(cells) };
  };

  it("downloads the table by unit as it is shown, in one file (X1)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado");
    await page.selectOption("#units-order", "queda");
    const { name, rows } = await downloaded(page, "units");
    expect(name).toMatch(/^por-unidade-\d{4}-\d\d-01-\d{4}-\d\d-\d\d\.csv$/);
    const value = (text = "") => (text === "" ? undefined : Number(text.replace(",", ".")));
    const shownAs = (text: string | undefined, format: (value: number) => string) => {
      const number = value(text);
      return number === undefined ? "—" : format(number);
    };
    const percent = (of: number, signDisplay: "auto" | "exceptZero") =>
      (of / 100).toLocaleString("pt-BR", { style: "percent", minimumFractionDigits: 1, signDisplay });
    const signed = (of: number) => `${of > 0 ? "+" : ""}${money(of)}`;
    expect(
      rows
        .slice(1)
        .map(([unit, revenue, , fall, growth, visits, ticket, sold, sent, pending]) => [
          unit,
          shownAs(revenue, money),
          growth === "" ? "—" : `${percent(value(growth) ?? 0, "exceptZero")} ${signed(value(fall) ?? 0)}`,
          shownAs(visits, count),
          shownAs(ticket, money),
          shownAs(sold, count),
          shownAs(sent, (of) => percent(of, "auto")),
          shownAs(pending, money),
        ]),
    ).toEqual((await rowsOf(page, "units")).map((row) => row.slice(0, -1)));
    for (const [, revenue, before, fall] of rows.slice(1))
      if (fall) expect((value(before) ?? 0) + (value(fall) ?? 0)).toBeCloseTo(value(revenue) ?? 0, 6);
  });

  it("orders the units by their change, closed ones and those without one last (A2)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado");
    const changes = async () =>
      (await rowsOf(page, "units")).map(([name = "", , change = ""]) =>
        change.startsWith("—") || name.endsWith("(inativa)")
          ? undefined
          : Number(/^[+-]?[\d.]+,\d/.exec(change)?.[0].replace(",", ".")),
      );
    const order = page.locator("#units-order");
    await order.selectOption("queda");
    const falling = await changes();
    const known = falling.filter((one) => one !== undefined);
    expect(known.length).toBeGreaterThan(2);
    expect(falling.slice(0, known.length)).toEqual(known.toSorted((a, b) => a - b));
    await order.selectOption("alta");
    expect((await changes()).slice(0, known.length)).toEqual(known.toSorted((a, b) => b - a));
    await order.selectOption("valor");
    await navigate(page, "?periodo=mes-passado&comparar=nada");
    await order.waitFor({ state: "hidden" });
  });

  it("downloads the tables that no report has (X1)", async () => {
    const { page } = await opened.open("/painel?periodo=mes-passado");
    await page.route(/nao-mapeados/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { profissionais: Record<string, unknown>[] };
      body.profissionais = [
        { ...body.profissionais[0], profissional: "=1+1", valor_total: 12.5 },
        { ...body.profissionais[0], profissional: 'Ana "A"; B', valor_total: 0.3 },
      ];
      await route.fulfill({ response, json: body });
    });
    await signIn(page);
    await waitForPanel(page);
    await page.locator("#unmapped tbody tr").first().waitFor();
    const { name, rows } = await downloaded(page, "unmapped");
    expect(name).toMatch(/^sem-centro-de-custo-/);
    expect(rows.map((row) => [row[0], row.at(-2)])).toEqual([
      ["Profissional", "Valor dos atendimentos"],
      ['="=1+1"', "12,5"],
      ['Ana "A"; B', "0,3"],
    ]);
    const jobs = await downloaded(page, "jobs");
    expect(jobs.rows.length - 1).toBe((await rowsOf(page, "jobs")).length);
    await page.getByText("Catálogo de produtos por unidade").first().click();
    const catalogue = await downloaded(page, "catalogue");
    expect(catalogue.rows.slice(1)).toEqual(
      (await rowsOf(page, "catalogue")).map(([unit, at = ""]) => [
        unit,
        expect.stringMatching(`^${at.replace(",", "")}:\\d\\d$`),
      ]),
    );
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
    await change(page, /dia_semana%2Chora/, (body) => {
      const [row] = body.data;
      body.data = visits.map((visitas, index) => ({
        ...row,
        dia_semana: index + 1,
        hora: 9 + index,
        visitas,
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
      "mesmo período do ano passado",
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

  it("says what a figure is of: salons, stores, amounts (R20)", async () => {
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
