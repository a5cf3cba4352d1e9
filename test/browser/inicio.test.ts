// @module-tag slow
import fc from "fast-check";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { base } from "./browser.ts";
import { figures } from "./figures.ts";
import { expectedInicio, shownInicio } from "./inicio-figures.ts";
import { cardOf, DAYS, navigate, openPanel, PANEL, plain, shifted, today } from "./panel.ts";
import { type Asked, askedOf, comparedParts, earlierOf, type Range } from "./views.ts";

/** Repeats the views of a failure, whose message names its seed. */
const SEED = Number(process.env.PANEL_SEED ?? Date.now() % 1_000_000_000);
const ROUNDS = Number(process.env.PANEL_ROUNDS ?? 25);

describe.runIf(hasChromium)("Início of /painel", () => {
  let units: string[];

  beforeAll(async () => {
    units = (await figures.units()).ids;
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
    const [{ at }] = await figures.all("select data_instant(now()) as at");
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
        ...(await expectedInicio(figures, asked, earlier)),
      });
      const chosen = plain(
        (await page.getByLabel("Comparar com").first().locator("option:checked").textContent()) ?? "",
      );
      const parts = earlier ? comparedParts(earlier) : rule ? ["ainda não há dados deste período"] : [];
      for (const part of parts) expect(chosen).toContain(part);
    };
    await fc.assert(fc.asyncProperty(view, check), { seed: SEED, numRuns: ROUNDS, endOnFailure: true });
    expect(complaints).toEqual([]);
  });

  it("names the unit that fell by most reais, from 5 % and R$ 300 on, and none that closed (A2)", async () => {
    const { page } = await openPanel();
    const [closed = "", large = "", small = ""] = units;
    /** The revenue of the three units, and that of before. */
    let values: [now: number, before: number][] = [];
    await page.route(PANEL, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      for (const unit of body.unidades) unit.ativo = unit.salon_id !== closed;
      body.faturamento_por_unidade.data = [closed, small, large].map((id, index) => ({
        ...body.faturamento_por_unidade.data[0],
        estabelecimento_id: id,
        valor_total: values[index]?.[0],
        anterior: { valor_total: values[index]?.[1] },
      }));
      await route.fulfill({ response, json: body });
    });
    const { nameOf } = await figures.units();
    const fallen = async (from: string, ...of: typeof values) => {
      values = of;
      await navigate(page, `?de=${from}&ate=2026-03-31`);
      const names = await cardOf(page, "Precisa de atenção").locator(".alert strong").allTextContents();
      return names.filter((name) => name.includes(" caiu ")).map(plain);
    };
    // Of closed, small and large: by reais, not by per cent.
    expect(await fallen("2026-03-02", [0, 9000], [0, 400], [4000, 5000])).toEqual([
      `${nameOf(large)} caiu 20,0%`,
    ]);
    expect(await fallen("2026-03-03", [0, 9000], [380, 400], [4800, 5000])).toEqual([
      `${nameOf(small)} caiu 5,0%`,
    ]);
    expect(await fallen("2026-03-04", [0, 9000], [0, 299.99], [7000, 5000])).toEqual([]);
  });

  it("names the due day of entries that should be sent, and no goal of units if some are left out (A2)", async () => {
    const { page } = await openPanel();
    const [unit = ""] = units;
    let until: string | null = null;
    let goals = 1;
    await page.route(PANEL, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      body.frescor.dados_ate = until;
      body.lancamentos_pendentes.totais.lancamentos = 5;
      body.lancamentos_pendentes_antigos = { data: [], totais: { lancamentos: 3, valor_total: 10 } };
      const goal = { estabelecimento_id: unit, mes: "2026-03-01", meta: 1e9 };
      body.metas_por_unidade = { ...body.metas_por_unidade, data: [goal], linhas: goals };
      await route.fulfill({ response, json: body });
    });
    const lines = async (search: string) => {
      await navigate(page, search);
      const all = await cardOf(page, "Precisa de atenção").locator(".alert .what").allTextContents();
      return all.map(plain).filter((line) => /ao salão\d|não bateu/.test(line));
    };
    const { nameOf } = await figures.units();
    const missed = expect.stringContaining(`${nameOf(unit)} não bateu a meta`);
    expect(await lines("?periodo=mes-passado")).toEqual([
      "Não enviados ao salão3 de 5 lançamentos com vencimento até ontem",
      missed,
    ]);
    [until, goals] = [`${shifted(today, -3)}T12:00:00-03:00`, 2];
    const [, month, date] = shifted(today, -4).split("-");
    expect(await lines("?de=2026-03-01&ate=2026-03-31")).toEqual([
      `Não enviados ao salão3 de 5 lançamentos com vencimento até ${date}/${month}`,
    ]);
  });

  it("shows no payments for a unit without a cost centre (R20)", async () => {
    onTestFinished(async () => {
      await figures.all("delete from pagamentos_erp where descricao = 'inicio'");
    });
    await figures.all(
      `insert into pagamentos_erp (erp_id, situacao, valor, data_vencimento, descricao, raw_data)
       values (880100, 1, 10, '2025-03-10', 'inicio', '{}')`,
    );
    const [{ unit }] = await figures.all(
      "select salon_id as unit from estabelecimentos where erp_centro_custo_id is null and salon_id is not null limit 1",
    );
    const { page } = await openPanel(`?unidade=${unit}`);
    const titles = () => cardOf(page, "Precisa de atenção").locator(".alert strong").allTextContents();
    expect(await titles()).not.toContain("Pagamentos vencidos");
    await navigate(page, "");
    expect(await titles()).toContain("Pagamentos vencidos");
  });
});
