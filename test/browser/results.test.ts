// @module-tag slow
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import * as figures from "./figures.ts";
import {
  cardOf,
  DAYS,
  money,
  navigate,
  openPanel,
  percent,
  plain,
  rowsOf,
  tableOf,
  textOf,
  today,
} from "./panel.ts";
import * as tables from "./tab-figures.ts";
import { askedOf, earlierOf, type Range, rangeOf } from "./views.ts";
import { addReader, all } from "./warehouse.ts";

const PLACE = "?aba=financeiro&periodo=mes-passado";
/** Last month has no bill without a unit. */
const THIS_YEAR = "?aba=financeiro&periodo=ano";
const NO_UNIT = "Escritório e sem unidade";

/** In centavos; what is no number counts as 0. */
const cents = (text: string) =>
  Number(text.replaceAll(/[^\d−-]/g, "").replace("−", "-")) * (/\d/.test(text) ? 1 : 0);

/** The rows with bills. */
const withBills = (rows: string[][]) => rows.filter(([, , amount = ""]) => cents(amount) !== 0);

/** What the records of a list add up to, on all its pages, in centavos. */
const sumOfList = async (page: Page) => {
  let sum = 0;
  for (;;) {
    for (const row of await rowsOf(page, "Contas")) sum += cents(row[2] ?? "");
    const next = page.getByRole("link", { name: "Próxima" });
    if ((await next.count()) === 0) return sum;
    await navigate(page, new URL((await next.getAttribute("href")) ?? "", "http://panel").search);
  }
};

/** A bill of no unit this year, and one of a unit last month. */
const addBills = () =>
  all(
    `insert into pagamentos_erp (erp_id, id_centro_custo, situacao, valor, data_vencimento, descricao, raw_data)
     select 870000, null, 1, 12.34, $1::date, 'result', '{}'::jsonb
     union all
     select 870001, erp_centro_custo_id::text, 1, 56.78, $2::date, 'result', '{}'::jsonb
     from estabelecimentos where salon_id = '101'`,
    [`${today.slice(0, 4)}-01-01`, DAYS["mes-passado"]?.[0]],
  );

