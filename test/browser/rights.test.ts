// @module-tag slow
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { limitUser, type NamedRights } from "../../tools/rights.ts";
import { addUser } from "../../tools/user-changes.ts";
import { hasChromium } from "../support/node/installed.ts";
import { type Opened, openBrowser } from "./browser.ts";
import { signIn, waitForPanel } from "./panel.ts";

describe.runIf(hasChromium)("/painel of a user with fewer rights (A11)", () => {
  let opened: Opened;
  let db: pg.Client;
  beforeAll(async () => {
    opened = await openBrowser();
    db = new pg.Client({ connectionString: inject("postgresUrl") });
    await db.connect();
  }, 120_000);
  afterAll(async () => {
    await opened?.close();
    await db?.query("delete from users where email like 'limited-%'");
    await db?.end();
  });

  let count = 0;
  const openAs = async (rights: NamedRights, search = "") => {
    count += 1;
    const user = { email: `limited-${count}@example.com`, name: "Limited", password: "limited-password" };
    await addUser(db, user);
    await limitUser(db, user.email, rights);
    const { page, complaints } = await opened.open(`/painel${search}`);
    const paths: string[] = [];
    page.on("request", (request) =>
      paths.push(new URL(request.url()).pathname + new URL(request.url()).search),
    );
    await signIn(page, user);
    await waitForPanel(page);
    const options = await page.locator("#unit option").allTextContents();
    return { page, complaints, options, paths, user };
  };

  it.each(["", "?unidade=102&periodo=ano"])(
    "shows a manager their unit and no others, even with the link %j (A11)",
    async (search) => {
      const { page, complaints, options, paths } = await openAs({ units: ["101"], payments: false }, search);
      await expect.poll(() => page.locator("#unit option").count()).toBe(1);
      expect(options.join()).not.toMatch(/Todas/);
      const name = (await db.query("select nome from estabelecimentos where salon_id = '101'")).rows[0].nome;
      expect(await page.locator("#of-unit").textContent()).toContain(name);
      expect(await page.locator("section:has(#units)").isVisible()).toBe(false);
      expect(paths.filter((path) => path.includes("estabelecimento_id=102"))).toEqual([]);
      expect(complaints).toEqual([]);
      await opened.shoot(page, "painel-manager", true);
    },
  );

  it("shows several units, and all of them together (A11)", async () => {
    const { page, complaints } = await openAs({ units: ["101", "102"] });
    await expect.poll(() => page.locator("#unit option").count()).toBe(3);
    expect(await page.locator("#unit option").first().textContent()).toBe("Todas as suas unidades");
    expect(await page.locator("#of-unit").textContent()).toBe("Todas as suas unidades");
    const names = (await db.query("select nome from estabelecimentos where salon_id in ('101', '102')")).rows;
    const rows = await page.locator("#units tbody tr").allTextContents();
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(names.some(({ nome }) => row.includes(nome))).toBe(true);
    expect(await page.locator("section:has(#units)").isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("shows the manager of a store its sales, and no payments (A11)", async () => {
    const { page, complaints, paths } = await openAs(
      { units: ["202"], payments: false },
      "?periodo=mes-passado",
    );
    await page.locator("#sold .figure").waitFor();
    expect(await page.locator("#value .figure").textContent()).not.toContain("R$\u00a00,00");
    for (const id of ["visits", "sent", "units", "clients", "payments"])
      expect([id, await page.locator(`section:has(#${id})`).isVisible()]).toEqual([id, false]);
    expect(paths.filter((path) => path.includes("pagamentos"))).toEqual([]);
    expect(complaints).toEqual([]);
    await opened.shoot(page, "painel-store", true);
  });

  it("lists visits without clients for a user without personal data (A11)", async () => {
    const { page, complaints, paths } = await openAs({ personalData: false }, "?periodo=ano&lista=pendentes");
    await page.locator("#record-table tbody tr").first().waitFor();
    expect(await page.locator("#record-table thead").textContent()).not.toContain("Cliente");
    expect(await page.locator("#record-table").textContent()).not.toContain("não informado");
    expect(paths.filter((path) => path.includes("cliente_nome"))).toEqual([]);
    expect(complaints).toEqual([]);
    await opened.shoot(page, "painel-auditor-list", true);
  });

  it("opens no list of a unit outside the user's, nor of a day that does not exist (A11)", async () => {
    const list = "?lista=atendimentos&lista-de=2026-02-31&lista-unidade=102";
    const { page, paths } = await openAs({ units: ["101"] }, list);
    await page.locator("#record-table [role=status]").waitFor();
    const path = paths.find((one) => one.startsWith("/v1/transacoes?")) ?? "";
    expect(path).toContain("data_inicio=");
    expect(path).not.toContain("estabelecimento_id=102");
    expect(path).not.toContain("02-31");
  });

  it("opens the installed app without the unit that somebody else chose in this browser (A11, A12)", async () => {
    const { page, user } = await openAs({ units: ["101", "102"] });
    await page.evaluate("localStorage.setItem('painel.unidade', '103')");
    await page.goto(`${opened.base}/painel?inicio=app`);
    await signIn(page, user);
    await waitForPanel(page);
    expect(await page.locator("#notice").isHidden()).toBe(true);
    expect(new URL(page.url()).search).toBe("");
  });
});
