// @module-tag slow
import fc from "fast-check";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { base } from "./browser.ts";
import { units as allUnits } from "./figures.ts";
import { expectedInicio, shownInicio } from "./inicio-figures.ts";
import { DAYS, navigate, openPanel, shifted, today } from "./panel.ts";
import { type Asked, askedOf, earlierOf, type Range } from "./views.ts";
import { all } from "./warehouse.ts";

/** Repeats the views of a failure, whose message names its seed. */
const SEED = Number(process.env.PANEL_SEED ?? Date.now() % 1_000_000_000);
const ROUNDS = Number(process.env.PANEL_ROUNDS ?? 25);

describe.runIf(hasChromium)("Início of /painel", () => {
  let units: string[];

  beforeAll(async () => {
    units = (await allUnits()).ids;
  });

  const day = fc.integer({ min: -1200, max: 40 }).map((count) => shifted(today, count));
  /** Named periods, days of any kind, whole months, and days that lie ahead. */
  const period = fc.oneof(
    fc.constantFrom(...Object.keys(DAYS)),
    fc.tuple(day, fc.nat({ max: 45 })).map(([from, count]): [string, string] => [from, shifted(from, count)]),
    fc
      .tuple(day, fc.nat({ max: 900 }))
      .map(([from, count]): [string, string] => [from, shifted(from, count)]),
    day.map((of): [string, string] => {
      const first = `${of.slice(0, 8)}01`;
      return [first, shifted(`${shifted(first, 31).slice(0, 8)}01`, -1)];
    }),
  );

  /** Opens a view that is not in memory. Returns the range that the service compared it with. */
  const open = async (page: Page, { search }: Asked, known: Set<string>) => {
    const isOfView = (url: string) => url.includes("/v1/relatorios/painel?") && !known.has(url);
    const arriving = page.waitForResponse((response) => isOfView(response.url()));
    await navigate(page, search);
    const response = await arriving;
    known.add(response.url());
    const { anterior } = (await response.json()).faturamento;
    return anterior as { inicio: string; fim: string } | undefined;
  };

  /** The same, checked against the rule. */
  const earlierRange = async (asked: Asked, found: { inicio: string; fim: string }): Promise<Range> => {
    const [{ at }] = await all("select data_instant(now()) as at");
    const rule = earlierOf(asked, new Date(at));
    const instants = (...ends: string[]) => ends.map((end) => Date.parse(end));
    expect(instants(found.inicio, found.fim)).toEqual(instants(rule.from, rule.to));
    return rule;
  };

  it("shows the figures of plain SQL for any unit, period and comparison, and names what it compares with (R7, R20, R23)", async () => {
    const { page, complaints, paths } = await openPanel();
    const known = new Set(paths.map((path) => base + path));
    const seen = new Set([[DAYS.mes, "", "mes-anterior"].join()]);
    const view = fc.record({
      period,
      unit: fc.oneof(fc.constant(""), fc.constantFrom(...units)),
      compared: fc.constantFrom("", "", "ano", "nada"),
    });
    const check = async ({ period: of, unit, compared }: Record<string, string | [string, string]>) => {
      const asked = askedOf(of as string | [string, string], unit as string, compared as string);
      // What is in memory is not requested again.
      const { from, to, kind } = asked;
      if (seen.has([from, to, unit, kind].join())) return;
      seen.add([from, to, unit, kind].join());
      const found = await open(page, asked, known);
      expect(found === undefined).toBe(asked.kind === undefined);
      const rule = found && (await earlierRange(asked, found));
      // At the beginning of a day, the data has not reached it.
      const earlier = rule?.from === rule?.to ? undefined : rule;
      expect({ asked, ...(await shownInicio(page)) }).toEqual({
        asked,
        ...(await expectedInicio(asked, earlier)),
      });
      const chosen = await page.getByLabel("Comparar com").first().locator("option:checked").textContent();
      expect(chosen?.startsWith("vs. ")).toBe(earlier !== undefined);
    };
    // Today, and today with days to come.
    const examples = [today, shifted(today, 400)].map(
      (last): Parameters<typeof check> => [{ period: [today, last], unit: "", compared: "" }],
    );
    await fc.assert(fc.asyncProperty(view, check), {
      seed: SEED,
      numRuns: ROUNDS,
      examples,
      endOnFailure: true,
    });
    expect(complaints).toEqual([]);
  });
});
