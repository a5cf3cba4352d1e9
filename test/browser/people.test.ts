// @module-tag slow
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import * as clients from "./client-figures.ts";
import * as figures from "./figures.ts";
import { dateOf, delta, share } from "./figures.ts";
import {
  cardOf,
  count,
  money,
  navigate,
  openPanel,
  PHONE,
  plain,
  rowsOf,
  shifted,
  tableOf,
  today,
  waitForPanel,
} from "./panel.ts";
import { addPeople, BOUGHT, PERSON, removePeople } from "./people-rows.ts";
import { expectedPerson } from "./person-figures.ts";
import { askedOf, brasilia, daysBetween, earlierOf, monthsBefore, rangeOf } from "./views.ts";
import { addReader, all } from "./warehouse.ts";

describe.runIf(hasChromium)("the pages of people and clients in /painel", () => {
  const textsIn = async (page: Page, selector: string) =>
    (await page.locator(selector).allTextContents()).map(plain);
  const asked = (unit = "") => askedOf("mes-passado", unit);
  const ranges = (unit = "") => ({ now: rangeOf(asked(unit)), earlier: earlierOf(asked(unit), new Date()) });
  const year = today.slice(0, 4);

  beforeAll(() => addPeople());
  afterAll(() => removePeople());

  it.each(["", "101"])(
    "show what a professional produced, whether that is usual, and whose clients come back: %j (R20, R23, R26)",
    async (unit) => {
      const [row] = (await figures.people(ranges(unit))).filter(
        ({ profissional_salon_id: id }) => id === PERSON,
      );
      const { page, complaints, paths } = await openPanel("?aba=mais");
      paths.length = 0;
      const place = `?aba=equipe&parte=pessoa&pessoa=${PERSON}&periodo=mes-passado`;
      await navigate(page, place + (unit && `&unidade=${unit}`));
      expect(paths.filter((path) => path.startsWith("/v1/relatorios/"))).toHaveLength(3);
      const { total, own, all: everybody, services, units } = await expectedPerson(ranges(unit), PERSON);
      const before = total.anterior;
      expect(await textsIn(page, ".profile-head h2")).toEqual([row?.name]);
      expect(await textsIn(page, ".headline .figure")).toEqual([money(total.valor_total)]);
      expect(await textsIn(page, ".headline .delta")).toEqual([
        delta(total.valor_total, before.valor_total, money),
      ]);
      const average = (row: { valor_total: number; servicos: number }) =>
        row.servicos ? Math.round((100 * row.valor_total) / row.servicos) / 100 : null;
      expect(await textsIn(page, ".kpi .figure")).toEqual([
        count(total.servicos),
        total.servicos ? money(average(total) ?? 0) : "—",
      ]);
      expect(await textsIn(page, ".kpi .delta")).toEqual([
        delta(total.servicos, before.servicos, count),
        delta(average(total), average(before), money),
      ]);
      expect(plain((await cardOf(page, "Por mês").locator(".actions").textContent()) ?? "")).toBe(
        `${year} até hoje ${money(own.valor_total)}`,
      );
      const returned = plain((await cardOf(page, "Clientes que voltam").textContent()) ?? "");
      if (own.decididas === 0) expect(returned).toContain("completou 60 dias");
      else {
        expect(returned).toContain(share(own.voltaram, own.decididas));
        expect(returned).toContain(`${count(own.voltaram)} de ${count(own.decididas)} atendimento`);
      }
      expect(returned).toContain(`média de toda a equipe, ${share(everybody.voltaram, everybody.decididas)}`);
      const sorted = (rows: string[][]) => rows.map((row) => row.join(" ")).sort();
      expect(sorted(await rowsOf(page, "Serviços da pessoa"))).toEqual(sorted(services));
      expect(sorted(await rowsOf(page, "Unidades da pessoa"))).toEqual(sorted(units));
      expect(complaints).toEqual([]);
    },
  );

  it("draw this year's months beside those of the last one (R20)", async () => {
    const { page } = await openPanel(`?aba=equipe&parte=pessoa&pessoa=${PERSON}`);
    const chart = page.getByRole("slider", { name: /^Produção por mês/ });
    const last = String(Number(year) - 1);
    const now = {
      from: `${last}-01-01T00:00:00-03:00`,
      to: rangeOf({ from: today, to: today, unit: "" }).to,
    };
    const rows = await figures.rowsOfReport(
      "servicos",
      ["mes"],
      { now: { ...now, unit: "" } },
      { medidas: ["valor_total"], filters: { profissional_salon_id: PERSON } },
    );
    const producedIn = (month: string) => rows.find(({ mes }) => mes === month)?.valor_total ?? 0;
    await chart.focus();
    await page.keyboard.press("Home");
    await expect
      .poll(async () => plain((await chart.getAttribute("aria-valuetext")) ?? ""))
      .toBe(
        `janeiro${today.slice(5, 7) === "01" ? ", até hoje" : ""}: ${money(producedIn(`${year}-01-01`))}, em ${last} ${money(producedIn(`${last}-01-01`))}`,
      );
    // Months to come have no bar of this year.
    expect(await page.locator(".pair-bar .now").count()).toBe(Number(today.slice(5, 7)));
    expect(await page.locator(".pair-bar .before").count()).toBe(12);
    expect(await page.locator(".pair-bar .running").count()).toBe(1);
  });

  it("open from the whole row of a name, and lead back to it (A2)", async () => {
    const { page } = await openPanel("?aba=equipe&periodo=mes-passado", PHONE);
    const row = page.locator("tbody tr").nth(4);
    const name = plain((await row.locator(".name").textContent()) ?? "");
    expect((await row.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await row.locator("td.main").first().tap({ force: true });
    await page.waitForURL(/[?&]pessoa=\d+/);
    await expect.poll(() => textsIn(page, ".profile-head h2")).toEqual([name]);
    await page.locator(".back a").tap();
    await page.waitForURL(/aba=equipe&periodo=mes-passado$/);
    await row.waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe(name);
  });

  it("are linked by the names on Início, in lists and in reports, and by no name of a person without an id (A2)", async () => {
    const { page } = await openPanel("?periodo=mes-passado");
    const linksIn = (within: string) =>
      page
        .locator(`#conteudo ${within} a`)
        .evaluateAll((links) => links.map((link) => new URL((link as { href?: string }).href ?? "").search));
    expect(await linksIn(".people li")).toHaveLength(3);
    for (const [search, within, parameter] of [
      ["?aba=equipe&periodo=mes-passado", "tbody th", "pessoa"],
      ["?aba=mais&parte=sem-centro&periodo=mes-passado", "tbody th", "pessoa"],
      ["?aba=mais&parte=clientes&periodo=mes-passado", "tbody th", "cliente"],
      ["?lista=atendimentos&periodo=mes-passado", "tbody th", "cliente"],
      ["?lista=vendas&periodo=mes-passado", "tbody td", "cliente"],
    ] as const) {
      await navigate(page, search);
      const links = await linksIn(within);
      expect([search, links.length > 0]).toEqual([search, true]);
      for (const link of links) expect(new URLSearchParams(link).get(parameter)).toMatch(/^[\w-]+$/);
    }
    await navigate(page, "?aba=equipe&periodo=mes-passado");
    const unknown = page.locator("tbody tr").filter({ hasText: "Profissional não identificado" });
    expect([await unknown.count(), await unknown.locator("a").count()]).toEqual([1, 0]);
  });

  it("show what a client spent, their last visit, services and professionals by plain SQL, and no name in the URL (A2)", async () => {
    const [lost] = await clients.lostClients({ now: { from: "", to: "", unit: "" } });
    const { page, complaints, paths } = await openPanel("?aba=mais&parte=assiduos");
    paths.length = 0;
    await page.getByRole("link", { name: lost?.[0] ?? "", exact: true }).click();
    await page.waitForURL(/parte=cliente&cliente=[\w-]+$/);
    await page.locator(".profile-head").waitFor();
    await waitForPanel(page);
    expect(paths.filter((path) => path.startsWith("/v1/relatorios/")).length).toBeLessThanOrEqual(3);
    const id = new URL(page.url()).searchParams.get("cliente") ?? "";
    const since = monthsBefore(`${today.slice(0, 8)}01`, 11);
    const visits = await all(
      `select *, total::float as value, data_hora::text as at from transacoes
       where cliente_salon_id = $1 and data_hora >= $2::timestamptz order by data_hora desc, id desc`,
      [id, `${since}T00:00:00-03:00`],
    );
    const total = visits.reduce((sum, { value }) => sum + Math.round(100 * value), 0) / 100;
    expect(await textsIn(page, ".headline .figure")).toEqual([money(total)]);
    const days = visits.map(({ at }) => brasilia(at).slice(0, 10));
    const away = daysBetween(days[0] ?? "", today) - 1;
    expect((await textsIn(page, ".lost"))[0]).toBe(`Sem atendimento há ${away} dias`);
    expect(await textsIn(page, ".kpi .figure")).toEqual([
      count(visits.length),
      money(Math.round((100 * total) / visits.length) / 100),
    ]);
    const months = new Set(days.map((day) => day.slice(0, 7))).size;
    expect((await textsIn(page, ".kpi .more"))[0]).toMatch(new RegExp(`^em ${months} m`));
    const shown = await rowsOf(page, "Atendimentos do cliente");
    expect(shown.map(([day, value]) => [day?.slice(0, 10), value])).toEqual(
      visits.map(({ value }, index) => [dateOf(days[index] ?? ""), money(value)]),
    );
    const counted = async (key: string) => {
      const rows = await all(
        `select coalesce(service ->> $3, 'id ' || (service ->> 'idProfissionalQueRealizouServico')) as name, count(*)::int as times
         from transacoes cross join jsonb_array_elements(servicos) as service
         where cliente_salon_id = $1 and data_hora >= $2::timestamptz group by 1`,
        [id, `${since}T00:00:00-03:00`, key],
      );
      return rows.map(({ times }) => times as number).sort((a, b) => b - a);
    };
    const times = async (caption: string) =>
      (await rowsOf(page, caption)).map(([, value]) => Number(value)).sort((a, b) => b - a);
    expect(await times("Serviços do cliente")).toEqual(await counted("nome"));
    expect(await times("Profissionais do cliente")).toEqual(
      await counted("idProfissionalQueRealizouServico"),
    );
    expect(await page.locator(".period-row").count()).toBe(0);
    expect([page.url(), await page.title()].join(" ")).not.toMatch(/Clara|Nunes/);
    expect(complaints).toEqual([]);
  });

  it("open a client by their code, with what they bought in salons and stores, and need no visit for it (R20)", async () => {
    const { page, complaints } = await openPanel("?aba=mais&parte=clientes");
    await page.getByLabel("Código do cliente").fill(" people-1 ");
    await page.getByRole("button", { name: "Abrir" }).click();
    await page.waitForURL(/cliente=people-1$/);
    await page.getByText("Produtos comprados").click();
    await tableOf(page, "Produtos do cliente").waitFor();
    const sold = BOUGHT.map(([origin, , name, value, quantity]) => [
      `${name}${origin === "loja" ? "Loja" : "Salão"}`,
      money(Number(value)),
      quantity ?? "0",
    ]);
    const shown = await rowsOf(page, "Produtos do cliente");
    expect(shown.map(([name, origin, ...cells]) => [`${name}${origin}`, ...cells])).toEqual(sold);
    await navigate(page, "?aba=mais&parte=cliente&cliente=nobody");
    await page.getByText("Nenhum atendimento deste cliente.").waitFor();
    await page.getByText("Produtos comprados").click();
    await page.getByText("Nenhum produto em 12 meses.").waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(["", "103"])(
    "count clients by month, and the new ones who came back: %j (R20, R26)",
    async (unit) => {
      const { page } = await openPanel(`?aba=mais&parte=clientes${unit && `&unidade=${unit}`}`);
      const chart = page.getByRole("slider", { name: "Clientes por mês" });
      const rows = await clients.monthCounts(unit);
      await chart.focus();
      for (const { clientes, clientes_novos: news } of rows.toReversed()) {
        const text = plain((await chart.getAttribute("aria-valuetext")) ?? "");
        expect(text).toMatch(new RegExp(`: ${count(clientes)}, ${count(news)} deles novos$`));
        await page.keyboard.press("ArrowLeft");
      }
      const card = cardOf(page, "Novos que voltaram");
      for (const days of ["60", "90", "30"]) {
        await page.getByLabel("Prazo para voltar").selectOption(days);
        await waitForPanel(page);
        const shown = await card
          .locator("li")
          .evaluateAll((items) => items.map((one) => one.textContent ?? ""));
        const expected = await clients.newReturns(unit, days);
        expect([days, shown.length]).toEqual([days, expected.length]);
        for (const [index, [month = "", ...texts]] of expected.entries()) {
          expect(shown[index]?.toLowerCase()).toContain(month);
          for (const text of texts)
            expect([days, plain(shown[index] ?? "")]).toEqual([days, expect.stringContaining(text)]);
        }
      }
    },
  );

  it.each(["", "103"])("list lost regulars and cohorts by plain SQL: %j (R25)", async (unit) => {
    const { page, complaints } = await openPanel("?aba=mais");
    const of = { now: { from: "", to: "", unit } };
    for (const [part, caption, expected] of [
      ["assiduos", "Assíduos que sumiram, por unidade", await clients.lostByUnit(of)],
      ["assiduos", "Assíduos sem voltar há 60 dias", await clients.lostClients(of)],
      ["retorno", "De cada mês de primeira visita", await clients.cohorts(of)],
    ] as const) {
      await navigate(page, `?aba=mais&parte=${part}${unit && `&unidade=${unit}`}`);
      expect([caption, await rowsOf(page, caption)]).toEqual([caption, expected]);
      expect([caption, expected.length > 0]).toEqual([caption, !unit || !caption.endsWith("por unidade")]);
    }
    expect(complaints).toEqual([]);
  });

  it("say above a list of clients that it is longer, and that its file has all (A2)", async () => {
    const { page } = await openPanel();
    await page.route("**/v1/relatorios/clientes?**unidade%2Ccliente**", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      await route.fulfill({ response, json: { ...body, linhas: body.data.length + 765 } });
    });
    await navigate(page, "?aba=mais&parte=assiduos");
    const texts = cardOf(page, "Os de maior valor").locator("p, table");
    const [note = "", table] = (await texts.allTextContents()).map(plain);
    const shown = (await rowsOf(page, "Assíduos sem voltar há 60 dias")).length;
    expect(note).toBe(
      `Exibindo ${count(shown)} de ${count(shown + 765)} clientes, os de maior valor. ` +
        `O total e o arquivo incluem todos os ${count(shown + 765)}.`,
    );
    expect(table).toContain("Assíduos sem voltar há 60 dias");
  });

  it("lead from a unit to its lost regulars, who have a heat map that marks the running month (R25)", async () => {
    const { page } = await openPanel("?aba=mais&parte=assiduos");
    const [first] = await rowsOf(page, "Assíduos que sumiram, por unidade");
    await page.getByRole("link", { name: first?.[0] ?? "", exact: true }).click();
    await page.waitForURL(/unidade=\d+/);
    const figure = cardOf(page, "Assíduos que sumiram").locator(".figure");
    await expect.poll(async () => plain((await figure.textContent()) ?? "")).toBe(first?.[1]);
    await navigate(page, "?aba=mais&parte=retorno");
    const cells = page.locator(".cohorts td.running");
    expect(await cells.count()).toBe(4);
    const fills = await cells.evaluateAll((all) =>
      all.map((cell) => [getComputedStyle(cell).backgroundColor, getComputedStyle(cell).outlineStyle]),
    );
    for (const fill of fills) expect(fill).toEqual(["rgba(0, 0, 0, 0)", "dashed"]);
  });

  it("show a reader without personal data no client, no link to one and no return (R24, A11)", async () => {
    const user = await addReader({ personalData: false });
    const { page, complaints, paths } = await openPanel("?aba=mais&parte=cliente&cliente=C1", { user });
    await page.getByText("Você não tem acesso aos dados de clientes.").waitFor();
    for (const part of ["clientes", "assiduos", "retorno"]) {
      await navigate(page, `?aba=mais&parte=${part}&periodo=mes-passado`);
      expect(await page.getByRole("navigation", { name: "Partes de Clientes" }).count()).toBe(0);
      expect([part, await cardOf(page, /^Clientes · /).count()]).toEqual([part, part === "clientes" ? 1 : 0]);
    }
    await navigate(page, "?lista=atendimentos&periodo=mes-passado");
    expect(await page.locator('a[href*="cliente="]').count()).toBe(0);
    await navigate(page, `?aba=equipe&parte=pessoa&pessoa=${PERSON}`);
    expect(await cardOf(page, "Por mês").count()).toBe(1);
    expect(await cardOf(page, "Clientes que voltam").count()).toBe(0);
    expect(
      paths.filter((path) => /cliente_|por=cliente|decididas|novos=true|relatorios\/clientes/.test(path)),
    ).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("say so for a client without visits, and for a professional without services (A2)", async () => {
    const { page } = await openPanel("?aba=mais&parte=cliente&cliente=nobody");
    await page.getByText("Nenhum atendimento deste cliente.").waitFor();
    await navigate(
      page,
      `?aba=equipe&parte=pessoa&pessoa=nobody&de=${shifted(today, 30)}&ate=${shifted(today, 40)}`,
    );
    await page.getByText("Este período ainda não começou.").waitFor();
    expect(await textsIn(page, ".profile-head h2")).toEqual(["Profissional não cadastrado (cód. nobody)"]);
  });
});
