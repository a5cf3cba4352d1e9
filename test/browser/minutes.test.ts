// @module-tag slow
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { expireOnce } from "./browser.ts";
import {
  advance,
  failure,
  headline,
  installClockAt,
  navigate,
  openPanel,
  openWithClock,
  PANEL,
  refuse,
  setHidden,
  signIn,
  stale,
  today,
  waitForPanel,
} from "./panel.ts";

/** Over, and no month that could be closed. */
const LAST_WEEK = "?periodo=semana-passada";
const UNCHANGED = ["/v1/relatorios/painel 304"];

describe.runIf(hasChromium)("/painel, as time passes", () => {
  const beforeAnHour = (page: Page) => installClockAt(page, `${today}T12:58:00-03:00`);
  it("requests once a minute, and gets 304 while nothing changes (A2)", async () => {
    const { advance } = await openWithClock(LAST_WEEK);
    expect(await advance(50)).toEqual([]);
    expect(await advance(12)).toEqual(UNCHANGED);
    expect(await advance(50)).toEqual([]);
    expect(await advance(12)).toEqual(UNCHANGED);
  });

  it("requests nothing while it is hidden, also as an hour passes, and once when it is shown again (A2)", async () => {
    const { page, paths } = await openPanel("?periodo=hoje", { prepare: beforeAnHour });
    const advanceBy = advance(page);
    paths.length = 0;
    await setHidden(page, true);
    await advanceBy(400);
    expect(paths).toEqual([]);
    await setHidden(page, false);
    await advanceBy(2);
    await advanceBy(30);
    expect(paths).toHaveLength(1);
    expect(paths[0]).toContain("T13%3A59");
  });

  it("stops automatic requests while the remaining quota is low (A2)", async () => {
    const { page, advance, paths } = await openWithClock(LAST_WEEK);
    const limited = async (route: Parameters<Parameters<Page["route"]>[1]>[0]) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), ratelimit: '"global";r=3;t=300' } });
    };
    await page.route(PANEL, limited, { times: 1 });
    expect(await advance(61)).toEqual(UNCHANGED);
    expect(await advance(290)).toEqual([]);
    expect(await advance(20)).toEqual(UNCHANGED);
    await page.route(PANEL, limited, { times: 1 });
    expect(await advance(61)).toEqual(UNCHANGED);
    paths.length = 0;
    await navigate(page, "?periodo=ano");
    expect(paths).toHaveLength(1);
  });

  it("renews a token once, without a notice, when it has expired or is about to (A2)", async () => {
    const { page, advance } = await openWithClock(LAST_WEEK);
    await expireOnce(page, PANEL);
    expect(await advance(61)).toEqual([
      "/auth/refresh 200",
      "/v1/relatorios/painel 304",
      "/v1/relatorios/painel 401",
    ]);
    expect(await stale(page).count()).toBe(0);
    const statuses: string[] = [];
    for (let minute = 0; minute < 15; minute += 1) statuses.push(...(await advance(60)));
    expect(statuses.filter((one) => one.endsWith(" 401"))).toEqual([]);
    expect(statuses.filter((one) => one.startsWith("/auth"))).toEqual(["/auth/refresh 200"]);
  });

  it("returns to the sign-in when the session has ended, and keeps the URL (A2)", async () => {
    const search = `${LAST_WEEK}&unidade=101`;
    const { page } = await openWithClock(search);
    const before = await headline(page);
    await page.route("**/auth/refresh", refuse(401));
    await expireOnce(page, PANEL);
    await page.clock.runFor(61_000);
    await page.getByRole("alert").filter({ hasText: "Sua sessão expirou." }).waitFor();
    expect(await page.locator("#content").textContent()).toBe("");
    await page.unroute("**/auth/refresh");
    await signIn(page);
    await waitForPanel(page);
    expect(new URL(page.url()).search).toBe(search);
    expect(await headline(page)).toBe(before);
  });

  it.each([
    ["an hour", "12:58", "13%3A59"],
    ["a day", "23:58", "T00%3A59"],
  ])("shows today's view of now after %s has passed (R10)", async (_, start, end) => {
    const prepare = (page: Page) => installClockAt(page, `${today}T${start}:00-03:00`);
    const { page, paths } = await openPanel("?periodo=hoje", { prepare });
    paths.length = 0;
    const asked = page.waitForRequest(
      (request) => /painel\?.*data_fim=/.test(request.url()) && request.url().includes(end),
    );
    await advance(page)(183);
    await asked;
    expect(await failure(page).allTextContents()).toEqual([]);
  });
});
