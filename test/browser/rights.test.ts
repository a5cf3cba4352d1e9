// @module-tag slow
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { NamedRights } from "../../tools/operate/rights.ts";
import { hasChromium } from "../support/node/installed.ts";
import { base, shoot } from "./browser.ts";
import { cardOf, headline, navigate, openPanel, signIn, tableOf, waitForPanel } from "./panel.ts";
import { addReader, db } from "./warehouse.ts";

describe.runIf(hasChromium)("/painel of a user with fewer rights (A11)", () => {
  const openAs = async (rights: NamedRights, search = "") => {
    const user = await addReader(rights);
    return { ...(await openPanel(search, { user })), user };
  };

  const unitsIn = (page: Page) => page.getByLabel("Unidade", { exact: true }).locator("option");
  const nameOf = async (id: string): Promise<string> =>
    (await db.query("select nome from estabelecimentos where salon_id = $1", [id])).rows[0].nome;
  /** The tabs, and the parts that show units, clients or payments. */
  const PLACES = [
    "?aba=unidades",
    "?aba=equipe",
    "?aba=financeiro",
    "?aba=financeiro&parte=envio",
    "?aba=financeiro&parte=pessoas",
    "?aba=mais&parte=clientes",
    "?aba=mais&parte=sem-centro",
  ];

  it.each(["", "?unidade=102&periodo=ano"])(
    "shows a manager their unit and no others, even with the link %j (A11)",
    async (search) => {
      const { page, complaints, paths } = await openAs({ units: ["101"], payments: false }, search);
      const said = page
        .locator("#notice:visible")
        .filter({ hasText: "Você não tem acesso à unidade do link." });
      if (search) await said.waitFor();
      const name = await nameOf("101");
      expect(await unitsIn(page).allTextContents()).toEqual([name]);
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain(name);
      expect(await cardOf(page, "Unidades").count()).toBe(0);
      await shoot(page, "painel-manager", true);
      const others = (await db.query("select nome from estabelecimentos where salon_id <> '101'")).rows;
      for (const place of PLACES) {
        await navigate(page, `${place}${search.replace("?", "&")}`);
        const text = (await page.locator("body").textContent()) ?? "";
        for (const { nome } of others) expect([place, text.includes(nome)]).toEqual([place, false]);
      }
      expect(paths.filter((path) => path.includes("estabelecimento_id=102"))).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  const LIMITED: [NamedRights, string][] = [
    [{ units: ["101", "102"], payments: false }, "Sua conta mostra %, sem pagamentos."],
    [{ personalData: false, payments: true }, "Sua conta mostra todas as unidades, sem dados pessoais."],
    [{}, ""],
  ];
  it.each(LIMITED)(
    "says on Início and in the menu what the account shows: %j (A2, A11)",
    async (rights, text) => {
      const { page } = await openAs(rights);
      const units = [await nameOf("101"), await nameOf("102")].join(", ");
      const said = (within: string) =>
        page
          .locator(within)
          .getByText(/^Sua conta mostra/)
          .allTextContents();
      const expected = text ? [text.replace("%", units)] : [];
      expect(await said("#conteudo")).toEqual(expected);
      await page.getByRole("button", { name: /^Menu de/ }).click();
      expect(await said("dialog")).toEqual(expected);
    },
  );

  it("shows several units, and all of them together (A11)", async () => {
    const { page, complaints } = await openAs({ units: ["101", "102"] }, "?periodo=ano");
    const names = [await nameOf("101"), await nameOf("102")];
    const options = await unitsIn(page).allTextContents();
    expect([options[0], options.slice(1).toSorted()]).toEqual(["Todas as suas unidades", names.toSorted()]);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("Todas as suas unidades");
    const shown = await cardOf(page, "Unidades").locator(".name").allTextContents();
    expect(shown.toSorted()).toEqual(names.toSorted());
    await navigate(page, "?aba=unidades&periodo=ano");
    const rows = await page.locator("#conteudo tbody tr").allTextContents();
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) expect(names.some((name) => row.includes(name))).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("shows the manager of a store its sales, and no payments (A11)", async () => {
    const { page, complaints, paths } = await openAs(
      { units: ["202"], payments: false },
      "?periodo=mes-passado",
    );
    expect(await headline(page)).not.toBe("R$ 0,00");
    await shoot(page, "painel-store", true);
    expect(await page.getByText(/Pagamentos vencidos/).count()).toBe(0);
    await navigate(page, "?aba=financeiro");
    const parts = page.getByRole("navigation", { name: "Partes de Financeiro" }).getByRole("link");
    expect(await parts.allTextContents()).toEqual(["Taxas", "Envio", "Pessoas"]);
    // The address of a part, or of a list, that somebody else sent.
    for (const place of ["?aba=financeiro&parte=contas", "?aba=financeiro&lista=vencidos"]) {
      await navigate(page, place);
      await page.getByText("Você não tem acesso aos pagamentos.").waitFor();
    }
    expect(paths.filter((path) => /pagamentos/.test(path))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("lists visits without clients for a user without personal data (A11)", async () => {
    const { page, complaints, paths } = await openAs({ personalData: false }, "?periodo=ano&lista=pendentes");
    const table = tableOf(page, "Atendimentos não enviados ao ERP");
    await table.locator("tbody tr").first().waitFor();
    expect(await table.textContent()).not.toMatch(/Cliente|não informado/);
    await shoot(page, "painel-auditor-list", true);
    await navigate(page, "?periodo=ano&lista=vendas");
    expect(await page.getByRole("columnheader").allTextContents()).not.toContain("Cliente");
    for (const place of PLACES) await navigate(page, place);
    await navigate(page, "?aba=financeiro&parte=pessoas");
    expect(await page.getByText("Você não tem acesso aos nomes das pessoas.").count()).toBe(1);
    expect(paths.filter((path) => /cliente_nome|por=cliente|descricao/.test(path))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("opens no list of a unit outside the user's, nor of a day that does not exist (A11)", async () => {
    const list = "?lista=atendimentos&lista-de=2026-02-31&lista-unidade=102";
    const { paths } = await openAs({ units: ["101"] }, list);
    const path = paths.find((one) => one.startsWith("/v1/transacoes?")) ?? "";
    expect(path).toContain("data_inicio=");
    expect(path).not.toContain("estabelecimento_id=102");
    expect(path).not.toContain("02-31");
  });

  it("opens the installed app without the unit that somebody else chose in this browser (A11, A12)", async () => {
    const { page, user } = await openAs({ units: ["101", "102"] });
    await page.evaluate("localStorage.setItem('painel.unidade', '103')");
    await page.goto(`${base}/painel?inicio=app`);
    await signIn(page, user);
    await page.waitForURL(`${base}/painel`);
    await waitForPanel(page);
    expect(await page.locator("#notice").isHidden()).toBe(true);
  });
});
