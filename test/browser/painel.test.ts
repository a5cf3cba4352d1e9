// @module-tag slow
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import type { Page, Request, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Frescor } from "../../src/v1/frescor/schemas.ts";
import type { Resumo } from "../../src/v1/relatorios/schemas.ts";
import { connected } from "../../tools/warehouse/databases.ts";
import { hasChromium } from "../support/node/installed.ts";
import { fences } from "../support/node/pages.ts";
import { accessibilityViolations, expireOnce, fits, kept, type Opened, openBrowser } from "./browser.ts";
import { type Answers, expected, type Painel, type Sales, shown } from "./figures.ts";

const PHONE = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true };
const PANEL = "**/v1/relatorios/painel?**";
/** A panel whose parts are empty objects. */
const UNREADABLE = Object.fromEntries(
  ["resumo", "por_periodo", "por_estabelecimento", "por_forma_pagamento"].map((name) => [name, {}]),
);
const HUGE = `Unidade <b>enorme</b> ${"muito".repeat(600)}`;

const today = new Date().toLocaleDateString("en-CA", { timeZone: "America/Sao_Paulo" });
const shifted = (day: string, by: number) =>
  new Date(Date.parse(`${day}T12:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);
const firstOfMonth = `${today.slice(0, 8)}01`;
const endOfLast = shifted(firstOfMonth, -1);

const hourAt = (time: number) =>
  new Date(time).toLocaleTimeString("en-GB", { timeZone: "America/Sao_Paulo", hour: "2-digit" }).slice(0, 2);

/** Each period: its label, its name in the URL, its first and last day, and what it is compared with. */
const PERIODS: [label: string, name: string, from: string, to: string, comparar: string][] = [
  ["Hoje", "hoje", today, today, "semana-anterior"],
  ["Últimos 7 dias", "7-dias", shifted(today, -6), today, "anterior"],
  ["Este mês", "mes", firstOfMonth, today, "mes-anterior"],
  ["Mês passado", "mes-passado", `${endOfLast.slice(0, 8)}01`, endOfLast, "mes-anterior"],
  ["Este ano", "ano", `${today.slice(0, 4)}-01-01`, today, "ano-anterior"],
];
type Period = (typeof PERIODS)[number];
const [TODAY, WEEK, , , YEAR] = PERIODS as [Period, Period, Period, Period, Period];

describe.runIf(hasChromium)("/painel in a browser (A2)", () => {
  let opened: Opened;
  let bearer: { Authorization: string };
  let names: Map<string, string>;

  const read = async <T>(path: string, query: Record<string, string> = {}): Promise<T> => {
    const response = await fetch(`${opened.base}${path}?${new URLSearchParams(query)}`, { headers: bearer });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  };

  const rowsOf = async <T>(report: string, query: Record<string, string>) =>
    (await read<{ data: T[] }>(`/v1/relatorios/${report}`, query)).data;
  const salesIn = async (query: Record<string, string>): Promise<Sales> => {
    const of = (origem: string) =>
      rowsOf<Sales["loja"][number]>("vendas", { ...query, por: "unidade", limite: "1100", origem });
    return { salao: await of("salao"), loja: await of("loja") };
  };

  /** Everything that the service returns for a view. */
  const answersOf = async (
    from: string,
    to: string,
    comparar: string,
    unit = "",
    until = "23:59:59.999999",
  ): Promise<Answers> => {
    const own: Record<string, string> = unit ? { estabelecimento_id: unit } : {};
    const range = { data_inicio: `${from}T00:00:00-03:00`, data_fim: `${to}T${until}-03:00`, ...own };
    const granularidade = daysIn(from, to) > 731 ? "mes" : "dia";
    const panelIn = (of: Record<string, string>) =>
      read<Painel>("/v1/relatorios/painel", { ...of, granularidade });
    const { anterior } = await read<Resumo>("/v1/relatorios/resumo", { ...range, comparar });
    if (anterior === undefined) throw new Error("no earlier range");
    const earlier = { data_inicio: anterior.inicio, data_fim: anterior.fim, ...own };
    const before = {
      data_fim: new Date(Date.parse(anterior.inicio) + 86_400_000 - 1).toISOString(),
      ...own,
    };
    const knownIn = async (report: string) => {
      const rows = await rowsOf<{ estabelecimento_id: string }>(report, {
        ...before,
        por: "unidade",
        limite: "1100",
      });
      return new Set(rows.map((row) => row.estabelecimento_id));
    };
    return {
      panel: await panelIn(range),
      sales: await salesIn(range),
      products: await rowsOf("vendas", { ...range, por: "produto", ordem: "-valor_total", limite: "10" }),
      past: { panel: await panelIn(earlier), sales: await salesIn(earlier) },
      known: { visits: await knownIn("visitas"), sales: await knownIn("vendas") },
      hours: await rowsOf("visitas", { ...range, por: "hora" }),
      fresh: await read<Frescor>("/v1/frescor"),
    };
  };
  const daysIn = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;

  /** The figures of a view, from the service. */
  const expectedFigures = async (from: string, to: string, comparar: string, unit = "", until?: string) =>
    expected(
      await answersOf(from, to, comparar, unit, until),
      (id) => names.get(id) || `Unidade ${id}`,
      daysIn(from, to),
    );
  const figuresOf = ([, name, from, to, comparar]: (typeof PERIODS)[number], unit = "", now = Date.now()) =>
    expectedFigures(from, to, comparar, unit, name === "hoje" ? `${hourAt(now)}:59:59.999999` : undefined);

  const signIn = async (page: Page, password = "demo-password") => {
    await page.getByLabel("E-mail").fill("demo@example.com");
    await page.getByLabel("Senha").fill(password);
    await page.getByRole("button", { name: "Entrar" }).click();
  };
  const waitForPanel = (page: Page) => page.locator('#panel[aria-busy="false"]:not([hidden])').waitFor();
  const view = async (search = "", options: Parameters<Opened["open"]>[1] = {}) => {
    const { page, complaints } = await opened.open(`/painel${search}`, options);
    await signIn(page);
    await waitForPanel(page);
    return { page, complaints };
  };
  const runStatements = (statements: string[]) =>
    connected(inject("postgresUrl"), async (db: pg.Client) => {
      for (const statement of statements) await db.query(statement);
    });

  beforeAll(async () => {
    opened = await openBrowser();
    const longName = pg.escapeLiteral(HUGE);
    await runStatements([
      `insert into estabelecimentos (nome, salon_id) values (${longName}, 'painel-edge'), ('Unidade sem nada', 'painel-empty')
         on conflict do nothing`,
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, servicos, sent_to_erp, raw_data, synced_at)
         select 'painel-' || i, case when i < 6 then 'painel-edge' else 'painel-stranger' end, case i when 0 then 99999999.99 when 1 then 0.01 else i end,
           now(), case i when 0 then null when 1 then ${longName} when 2 then '' else '<b>forma</b>' end,
           case i when 0 then null else '[{"idProfissionalQueRealizouServico": "painel-p"}]'::jsonb end, i % 2 = 0, '{}', now()
         from generate_series(0, 7) i on conflict do nothing`,
      `insert into profissionais (nome, salon_id, salon_estabelecimento_id, ativo) values (${longName}, 'painel-p', 'painel-edge', true) on conflict do nothing`,
      `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, produto_nome, quantidade, valor_total, forma_pagamento)
         select 'loja', 'painel-' || i, 'painel-edge', now(), case i when 0 then null else 'P' || i end, case i when 0 then null when 1 then ${longName} else '<b>x</b>' end,
           case i when 2 then null else i + 0.125 end, case i when 3 then null else 10 * i end, case i when 1 then 'Descontar do Profissional' end
         from generate_series(0, 4) i on conflict do nothing`,
    ]);
    const login = await fetch(`${opened.base}/auth/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: "demo@example.com", password: "demo-password" }),
    });
    const { access_token } = (await login.json()) as { access_token: string };
    bearer = { Authorization: `Bearer ${access_token}` };
    const { data } = await read<{ data: { nome: string; salon_id: string | null; ativo: boolean }[] }>(
      "/v1/estabelecimentos",
    );
    names = new Map(
      data.map(({ nome, salon_id, ativo }) => [salon_id ?? "", ativo ? nome : `${nome} (inativa)`]),
    );
    names.delete("");
  });
  afterAll(() => opened?.close());

  it("signs in and shows this month, with tokens only in memory and no requests to other origins (A2)", async () => {
    const { page, complaints } = await view();
    expect(await page.locator("#chart canvas").count()).toBe(1);
    expect(await page.locator("#who").textContent()).toBe("demo@example.com");
    expect(await kept(page)).toBe('[{},{},""]');
    await page.getByRole("button", { name: "Sair" }).click();
    await page.getByRole("alert").filter({ hasText: "Você saiu." }).waitFor();
    expect(await page.locator("#content").textContent()).not.toMatch(/R\$|demo@/);
    expect(complaints).toEqual([]);
  });

  it("shows an error for an empty field and for a wrong password, and requests no data (A2)", async () => {
    const { page, complaints } = await opened.open("/painel");
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.getByRole("button", { name: "Entrar" }).click();
    await page.getByRole("alert").filter({ hasText: "Preencha o e-mail e a senha." }).waitFor();
    await signIn(page, "wrong-password");
    await page.getByRole("alert").filter({ hasText: "E-mail ou senha incorretos." }).waitFor();
    expect(requested.filter((path) => !path.startsWith("/assets/"))).toEqual(["/auth/login"]);
    expect(complaints).toEqual([]);
  });

  it("shows the service's figures for every period (A2)", async () => {
    const { page, complaints } = await view();
    for (const period of PERIODS) {
      const [label, name] = period;
      const arrived = page.waitForResponse(PANEL);
      await page.getByText(label, { exact: true }).click();
      await arrived;
      await waitForPanel(page);
      expect([label, await shown(page)]).toEqual([label, await figuresOf(period)]);
      expect(new URL(page.url()).searchParams.get("periodo")).toBe(name === "mes" ? null : name);
    }
    await page.getByText("Personalizado", { exact: true }).click();
    await page.getByLabel("De", { exact: true }).fill(shifted(today, -40));
    await page.getByLabel("Até", { exact: true }).fill(shifted(today, -30));
    const arrived = page.waitForResponse(PANEL);
    await page.getByRole("button", { name: "Aplicar" }).click();
    await arrived;
    await waitForPanel(page);
    expect(await shown(page)).toEqual(
      await expectedFigures(shifted(today, -40), shifted(today, -30), "anterior"),
    );
    expect(complaints).toEqual([]);
  });

  it("shows the service's figures for every unit, including edge-case rows and a unit without rows (A2)", async () => {
    const { page, complaints } = await view("?periodo=ano");
    expect(names.size).toBeGreaterThan(7);
    const withoutVisits: string[] = [];
    for (const unit of names.keys()) {
      const arrived = page.waitForResponse(PANEL);
      await page.locator("#unit").selectOption(unit);
      await arrived;
      await waitForPanel(page);
      expect([unit, await shown(page)]).toEqual([unit, await figuresOf(YEAR, unit)]);
      if ((await page.locator("#units .nothing, #forms .nothing").count()) === 2) withoutVisits.push(unit);
    }
    expect(withoutVisits).toContain("painel-empty");
    expect(withoutVisits).not.toContain("painel-edge");
    expect(complaints).toEqual([]);
  });

  it("shows HTML and long names as plain text, and says if there are no records (A2)", async () => {
    const { page, complaints } = await view("?periodo=hoje&unidade=painel-edge", PHONE);
    expect(await page.locator("#content b").count()).toBe(0);
    expect(await page.locator("#of-unit").textContent()).toBe(HUGE);
    expect(await fits(page)).toBe(true);
    await page.goto(`${opened.base}/painel?unidade=painel-empty`);
    await signIn(page);
    await waitForPanel(page);
    for (const id of ["units", "forms", "professionals", "services", "products"])
      expect(await page.locator(`#${id}`).textContent()).toBe("Nenhum registro neste período.");
    expect(await page.locator("#periods tbody tr").count()).toBe(Number(today.slice(8)));
    expect(complaints).toEqual([]);
  });

  it("keeps period and unit in the URL, goes back, and shows this month for an invalid URL (A2)", async () => {
    const { page } = await view(`?periodo=datas&de=${shifted(today, -9)}&ate=${today}&unidade=painel-edge`);
    expect(await shown(page)).toEqual(
      await expectedFigures(shifted(today, -9), today, "anterior", "painel-edge"),
    );
    expect(await page.getByLabel("Personalizado").isChecked()).toBe(true);
    await page.getByText("Últimos 7 dias", { exact: true }).click();
    await page.waitForURL("**/painel?periodo=7-dias&unidade=painel-edge");
    await page.goBack();
    await waitForPanel(page);
    expect(await page.getByLabel("De", { exact: true }).inputValue()).toBe(shifted(today, -9));
    const wrong = await view("?periodo=datas&de=2026-02-30&ate=x&unidade=nobody");
    expect(await wrong.page.getByLabel("Este mês").isChecked()).toBe(true);
    expect(await wrong.page.locator("#of-unit").textContent()).toBe("Unidade nobody");
    for (const search of [
      wrong.page.url(),
      `?periodo=datas&de=${today}&ate=2026-01-01`,
      "?periodo=anteontem",
    ]) {
      await wrong.page.evaluate(
        `history.pushState(null, "", ${JSON.stringify(search)}); dispatchEvent(new Event("popstate"))`,
      );
      await wrong.page
        .locator("#notice")
        .filter({ hasText: "Período inválido no link. Mostrando este mês." })
        .waitFor();
    }
    await wrong.page.getByText("Hoje", { exact: true }).click();
    await wrong.page.locator("#notice").waitFor({ state: "hidden" });
  });

  it("shows data inválida for dates that a browser cannot read, and everything else as usual (A2)", async () => {
    const MARK = "of no calendar";
    const write = (sql: string) => connected(inject("postgresUrl"), (db) => db.query(sql));
    await write(`insert into jobs_log (queue, job_id, job_name, status, created_at) values
      ('q', '${MARK}', 'sync-transacoes', 'completed', 'infinity'),
      ('q', '${MARK}', 'send-receber', 'failed', '-infinity'),
      ('q', '${MARK}', 'send-pagar', 'completed', '12026-11-23T12:00:00Z')`);
    await write(`insert into produtos (salon_id, estabelecimento_id, nome, raw_data, synced_at) values
      ('${MARK}', '${MARK} 1', 'x', '{}', 'infinity'), ('${MARK}', '${MARK} 2', 'x', '{}', '-infinity'),
      ('${MARK}', '${MARK} 3', 'x', '{}', '12026-11-23T12:00:00Z')`);
    try {
      const { page, complaints } = await opened.open("/painel");
      await signIn(page);
      await waitForPanel(page);
      expect(complaints).toEqual([]);
      const cells = await page.locator("#jobs tbody tr").allTextContents();
      for (const job of ["sync-transacoes", "send-pagar"])
        expect(cells.find((cell) => cell.includes(job))).toMatch(/Data inválidadata inválida(?!há)/);
      const units = await page.locator("#catalogue tbody tr").allTextContents();
      const odd = units.filter((text) => text.includes(MARK));
      expect(odd).toEqual([1, 2, 3].map((n) => `Unidade ${MARK} ${n}data inválida`));
      expect(units.length).toBeGreaterThan(odd.length);
      expect(await page.locator("#notice").isHidden()).toBe(true);
      expect(await page.locator("#visits .figure").textContent()).toMatch(/^[\d.]+$/);
      expect(await page.locator("#units tbody tr").count()).toBeGreaterThan(0);
      await opened.shoot(page, "painel-invalid-dates", true);
      await page.route("**/v1/frescor", async (route) => {
        // Without the ETag, so that the response has a body.
        const { "if-none-match": _, ...headers } = route.request().headers();
        const response = await route.fetch({ headers });
        const { data } = (await response.json()) as Frescor;
        await route.fulfill({ status: 200, json: { data, catalogo: {} } });
      });
      await page.locator("#now").click();
      await page
        .locator("#catalogue .nothing")
        .filter({ hasText: "Resposta inesperada do servidor." })
        .waitFor({ state: "attached" });
      expect(await page.locator("#jobs tbody tr").count()).toBe(3);
      expect(await page.locator("#units tbody tr").count()).toBeGreaterThan(0);
      await page.close();
    } finally {
      await write(`delete from jobs_log where job_id = '${MARK}'`);
      await write(`delete from produtos where salon_id = '${MARK}'`);
    }
  });

  it("shows blank names, unknown jobs, single rows and very large sums (A2)", async () => {
    const huge = 987_654_321_987.65;
    const page = (await opened.open("/painel?periodo=mes-passado", { viewport: { width: 320, height: 700 } }))
      .page;
    const changeResponse = (path: string | RegExp, change: (body: Record<string, unknown>) => unknown) =>
      page.route(path, async (route) => {
        const response = await route.fetch();
        if (response.status() === 304) return route.fulfill({ response });
        const body = (await response.json()) as Record<string, unknown>;
        await route.fulfill({ response, json: { ...body, ...(change(body) as object) } });
      });
    const counts = { total: 2000, valor_total: huge, enviadas_erp: 669, pendentes_erp: 1331 };
    const firstWith = ({ data: [row] }: { data: object[] }, changes: object) => ({
      data: [{ ...row, ...changes }],
    });
    const nameless = { estabelecimento_id: "7", unidade_nome: null };
    await changeResponse(PANEL, (body) => {
      const { por_estabelecimento, por_forma_pagamento } = body as Pick<Painel, "por_estabelecimento"> &
        Pick<Painel, "por_forma_pagamento">;
      return {
        resumo: {
          ...(body.resumo as object),
          transacoes: counts,
          jobs_ultimas_24h: { concluidos: 1, falhados: 9 },
          anterior: {
            ...(body.resumo as { anterior: object }).anterior,
            transacoes: { ...counts, total: 1250, enviadas_erp: 418 },
          },
        },
        por_estabelecimento: firstWith(por_estabelecimento, {
          ...nameless,
          visitas: 1,
          valor_total: huge,
          ticket_medio: huge,
          valor_pendente: huge,
        }),
        por_forma_pagamento: firstWith(por_forma_pagamento, {
          forma_pagamento: " \u00a0",
          total_transacoes: 1,
          valor_total: huge,
          ticket_medio: huge,
        }),
      };
    });
    await changeResponse(/relatorios\/servicos\?.*por=unidade%2Cprofissional/, (body) =>
      firstWith(body as { data: object[] }, {
        profissional: "  ",
        profissional_salon_id: "p",
        valor_total: huge,
      }),
    );
    const product = {
      quantidade: 1,
      valor_total: huge,
      quantidade_profissional: 0,
      valor_profissional: huge,
    };
    await changeResponse(/relatorios\/vendas\?.*por=produto/, () => ({
      data: [{ produto_nome: " ", produto_id: "q", ...product }],
    }));
    const sums = { valor_total: huge, valor_servicos: huge, valor_produtos: huge, valor_profissional: huge };
    for (const report of ["faturamento", "vendas", "visitas"])
      await changeResponse(new RegExp(`relatorios/${report}\\?.*por=unidade`), () => ({
        data: [{ ...nameless, origem: "salao", visitas: 1, linhas: 1, quantidade: 0, ...sums }],
        totais: { ...sums, anterior: sums },
      }));
    await changeResponse("**/v1/frescor", (body) => ({
      data: [{ ...(body as { data: object[] }).data[0], job_name: "sync-of-tomorrow" }],
      catalogo: [],
    }));
    await signIn(page);
    await waitForPanel(page);
    const headOf = (id: string) => page.locator(`#${id} tbody .name`).allTextContents();
    expect(await Promise.all(["units", "forms", "professionals", "products", "jobs"].map(headOf))).toEqual([
      ["Unidade 7"],
      ["Forma não informada"],
      ["Profissional não cadastrado (cód. p)"],
      ["Produto sem nome (cód. q)"],
      ["sync-of-tomorrow"],
    ]);
    // 33.45 % and 33.44 % are shown as 33,5 and 33,4, but their difference rounds to 0,0.
    expect(await page.locator("#sent .change").textContent()).toBe("0,0 p.p.");
    expect(await page.locator("#jobs > .more").textContent()).toContain(
      "1 execução concluída, 9 execuções com falha.",
    );
    expect(await page.locator("#catalogue .nothing").textContent()).toBe(
      "Nenhuma unidade com produtos cadastrados.",
    );
    expect(await page.locator("#title").textContent()).toMatch(/^1º a \d\d de /);
    await page.getByText("Personalizado", { exact: true }).click();
    for (const width of [320, 375, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      expect([width, await fits(page)]).toEqual([width, true]);
      // A number fits on one line and in its card.
      expect(
        await page.evaluate(
          `[...document.querySelectorAll(".figure")].filter((one) => one.scrollWidth > one.clientWidth || one.clientHeight > 45).map((one) => one.textContent)`,
        ),
      ).toEqual([]);
      expect(
        await page.evaluate(
          `[...document.querySelectorAll(".card")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.id || one.textContent)`,
        ),
      ).toEqual([]);
      // Room for a full date and its calendar button.
      expect(await page.evaluate<number>(`document.getElementById("from").clientWidth`)).toBeGreaterThan(120);
      await opened.shoot(page, `painel-odd-${width}`, true);
    }
    await page.close();
  });

  it("works with the keyboard alone (A2)", async () => {
    const { page } = await opened.open("/painel");
    await page.keyboard.type("demo@example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.type("demo-password");
    await page.keyboard.press("Enter");
    await waitForPanel(page);
    await page.getByRole("button", { name: "Atualizar" }).focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.value")).toBe("mes");
    await page.keyboard.press("ArrowRight");
    await page.waitForURL("**/painel?periodo=mes-passado");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Unidade sem");
    await page.waitForURL("**/painel?periodo=mes-passado&unidade=painel-empty");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.waitForURL("**/painel?periodo=mes-passado&unidade=painel-empty&comparar=ano");
    // The response replaces the table, and with it the focused link.
    await waitForPanel(page);
    await page.locator("summary").first().focus();
    await page.keyboard.press("Enter");
    await page.locator("details[open] #periods a").first().focus();
    await page.keyboard.press("Enter");
    await page.locator("#records-title", { hasText: "Atendimentos" }).waitFor();
    await page.getByRole("link", { name: "Voltar ao painel" }).focus();
    await page.keyboard.press("Enter");
    await waitForPanel(page);
  });

  describe("as time passes", () => {
    /** The page's time. It is ahead of ours after a test has advanced it. */
    const timeOf = (page: Page) => page.evaluate<number>("Date.now()");

    /** Opens a panel with a fake clock and records its responses. */
    const openWithClock = async (search = "") => {
      const { page } = await opened.open(`/painel${search}`);
      await page.clock.install();
      await signIn(page);
      await waitForPanel(page);
      const requests: Request[] = [];
      page.on("request", (request) => requests.push(request));
      // Chromium may report a response after the page has used it, so wait for the response of each request.
      const takeResponses = async () => {
        const responses = await Promise.all(requests.splice(0).map((one) => one.response()));
        return responses
          .flatMap((one) => (one ? [`${new URL(one.url()).pathname} ${one.status()}`] : []))
          .sort();
      };
      /** Advances the clock, waits for the responses and returns them. */
      const advance = async (seconds: number) => {
        await page.clock.runFor(seconds * 1000);
        await waitForPanel(page);
        return takeResponses();
      };
      return { page, advance, takeResponses };
    };
    const UNCHANGED = ["/v1/frescor 304", "/v1/relatorios/painel 304"];
    const notice = (page: Page) => page.locator("#notice");
    const refuse =
      (status: number, seconds: number) =>
      (route: Route): Promise<void> =>
        route.fulfill({
          status,
          headers: { "Retry-After": String(seconds) },
          json: { error: "", message: "" },
        });

    it("requests panel and freshness once a minute, and gets 304 while nothing changes (A2)", async () => {
      const { advance } = await openWithClock();
      expect(await advance(55)).toEqual([]);
      expect(await advance(6)).toEqual(UNCHANGED);
      expect(await advance(55)).toEqual([]);
      expect(await advance(6)).toEqual(UNCHANGED);
    });

    it("shows new data (A2)", async () => {
      const { page, advance } = await openWithClock("?periodo=hoje&unidade=painel-empty");
      const visit = (id: string) =>
        `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, sent_to_erp, raw_data, synced_at)
           values ('${id}', 'painel-empty', 12.5, now(), true, '{}', now())`;
      await runStatements([visit("painel-new")]);
      expect(await advance(61)).toEqual(
        expect.arrayContaining(["/v1/frescor 304", "/v1/relatorios/painel 200"]),
      );
      expect(await shown(page)).toEqual(await figuresOf(TODAY, "painel-empty", await timeOf(page)));
      await runStatements(["delete from transacoes where salon_id = 'painel-new'"]);
    });

    it("requests nothing while it is hidden, and once when it is shown again (A2)", async () => {
      const { page, advance } = await openWithClock();
      const hide = (hidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
        );
      await hide(true);
      expect(await advance(400)).toEqual([]);
      await hide(false);
      expect(await advance(1)).toEqual(UNCHANGED);
    });

    it("stops requests while the remaining quota is low (A2)", async () => {
      const { page, advance } = await openWithClock();
      // Changes both responses, because either may arrive last. With `times`, Playwright would drop the route
      // while a response is on its way.
      await page.route("**/v1/**", async (route) => {
        const response = await route.fetch();
        const headers = { ...response.headers(), ratelimit: '"global";r=3;t=300' };
        await route.fulfill({ response, headers });
      });
      expect(await advance(61)).toEqual(UNCHANGED);
      expect(await advance(290)).toEqual([]);
      expect(await advance(20)).toEqual(UNCHANGED);
    });

    it.each([
      [429, 120, "Limite de consultas atingido."],
      [503, 90, "Serviço indisponível no momento."],
    ])(
      "keeps the last data after a %i, shows its time and waits for Retry-After (A2)",
      async (status, seconds, reason) => {
        const { page, advance } = await openWithClock();
        const before = await shown(page);
        await page.route("**/v1/**", refuse(status, seconds));
        await page.clock.runFor(61_000);
        await notice(page).filter({ hasText: reason }).waitFor();
        expect(await notice(page).textContent()).toMatch(
          /Exibindo dados de \d\d:\d\d\. Nova tentativa às \d\d:\d\d\.$/,
        );
        expect(await shown(page)).toEqual(before);
        await page.unroute("**/v1/**");
        const requested: string[] = [];
        page.on("request", (request) => requested.push(request.url()));
        await page.getByRole("button", { name: "Atualizar" }).click();
        await notice(page).filter({ hasText: "Muitas consultas seguidas." }).waitFor();
        await page.clock.runFor((seconds - 10) * 1000);
        expect(requested).toEqual([]);
        await advance(12);
        expect(requested).toHaveLength(2);
        await notice(page).waitFor({ state: "hidden" });
      },
    );

    const dateIn = (ms: number) => new Date(Date.now() + ms).toUTCString();
    it.each<[string, () => Parameters<Route["fulfill"]>[0], string]>([
      [
        "503 until a date",
        () => ({ status: 503, headers: { "Retry-After": dateIn(30_000) } }),
        "Serviço indisponível",
      ],
      [
        "429 until a word",
        () => ({ status: 429, headers: { "Retry-After": "soon" } }),
        "Limite de consultas",
      ],
      [
        "503 until the end of time",
        () => ({ status: 503, headers: { "Retry-After": "9".repeat(20) } }),
        "Serviço indisp",
      ],
      ["200 {}", () => ({ json: {} }), "Resposta inesperada"],
      ["200 in no JSON", () => ({ body: "<html>" }), "Resposta inesperada"],
      ["200 with parts of another shape", () => ({ json: UNREADABLE }), "Resposta inesperada"],
    ])(
      "keeps the last data after an unusable response and tries again: %s (A2)",
      async (name, answer, reason) => {
        const { page, advance } = await openWithClock();
        const before = await shown(page);
        await page.route(PANEL, (route) => route.fulfill(answer()), { times: 1 });
        await page.clock.runFor(61_000);
        await notice(page).filter({ hasText: reason }).waitFor();
        expect(await notice(page).textContent()).toMatch(
          /Exibindo dados de .*\. Nova tentativa (às|em) .*\d\d:\d\d\.$/,
        );
        expect(await shown(page)).toEqual(before);
        if (name.endsWith("time")) return;
        expect((await advance(62)).length).toBeGreaterThan(1);
        await notice(page).waitFor({ state: "hidden" });
      },
    );

    it("shows no part of a first response that it cannot draw, and tries again (A2)", async () => {
      const { page } = await opened.open("/painel");
      await page.route(PANEL, (route) => route.fulfill({ json: UNREADABLE }), { times: 1 });
      await signIn(page);
      await notice(page).filter({ hasText: "Resposta inesperada" }).waitFor();
      expect(await page.locator("#panel [data-private]:not(:has(.skeleton))").count()).toBe(0);
      await page.getByRole("button", { name: "Atualizar" }).click();
      await notice(page).waitFor({ state: "hidden" });
      expect(await page.locator("#panel .skeleton").count()).toBe(0);
    });

    it.each([404, 500])(
      "sends requests at once on a click or a new period after a %i without Retry-After (A2)",
      async (status) => {
        const { page } = await openWithClock();
        await page.route(PANEL, (route) => route.fulfill({ status, json: null }));
        await page.clock.runFor(61_000);
        await notice(page).filter({ hasText: "Nova tentativa" }).waitFor();
        const requested = page.waitForRequest(PANEL);
        await page.getByRole("button", { name: "Atualizar" }).click();
        await requested;
        await page.getByText("Hoje", { exact: true }).click();
        await page.clock.runFor(1000);
        await notice(page)
          .filter({ hasText: / \((1º a .*|1º de .*), todas as unidades\)\. Nova tentativa/ })
          .waitFor();
        await page.unroute(PANEL);
        await page.getByRole("button", { name: "Atualizar" }).click();
        await notice(page).waitFor({ state: "hidden" });
        expect(await shown(page)).toEqual(await figuresOf(TODAY, "", await timeOf(page)));
      },
    );

    it("marks a part as unavailable if its request fails, and shows it again later (A2)", async () => {
      const { page, advance } = await openWithClock();
      for (const path of ["**/v1/frescor", "**/v1/relatorios/faturamento?**"])
        await page.route(path, (route) => route.fulfill({ status: 503, json: {} }), { times: 1 });
      const arrived = page.waitForResponse(PANEL);
      await page.getByText("Últimos 7 dias", { exact: true }).click();
      await page.clock.runFor(1000);
      await arrived;
      await notice(page)
        .filter({ hasText: /Não foi possível verificar a atualização dos dados\. .*Nova tentativa às/ })
        .filter({ hasText: /Vendas .*indisponíveis\. .*Serviço indisponível no momento\./ })
        .waitFor();
      const complete = await figuresOf(WEEK);
      const { forms, periods } = await shown(page);
      expect({ forms, periods }).toEqual({ forms: complete.forms, periods: complete.periods });
      expect(await page.locator("#jobs .nothing").textContent()).toBe(
        "Não foi possível carregar esta informação.",
      );
      await advance(61);
      await notice(page).waitFor({ state: "hidden" });
      expect(await shown(page)).toEqual(complete);
    });

    it("shows the date of data that is a day old, and updates the age of the last runs (A2)", async () => {
      const { page } = await openWithClock();
      const ages = () => page.locator("#jobs td .more").allTextContents();
      const before = await ages();
      await page.route("**/v1/**", refuse(503, 7200));
      await page.clock.runFor(61_000);
      await notice(page).filter({ hasText: "Serviço indisponível" }).waitFor();
      await page.clock.fastForward("26:00:00");
      await notice(page)
        .filter({ hasText: /Exibindo dados de \d\d\/\d\d\/\d{4} às \d\d:\d\d/ })
        .waitFor();
      const after = await ages();
      expect(after.length).toBe(before.length);
      for (const [at, one] of before.entries()) expect(after[at]).not.toBe(one);
      expect(await page.locator("#jobs .state.well").count()).toBe(0);
      expect(await page.locator("#data-age").textContent()).toMatch(
        /^Dados até \d\d\/\d\d\/\d{4} às \d\d:\d\d \(há 2[67]h\d\d\)$/,
      );
      expect(await page.locator("#stale").textContent()).toContain("Importação dos atendimentos: atrasada.");
    });

    it("keeps the last data and shows its time while offline, and continues online (A2)", async () => {
      const { page } = await openWithClock();
      const before = await shown(page);
      await page.context().setOffline(true);
      await page.getByRole("button", { name: "Atualizar" }).click();
      await notice(page)
        .filter({ hasText: /^Sem conexão com o servidor\. Exibindo dados de / })
        .waitFor();
      expect(await shown(page)).toEqual(before);
      await page.context().setOffline(false);
      await notice(page).waitFor({ state: "hidden" });
    });

    it("renews a token once, without a notice, when it has expired or is about to (A2)", async () => {
      const { page, advance, takeResponses } = await openWithClock();
      await expireOnce(page, PANEL);
      expect(await advance(61)).toEqual([
        "/auth/refresh 200",
        "/v1/frescor 304",
        "/v1/relatorios/painel 304",
        "/v1/relatorios/painel 401",
      ]);
      expect(await notice(page).isHidden()).toBe(true);
      for (let minute = 0; minute < 15; minute += 1) await advance(60);
      expect((await takeResponses()).filter((one) => one.endsWith(" 401"))).toEqual([]);
    });

    it("returns to the sign-in if the session has ended, and keeps period and unit (A2)", async () => {
      const { page } = await openWithClock("?periodo=mes-passado&unidade=painel-edge");
      const before = await shown(page);
      await page.route("**/auth/refresh", refuse(401, 1));
      await expireOnce(page, PANEL);
      await page.getByRole("button", { name: "Atualizar" }).click();
      await page.getByRole("alert").filter({ hasText: "Sua sessão expirou." }).waitFor();
      expect(await page.locator("#content").textContent()).not.toContain("R$");
      await page.unroute("**/auth/refresh");
      await signIn(page);
      await waitForPanel(page);
      expect(page.url()).toContain("?periodo=mes-passado&unidade=painel-edge");
      expect(await shown(page)).toEqual(before);
    });
  });

  it("is not needed by the example page of docs/painel.md, which shows the units from another origin (E7)", async () => {
    const [example] = fences.filter(({ page, language }) => page === "docs/painel.md" && language === "html");
    const html = example?.text.replace("http://127.0.0.1:8787", opened.base) ?? "";
    expect(html).toContain(opened.base);
    const elsewhere = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html").end(html);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    try {
      const { page } = await opened.open("/painel");
      await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
      await page.clock.install();
      await page.getByLabel("E-mail").fill("demo@example.com");
      await page.getByLabel("Password").fill("demo-password");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.locator("tr").first().waitFor();
      const { panel } = await answersOf(shifted(today, -6), today, "anterior");
      expect(await page.locator("tr td:last-child").allTextContents()).toEqual(
        panel.por_estabelecimento.data.map((row) => String(row.visitas)),
      );
      const again = page.waitForResponse("**/v1/relatorios/painel?**");
      await page.clock.runFor(61_000);
      expect((await again).status()).toBe(304);
    } finally {
      elsewhere.close();
    }
  });

  it.each([
    ["desk", { viewport: { width: 1280, height: 900 } }],
    ["phone", PHONE],
    ["dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" as const }],
    ["phone-dark", { ...PHONE, colorScheme: "dark" as const }],
  ])("passes the accessibility checks and fits the window: %s", async (name, options) => {
    const { page, complaints } = await opened.open("/painel", options);
    expect(await accessibilityViolations(page)).toEqual([]);
    await opened.shoot(page, `painel-sign-in-${name}`);
    await signIn(page);
    await waitForPanel(page);
    for (const details of await page.locator("summary").all()) await details.click();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    for (const details of await page.locator("summary").all()) await details.click();
    await opened.shoot(page, `painel-${name}`, true);
    expect(complaints).toEqual([]);
  });

  it.each(["", "?periodo=ano", "?periodo=hoje&unidade=painel-edge"])(
    "prints on one page: /painel%s",
    async (search) => {
      const { page } = await view(search, { colorScheme: "dark" });
      const sheet = (await page.pdf({ printBackground: true, preferCSSPageSize: true })).toString("latin1");
      expect(sheet.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    },
  );
});
