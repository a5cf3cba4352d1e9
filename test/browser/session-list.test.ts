// @module-tag slow
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { expireOnce, openPage, shoot } from "./browser.ts";
import { goTo, setServiceClock, waitForPanel } from "./panel.ts";
import { expectForm, expectSignedIn, openMenu, ownReader, signInAs } from "./staying.ts";

describe.runIf(hasChromium)("the sessions of a user", () => {
  const own = ownReader();

  const signIn = (page: Page, keep: boolean, user = own.email) => signInAs(page, user, keep);

  const listOf = (page: Page) => page.getByRole("list", { name: "Sessões" }).getByRole("listitem");
  const openSessions = async (page: Page) => {
    await openMenu(page);
    await page.getByRole("button", { name: "Sessões" }).click();
  };
  const endAll = (page: Page) => page.getByRole("button", { name: "Encerrar todas" });

  it("lists the sessions, ends one, and ends all of them (A13)", async () => {
    const { page, complaints } = await openPage("/painel");
    await signIn(page, true);
    const lost = (await openPage("/painel")).page;
    await signIn(lost, false);
    await waitForPanel(lost);
    await openSessions(page);
    const rows = listOf(page);
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.locator(".what").allTextContents()).toEqual([
      expect.stringMatching(/^Chrome no LinuxEntrou hoje às \d\d:\d\d · só até fechar a página$/),
      expect.stringMatching(/^Chrome no Linux.?este aparelhoEntrou hoje às \d\d:\d\d · fica conectado$/),
    ]);
    await shoot(page, "painel-sessions");
    await page.setViewportSize({ width: 390, height: 844 });
    await shoot(page, "painel-sessions-phone");
    await rows
      .first()
      .getByRole("button", { name: /^Encerrar Chrome no Linux, hoje às/ })
      .click();
    await expect.poll(() => rows.count()).toBe(1);
    await page
      .getByRole("status")
      .filter({ hasText: /^Sessão encerrada\.$/ })
      .waitFor();
    // It shows at the next renewal of the session that was ended.
    await expireOnce(lost, "**/v1/**");
    await goTo(lost, "?periodo=hoje");
    await expectForm(lost, /Sua sessão expirou/);
    await endAll(page).click();
    await page.getByText("Encerrar todas as sessões, inclusive esta?").waitFor();
    await shoot(page, "painel-sessions-confirm-phone");
    await endAll(page).click();
    await expectForm(page, /^Você saiu\.$/);
    await page.reload();
    await expectForm(page, /^$/);
    expect(complaints).toEqual([]);
  });

  it("ends no session by Enter in the menu or the list, however often it is pressed (A13)", async () => {
    const { page } = await openPage("/painel");
    await signIn(page, true);
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    const press = (key: string) => page.keyboard.press(key);
    await page.getByRole("button", { name: /^Menu de / }).focus();
    // The second reaches the open dialog.
    for (let i = 0; i < 3; i += 1) await press("Enter");
    await expect.poll(focused).toBe("Menu");
    await page.getByRole("button", { name: "Sessões" }).focus();
    for (let i = 0; i < 3; i += 1) await press("Enter");
    await expect.poll(focused).toBe("Sessões");
    await listOf(page).first().waitFor();
    await endAll(page).focus();
    await press("Enter");
    await expect.poll(focused).toBe("Cancelar");
    expect(await endAll(page).count()).toBe(1);
    await press("Enter");
    await expect.poll(focused).toBe("Encerrar todas");
    // An open question does not wait for the next time.
    await press("Enter");
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await openSessions(page);
    await expect.poll(focused).toBe("Sessões");
    await listOf(page).first().waitFor();
    expect([await page.locator(".question").count(), await listOf(page).count()]).toEqual([0, 1]);
    await page.getByRole("button", { name: "Fechar" }).click();
    await page.reload();
    await expectSignedIn(page, own.email);
  });

  it("names an assistant, and a session whose device is unknown (A13)", async () => {
    const { page } = await openPage("/painel");
    const session = {
      id: "0",
      started_at: "2026-11-20T12:00:00.000Z",
      renewed_at: "2026-11-20T12:30:00.000Z",
      expires_at: "2026-11-27T12:00:00.000Z",
      kind: "oauth",
      client: "claude.ai",
      device: "Safari no iPhone",
      current: false,
    };
    const data = [
      session,
      { ...session, device: null },
      { ...session, kind: "api", client: null, device: null, renewed_at: session.started_at },
    ];
    await page.route("**/auth/sessions", (route) => route.fulfill({ json: { data } }));
    await setServiceClock(page, "2026-11-21T12:00:00-03:00");
    await page.reload();
    await signIn(page, false);
    await openSessions(page);
    const rows = listOf(page);
    await expect.poll(() => rows.count()).toBe(3);
    const when = "Entrou ontem às 09:00, usada ontem às 09:30";
    expect(await rows.locator(".what").allTextContents()).toEqual([
      `Assistente claude.ai${when} · autorizado por Safari no iPhone`,
      `Assistente claude.ai${when} · autorizado por você`,
      "Aparelho desconhecidoEntrou ontem às 09:00 · só até fechar a página",
    ]);
    const names = await rows.getByRole("button").evaluateAll((all) => all.map((one) => one.ariaLabel));
    expect(names[0]).toBe("Encerrar Assistente claude.ai, ontem às 09:00");
    await shoot(page, "painel-sessions-assistants");
  });
});
