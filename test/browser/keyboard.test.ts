// @module-tag slow
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { accessibilityViolations, openPage } from "./browser.ts";
import { DEMO, openPanel, PHONE, waitForPanel } from "./panel.ts";

describe.runIf(hasChromium)("/painel with the keyboard", () => {
  const focused = (page: Page) =>
    page.evaluate<string>(
      "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()",
    );
  /** Tabs until the element that is wanted has the focus. */
  const tabTo = async (page: Page, name: string | RegExp, key = "Tab") => {
    for (let count = 0; count < 80; count += 1) {
      await page.keyboard.press(key);
      if (new RegExp(name).test(await focused(page))) return;
    }
    throw new Error(`the keyboard does not reach ${name}`);
  };
  const openMenu = async (page: Page) => {
    await page.getByRole("button", { name: /^Menu de/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
  };

  it("begins with a link past the header, to the content (A2)", async () => {
    const { page } = await openPanel("", PHONE);
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Ir para o conteúdo");
    expect((await page.locator(".skip").boundingBox())?.y).toBeLessThan(5);
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("conteudo");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('#conteudo') !== null")).toBe(true);
  });

  it("works with the keyboard alone: sign-in, unit, periods, dates, comparison and tabs (A2)", async () => {
    const { page } = await openPage("/painel");
    await page.keyboard.type(DEMO.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(DEMO.password);
    await page.keyboard.press("Enter");
    await waitForPanel(page);
    await tabTo(page, /^Unidade$/);
    await page.keyboard.press("ArrowDown");
    await page.waitForURL(/\?unidade=\d+$/);
    await tabTo(page, /^7 dias$/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/periodo=7-dias/);
    await tabTo(page, /^Datas$/);
    await page.keyboard.press("Enter");
    await tabTo(page, /^Mês passado$/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/periodo=mes-passado/);
    await expect.poll(() => focused(page)).toBe("Datas");
    await waitForPanel(page);
    await tabTo(page, /^Comparar com$/);
    await page.keyboard.press("ArrowDown");
    await page.waitForURL(/comparar=ano/);
    await waitForPanel(page);
    await tabTo(page, /^Equipe$/, "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/aba=equipe/);
    expect(await focused(page)).toBe("Equipe");
  });

  it("reads a chart with arrow keys, and speaks each value (A2)", async () => {
    const { page } = await openPanel("?periodo=mes-passado");
    const slider = page.getByRole("slider").first();
    const text = () => slider.getAttribute("aria-valuetext");
    await tabTo(page, /^Faturamento acumulado/);
    const last = await text();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(text).not.toBe(last);
    expect(await text()).toMatch(/^Até \d\d\/\d\d: R\$\s[\d.]+,\d\d, antes R\$\s[\d.]+,\d\d$/);
    await page.keyboard.press("Home");
    await expect.poll(text).toMatch(/^Até 01\//);
    expect(await slider.getAttribute("aria-valuenow")).toBe("1");
    expect(await page.locator(".readout").first().textContent()).toBe(await text());
    await page.keyboard.press("End");
    await expect.poll(text).toBe(last);
  });

  it("sorts and opens a table, and moves through the menu, with the keyboard (A2, A13)", async () => {
    const { page } = await openPanel("?periodo=mes-passado&aba=equipe");
    const names = () => page.locator("tbody tr:visible th .name").allTextContents();
    const before = await names();
    await tabTo(page, /^Profissional$/);
    await page.keyboard.press("Enter");
    await expect.poll(names).not.toEqual(before);
    expect(await page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("ascending");
    await tabTo(page, /^Ver todas as/);
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await names()).length).toBeGreaterThan(before.length);
    await openMenu(page);
    await tabTo(page, /^Sessões$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Encerrar todas" }).waitFor();
    expect(await focused(page)).toBe("Sessões");
    await page.keyboard.press("Escape");
    await openMenu(page);
    await tabTo(page, /^Sair$/);
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "Você saiu." }).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("email");
  });

  it.each([
    ["Menu", /^Menu de/],
    ["Datas", /^Datas$/],
  ])("keeps the focus in the sheet %s, and gives it back (A2)", async (title, button) => {
    const { page } = await openPanel("", PHONE);
    const opener = page.getByRole("button", { name: button });
    const dialog = page.getByRole("dialog", { name: title });
    const close = dialog.getByRole("button", { name: "Fechar" });
    for (const leave of [
      () => page.keyboard.press("Escape"),
      () => close.press("Enter"),
      () => close.click(),
    ]) {
      await opener.focus();
      await page.keyboard.press("Enter");
      await dialog.waitFor();
      expect(await focused(page)).toBe(title);
      expect(await accessibilityViolations(page)).toEqual([]);
      for (let count = 0; count < 12; count += 1) {
        await page.keyboard.press("Tab");
        expect(
          await page.evaluate(
            "document.activeElement === document.body || document.activeElement.closest('dialog') !== null",
          ),
        ).toBe(true);
      }
      await leave();
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => focused(page)).toMatch(button);
    }
  });
});