describe.runIf(hasChromium)("what is left, in /painel", () => {
  beforeAll(async () => void (await addBills()));
  afterAll(async () => void (await all("delete from pagamentos_erp where descricao = 'result'")));
  const asked = askedOf("mes-passado");
  const now = rangeOf(asked);

  it("is that of plain SQL by unit and by month, without a margin for stores and the office (R27)", async () => {
    const { page, complaints } = await openPanel(PLACE);
    const rows = await rowsOf(page, "Resultado por unidade");
    expect(rows).toEqual(await tables.resultado({ now }));
    const marginOf = rows.filter(([name = ""]) => name.startsWith("Loja")).map((row) => row.at(-1));
    expect([marginOf.length > 0, new Set(marginOf)]).toEqual([true, new Set(["—"])]);
    const year = now.from.slice(0, 4);
    const to = [`${year}-12-31`, DAYS.hoje?.[0] ?? ""].sort()[0] ?? "";
    expect(await rowsOf(page, "Resultado por mês")).toEqual(
      await tables.resultadoPorMes(rangeOf({ from: `${year}-01-01`, to, unit: "" })),
    );
    expect(complaints).toEqual([]);
  });

  it("is compared with the month before once the month is over, and this month with nothing (R27)", async () => {
    const { page, paths } = await openPanel(PLACE);
    const leftIn = async (range: Range) => (await figures.rowsOfReport("resultado", [], { now: range }))[0];
    const [is, was] = [await leftIn(now), await leftIn(earlierOf(asked, new Date()))];
    const card = cardOf(page, /^Sobra · /);
    expect(plain((await card.locator(".headline").textContent()) ?? "")).toBe(
      plain(`${money(is.resultado)}${figures.delta(is.resultado, was.resultado, money)}`),
    );
    expect(plain((await card.textContent()) ?? "")).toContain(
      `${percent(is.resultado / is.faturamento)} do faturamento`,
    );
    expect(await card.locator("dd .delta").count()).toBe(0);
    paths.length = 0;
    await navigate(page, "?aba=financeiro");
    expect(await page.locator(".delta, select.compare").count()).toBe(0);
    expect(paths.filter((path) => path.includes("comparar="))).toEqual([]);
  });

  it("shows the margin of each unit in the last months in whole per cents, and a loss above the revenue as such (R27)", async () => {
    const { page } = await openPanel(PLACE);
    const year = now.from.slice(0, 4);
    const months = await tableOf(page, "Margem por unidade e mês").locator("thead th").count();
    const to = [`${year}-12-31`, DAYS.hoje?.[0] ?? ""].sort()[0] ?? "";
    const range = rangeOf({ from: `${year}-01-01`, to, unit: "" });
    const { nameOf } = await figures.units();
    const expected = new Map<string, string[]>();
    const all = await figures.rowsOfReport("resultado", ["mes", "unidade"], { now: range });
    const shown = [...new Set(all.map(({ mes }) => mes as string))].sort().slice(-months);
    const known = all.filter(({ margem }) => margem !== null);
    for (const { estabelecimento_id: id, mes, margem } of known)
      if (shown.includes(mes)) {
        const cells = expected.get(nameOf(id)) ?? shown.map(() => "—");
        const percents = Math.round(margem * 100);
        cells[shown.indexOf(mes)] = percents < -99 ? "<−99" : String(percents).replace("-", "−");
        expected.set(nameOf(id), cells);
      }
    const rows = await rowsOf(page, "Margem por unidade e mês");
    expect(new Map(rows.map(([name = "", ...cells]) => [name, cells]))).toEqual(expected);
    expect(rows.length).toBeGreaterThan(3);
  });

  it("leads from each figure of bills to the bills that add up to it (R27)", async () => {
    const { page, complaints } = await openPanel(THIS_YEAR);
    const rows = await rowsOf(page, "Resultado por unidade");
    const links = tableOf(page, "Resultado por unidade").locator("tbody a.bills");
    const bills = withBills(rows);
    const targets = await links.evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
    expect(targets).toHaveLength(bills.length);
    expect(bills.map(([name]) => name)).toContain(NO_UNIT);
    for (const [index, [name, , amount = ""]] of bills.entries()) {
      await navigate(page, new URL(targets[index] ?? "", "http://panel").search);
      expect(await textOf(page, ".records > .more")).toContain(name);
      await page.locator(".records > .more").getByText(amount).waitFor();
      expect([name, await sumOfList(page)]).toEqual([name, cents(amount)]);
    }
    await navigate(page, THIS_YEAR);
    const total = page.locator(".sums a.bills");
    const amount = cents((await total.textContent()) ?? "");
    await navigate(page, new URL((await total.getAttribute("href")) ?? "", "http://panel").search);
    expect([amount > 0, await sumOfList(page)]).toEqual([true, amount]);
    expect(complaints).toEqual([]);
  });

  it("offers a reader of some units the bills of these, and no list of all (A11, R27)", async () => {
    const user = await addReader({ units: ["101", "102", "201"], payments: true });
    const { page, complaints } = await openPanel(PLACE, { user });
    const { nameOf } = await figures.units();
    const names = (await rowsOf(page, "Resultado por unidade")).map(([name]) => name);
    expect(["101", "102", "201"].map(nameOf)).toEqual(expect.arrayContaining(names));
    const links = page.locator("a.bills");
    const ofUnits = tableOf(page, "Resultado por unidade").locator("tbody a.bills");
    const shown = withBills(await rowsOf(page, "Resultado por unidade"));
    expect([shown.length > 0, await links.count(), await ofUnits.count()]).toEqual([
      true,
      shown.length,
      shown.length,
    ]);
    expect(complaints).toEqual([]);
  });
});
