// @module-tag slow
import { afterAll, describe, expect, it } from "vitest";
import { closeMonth, reopenMonth } from "../../tools/warehouse/closings.ts";
import { hasChromium } from "../support/node/installed.ts";
import { cardOf, DAYS, openPanel, PHONE, plain, today } from "./panel.ts";
import { all, db } from "./warehouse.ts";

const [FROM = "", TO = ""] = DAYS["mes-passado"] ?? [];
const MONTH = FROM.slice(0, 7);
const VIEW = `de=${FROM}&ate=${TO}`;
const UNIT = "103";
const CLOSED = `Fechado em ${today.split("-").reverse().join("/")}`;

afterAll(async () => {
  await db.query("delete from transacoes where salon_id = 'after the closing'");
  // Other files expect that it is closed.
  await closeMonth(db, MONTH);
});

/** The text of the lock on a place, opened if it opens. */
const lockOn = async (search: string) => {
  const { page, complaints } = await openPanel(search, PHONE);
  const lock = page.locator("main .closing").first();
  await lock.waitFor();
  return { page, lock, complaints };
};

describe.runIf(hasChromium)("a closed month in the panel", () => {
  it("has a lock, and says by how much its revenue changed since, with what changed behind it (F2)", async () => {
    await closeMonth(db, MONTH);
    for (const search of [`?${VIEW}`, `?aba=unidades&${VIEW}`, `?aba=unidades&unidade=${UNIT}&${VIEW}`]) {
      const { lock } = await lockOn(search);
      expect([search, plain((await lock.textContent()) ?? "")]).toEqual([search, CLOSED]);
    }
    await all(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
       values ('after the closing', $1, 1234.56, $2, '[]', '{}')`,
      [UNIT, `${FROM}T12:00:00-03:00`],
    );
    const [{ nome }] = await all("select nome from estabelecimentos where salon_id = $1", [UNIT]);
    for (const search of [
      ...[`?${VIEW}`, `?aba=unidades&${VIEW}`, `?aba=unidades&unidade=${UNIT}&${VIEW}`],
      `?aba=mais&parte=pdf&${VIEW}`,
    ]) {
      const { page, lock, complaints } = await lockOn(search);
      const text = `${CLOSED}: mudou +R$ 1.234,56 desde o fechamento`;
      expect([search, plain((await lock.textContent()) ?? "")]).toEqual([search, text]);
      await lock.locator("summary").click();
      await page.getByText("Atendimentos gravados depois do fechamento").waitFor();
      const items = (await lock.locator("li").allInnerTexts()).map(plain);
      expect([search, items]).toEqual([
        search,
        [
          `${nome} +R$ 1.234,56`,
          // Its count is of all units.
          ...(search.includes("unidade=") ? [] : ["Gravados depois: 1 atendimento deste mês."]),
          `${FROM.split("-").reverse().join("/")} · ${nome} R$ 1.234,56`,
        ],
      ]);
      expect(complaints).toEqual([]);
    }
    const { page: months } = await openPanel("?aba=mais&parte=fechamentos", PHONE);
    const [newest] = await cardOf(months, "Meses fechados").getByRole("listitem").all();
    await newest?.getByText("R$").waitFor();
    const month = new Date(FROM).toLocaleDateString("pt-BR", { month: "long", timeZone: "UTC" });
    const year = FROM.slice(0, 4);
    const name = month + (today.startsWith(year) ? "" : ` de ${year}`);
    expect(plain((await newest?.textContent()) ?? "")).toMatch(
      new RegExp(`^${name}${CLOSED}\\+R\\$ 1\\.234,56$`),
    );
    await months.getByRole("link", { name }).click();
    await months.getByText("mudou +R$ 1.234,56 desde o fechamento").waitFor();
    const { page, lock } = await lockOn(`?${VIEW}`);
    await lock.locator("summary").click();
    await lock.getByRole("link", { name: nome }).click();
    await page.waitForURL(new RegExp(`aba=unidades&.*unidade=${UNIT}(&|$)`));
    await page.getByText("mudou +R$ 1.234,56 desde o fechamento").waitFor();
  }, 300_000);

  it("has the lock without a change for another unit, and none for a running month or after a reopening (F2)", async () => {
    const { lock } = await lockOn(`?aba=unidades&unidade=101&${VIEW}`);
    expect(plain((await lock.textContent()) ?? "")).toBe(CLOSED);
    for (const search of ["", `?${VIEW}`]) {
      if (search) await reopenMonth(db, MONTH);
      const { page } = await openPanel(search, PHONE);
      expect([search, await page.locator(".closing").count()]).toEqual([search, 0]);
    }
  });
});
