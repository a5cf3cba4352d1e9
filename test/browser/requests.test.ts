// @module-tag slow
import fc from "fast-check";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import {
  advance,
  DAYS,
  goTo,
  hold,
  installClock,
  installClockAt,
  navigate,
  openPanel,
  placesOf,
  setHidden,
  shifted,
  takeTurn,
  today,
  waitForPanel,
} from "./panel.ts";

/** Every tab, and every part of one. */
const PLACES = placesOf().flatMap((search) => (search.includes("lista=") ? [] : search.slice(1)));
const PERIODS = [
  "",
  "periodo=hoje",
  "periodo=7-dias",
  "periodo=ano",
  "periodo=mes-passado",
  "de=2026-02-01&ate=2026-02-28",
  `de=${shifted(today, -900)}&ate=${today}`,
];
const UNITS = ["", "unidade=101", "unidade=103", "unidade=202"];

const searchOf = (...parts: string[]) => `?${parts.filter(Boolean).join("&")}`;

/** The quota of a user in fifteen minutes (E3). */
const QUOTA = 500;
const SEED = Number(process.env.PANEL_SEED ?? Date.now() % 1_000_000_000);

describe.runIf(hasChromium)("the requests of /painel", () => {
  const reportsIn = (paths: string[]) => paths.filter((path) => path.startsWith("/v1/relatorios/"));

  it("are one for Início, and at most three reports for any other part, whatever the view (R7, E3)", async () => {
    const { page, paths } = await openPanel();
    expect(paths.map((path) => path.split("?")[0])).toEqual(["/v1/relatorios/painel"]);
    for (const [index, place] of PLACES.entries())
      for (const unit of ["", "unidade=103"]) {
        paths.length = 0;
        // Days of its own, so that nothing is in memory.
        const from = shifted("2025-01-01", index);
        await navigate(page, searchOf(place, `de=${from}&ate=${shifted(from, 40)}`, unit));
        const reports = reportsIn(paths);
        const isMost = /(envio|pdf|resultado|produtos)$|clientes|assiduos|retorno|pessoa/.test(place);
        const most = place === "" ? 1 : isMost ? 3 : 2;
        expect([place, reports, reports.length <= most]).toEqual([place, reports, true]);
        expect([place, paths.length <= 4, new Set(paths).size]).toEqual([place, true, paths.length]);
      }
  });

  it("are that of Início for a month in Unidades, which has its goals and its pace (R7, B1)", async () => {
    const { page, paths } = await openPanel();
    for (const [place, ...others] of [
      // What the stores sold.
      ["de=2025-01-01&ate=2025-01-31", "/v1/relatorios/vendas"],
      // Its days four weeks before.
      ["de=2025-02-01&ate=2025-02-28&unidade=103", "/v1/relatorios/faturamento"],
      // What a store sold.
      ["de=2025-03-01&ate=2025-03-31&unidade=202", "/v1/relatorios/faturamento", "/v1/relatorios/vendas"],
    ]) {
      paths.length = 0;
      const asked = page.waitForRequest(/\/v1\/relatorios\//);
      await navigate(page, `?aba=unidades&${place}`);
      await asked;
      await waitForPanel(page);
      expect(
        reportsIn(paths)
          .map((path) => path.split("?")[0])
          .sort(),
      ).toEqual([...others, "/v1/relatorios/painel"].sort());
    }
  });

  it("are none within a minute for what is in memory, and then conditional (A2, E3)", async () => {
    const { page, paths } = await openPanel("", { prepare: installClock });
    for (const place of PLACES) await navigate(page, searchOf(place, "periodo=mes-passado"));
    paths.length = 0;
    for (const place of PLACES.toReversed()) await navigate(page, searchOf(place, "periodo=mes-passado"));
    expect(paths).toEqual([]);
    const next = advance(page);
    // Whether last month is closed, and what it signed, may change, too.
    expect(await next(60.5)).toEqual([
      "/v1/fechamentos 304",
      `/v1/fechamentos/${DAYS["mes-passado"]?.[0]?.slice(0, 7)} 304`,
      "/v1/relatorios/painel 304",
    ]);
  });

  const beforeAnHour = (page: Page) => installClockAt(page, `${today}T12:59:20-03:00`);
  it("of the next hour leave the figures of every tab until they are answered (A2, R10)", async () => {
    for (const place of [
      "",
      "aba=unidades",
      "aba=unidades&unidade=103",
      "aba=equipe",
      "aba=mais&parte=produtos",
    ]) {
      const { page, paths } = await openPanel("?periodo=mes-passado", { prepare: beforeAnHour });
      await navigate(page, searchOf(place, "periodo=hoje"));
      const figures = await page.locator("#conteudo").textContent();
      const release = await hold(page, "**/v1/**");
      const asked = page.waitForRequest(/T13%3A59/);
      await page.clock.runFor(61_000);
      await asked;
      await page.clock.runFor(1000);
      expect([place, await page.locator("#conteudo").textContent()]).toEqual([place, figures]);
      release();
      await waitForPanel(page);
      expect(paths.filter((path) => path.includes("T13%3A59")).length).toBeGreaterThan(0);
      await page.close();
    }
  });

  it("are none of a tab that is opened while the page is hidden, until it is shown (A2, E3)", async () => {
    const { page, paths } = await openPanel("?periodo=mes-passado");
    paths.length = 0;
    await setHidden(page, true);
    await goTo(page, "?periodo=ano");
    await page.locator("#conteudo .loading").waitFor();
    await takeTurn(page);
    expect(paths).toEqual([]);
    await setHidden(page, false);
    await waitForPanel(page);
    expect(paths).toHaveLength(1);
  });

  it("leave five tabs that stay open for fifteen minutes far below the quota of a user (A2, E3)", async () => {
    const { page, paths } = await openPanel("", { prepare: installClock });
    const next = advance(page);
    for (let minute = 0; minute < 15; minute += 1) await next(60.5);
    const atRest = paths.length;
    expect(atRest).toBeGreaterThan(10);
    expect(5 * atRest).toBeLessThan(QUOTA / 4);
  });

  it("are fewer than 500 for 100 changes of tab, part, period and unit within fifteen minutes (E3)", async () => {
    const { page, paths, complaints } = await openPanel("", { prepare: installClock });
    const place = fc.record({
      place: fc.constantFrom(...PLACES),
      period: fc.constantFrom(...PERIODS),
      unit: fc.constantFrom(...UNITS),
      compared: fc.constantFrom("", "", "comparar=ano", "comparar=nada"),
    });
    const walk = fc.sample(place, { seed: SEED, numRuns: 100 });
    for (const { place, period, unit, compared } of walk) {
      await navigate(page, searchOf(place, period, unit, compared));
      await page.clock.runFor(8_900);
    }
    expect([SEED, paths.length, paths.length < QUOTA]).toEqual([SEED, paths.length, true]);
    expect([SEED, paths.length > 100]).toEqual([SEED, true]);
    expect(complaints).toEqual([]);
  });
});
