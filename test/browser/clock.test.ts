// @module-tag slow
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { installFakeClock, openPage } from "./browser.ts";
import {
  advance,
  afterNoon,
  cardOf,
  installClock,
  navigate,
  openPanel,
  PANEL,
  placesOf,
  plain,
  setServiceClock,
  shifted,
  today,
} from "./panel.ts";

const VIEWS = ["", "periodo=hoje", "periodo=7-dias", "periodo=mes-passado", "periodo=ano", "comparar=ano"];
const PLACES = [...placesOf(), ...VIEWS.map((view) => `?${view}`)];

describe.runIf(hasChromium)("/painel on a device with a wrong clock", () => {
  /** Opens the panel after noon by the service's clock. @param days how many the device's clock is ahead */
  const openAhead = (days: number, timezoneId = "America/Sao_Paulo") =>
    openPanel("", {
      timezoneId,
      prepare: async (page) => {
        await setServiceClock(page, afterNoon(today));
        await installFakeClock(page, afterNoon(shifted(today, days)));
      },
    });
  /** All texts of the panel, without minutes, which pass. */
  const textsOf = async (page: Page) =>
    plain((await page.locator("#content").textContent()) ?? "")
      .replaceAll(/\d\d[:h]\d\d/g, "–")
      .replaceAll(/há \d+ min/g, "há –");

  it("asks and says the same as on a right one, 5 days ahead and 40 days behind (A2)", async () => {
    const right = await openAhead(0);
    const wrong = [await openAhead(5, "Asia/Tokyo"), await openAhead(-40, "America/Los_Angeles")];
    for (const place of PLACES) {
      await Promise.all([right, ...wrong].map(({ page }) => navigate(page, place)));
      // Each page may be drawing something yet.
      const differingTexts = async (page: Page) => {
        const texts = await Promise.all([textsOf(right.page), textsOf(page)]);
        return texts[0] === texts[1] ? [] : [place, ...texts];
      };
      for (const { page } of wrong) await expect.poll(() => differingTexts(page)).toEqual([]);
    }
    const asked = (paths: string[]) => [...new Set(paths)].sort();
    for (const { paths } of wrong) expect(asked(paths)).toEqual(asked(right.paths));
    expect(right.paths.length).toBeGreaterThan(20);
  }, 240_000);

  it("says of a session that it began today, five days ahead (A2)", async () => {
    const { page } = await openAhead(5);
    await page.getByRole("button", { name: /^Menu de/ }).click();
    await page.getByRole("button", { name: "Sessões" }).click();
    await page
      .getByRole("list", { name: "Sessões" })
      .getByText(/Entrou hoje às/)
      .first()
      .waitFor();
  });

  it("goes on with the same day, and requests on time, when the clock is set meanwhile (A2)", async () => {
    const { page, paths } = await openAhead(0);
    const before = await textsOf(page);
    const advanceBy = advance(page);
    paths.length = 0;
    await page.clock.setSystemTime(afterNoon(shifted(today, 5)));
    await advanceBy(50);
    expect(paths).toEqual([]);
    await advanceBy(12);
    expect(paths).toHaveLength(1);
    expect(await textsOf(page)).toBe(before);
    await page.clock.setSystemTime(afterNoon(shifted(today, -5)));
    await advanceBy(62);
    expect(paths).toHaveLength(2);
    expect(await textsOf(page)).toBe(before);
  });

  it("turns to the next day with an answer that says so (A2)", async () => {
    const { page, paths } = await openPanel("?periodo=hoje", {
      prepare: installClock,
    });
    const next = shifted(today, 1);
    await page.route(PANEL, async (route) => {
      const response = await route.fetch({ headers: { ...route.request().headers(), "if-none-match": "" } });
      const body = await response.json();
      body.frescor.agora = new Date(Date.parse(body.frescor.agora) + 86_400_000).toISOString();
      await route.fulfill({ response, json: body });
    });
    const asked = page.waitForRequest((request) => request.url().includes(`data_inicio=${next}`));
    await page.clock.runFor(61_000);
    await asked;
    expect(paths.at(-1)).toContain(next);
  });

  it("opens in a browser that writes dates in another order (A2)", async () => {
    const { page, complaints } = await openPanel("?periodo=hoje", {
      prepare: async (page) => {
        await page.addInitScript(() => {
          const all = Intl.DateTimeFormat.prototype;
          const own = Object.getOwnPropertyDescriptor(all, "format")?.get;
          Object.defineProperty(all, "format", {
            get(this: Intl.DateTimeFormat) {
              const { locale, timeZone } = this.resolvedOptions();
              if (!locale.startsWith("en")) return own?.call(this);
              return (at: number | Date) => new Date(at).toLocaleString("en-US", { timeZone });
            },
          });
        });
      },
    });
    await cardOf(page, /^Faturamento/)
      .first()
      .locator(".figure")
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("is not translated by the browser, which would keep old texts (A2)", async () => {
    const { page } = await openPage("/painel");
    expect(await page.getAttribute("html", "translate")).toBe("no");
  });
});
