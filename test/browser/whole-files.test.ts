// @module-tag slow
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { clockOf } from "../support/workbook.ts";
import { base } from "./browser.ts";
import { breakOff, downloaded, fileButton } from "./downloads.ts";
import { DEMO, openPanel } from "./panel.ts";
import { all, type Row } from "./warehouse.ts";

const MARCH = "de=2025-03-01&ate=2025-03-31";
const ENDS = "data_inicio=2025-03-01T00:00:00-03:00&data_fim=2025-03-31T23:59:59.999999-03:00";
/** Too long for a number of JavaScript. */
const LONG_ID = "9007199254740995";

/** The body of a path, as a program reads it. */
const ask = async (path: string) => {
  const headers = { "Content-Type": "application/json" };
  const login = await fetch(`${base}/auth/login`, { method: "POST", headers, body: JSON.stringify(DEMO) });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const answer = await fetch(`${base}/v1/${path}`, { headers: { Authorization: `Bearer ${token}` } });
  return (await answer.json()) as { data: Row[]; pagination: { total_pages: number }; totais: Row };
};
/** All pages of a list. */
const askPages = async (path: string) => {
  const first = await ask(`${path}&per_page=200`);
  const others = Array.from({ length: first.pagination.total_pages - 1 }, (_, at) =>
    ask(`${path}&per_page=200&page=${at + 2}`),
  );
  return [first, ...(await Promise.all(others))].flatMap(({ data }) => data);
};

describe.runIf(hasChromium)("the files of long lists and tables of /painel", () => {
  beforeAll(async () => {
    await all(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_nome, raw_data)
       select 'whole-' || i, '101', 100 + i * 0.01, '2025-03-10T12:00:00-03:00'::timestamptz + i % 7 * interval '1 h',
         case i when 1 then '=1+1' when 2 then '007' end, '{}' from generate_series(1, 1103) i`,
    );
    await all(
      `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, produto_nome,
         quantidade, valor_total)
       select 'loja', 'whole-' || i, '202', '2025-03-10T12:00:00-03:00', to_char(i, 'FM0000000'), 'Whole ' || i, 2,
         10.01 from generate_series(1, 1105) i`,
    );
    await all(
      `insert into pagamentos_erp (erp_id, id_centro_custo, situacao, valor, data_vencimento, raw_data)
       select case when i = 1 then ${LONG_ID} else 880000 + i end, '007', 1, 1.5,
         case when i > 3 then date '2025-12-10' - i % 5 end, '{"whole": 1}' from generate_series(1, 1102) i`,
    );
  });
  afterAll(async () => {
    for (const rows of ["transacoes where salon_id", "vendas_produto where transacao_id"])
      await all(`delete from ${rows} like 'whole-%'`);
    await all(`delete from pagamentos_erp where raw_data::text like '%whole%'`);
  });

  it("hold every visit of a long list in the order of the screen, with the values of JSON (A2)", async () => {
    const { page, paths, complaints } = await openPanel(`?${MARCH}&unidade=101&lista=atendimentos`);
    paths.length = 0;
    const { name, rows } = await downloaded(page, "Atendimentos");
    expect(name).toBe("atendimentos-2025-03-01-2025-03-31.xlsx");
    expect(paths).toEqual([expect.stringMatching(/^\/v1\/transacoes\?.*&tudo=true$/)]);
    const records = await askPages(`transacoes?${ENDS}&estabelecimento_id=101`);
    const [titles = [], ...found] = rows;
    expect(records.length).toBeGreaterThan(1100);
    expect(titles.map((cell) => cell?.value)).toEqual([
      "Cliente",
      "Data",
      "Unidade",
      "Valor",
      "Forma de pagamento",
      "Serviços",
      "ERP",
      "Código",
    ]);
    const shown = found
      .slice(0, -1)
      .map(([client, at, , value, , services, , code]) => [
        client?.value,
        clockOf(at),
        at?.format,
        value,
        services?.value,
        code?.value,
      ]);
    expect(shown).toEqual(
      records.map((record) => [
        record.cliente_nome?.trim() || "Cliente não informado",
        new Date(Date.parse(`${record.data_hora.slice(0, 19)}Z`) - 3 * 3_600_000).toISOString(),
        "dd/mm/yyyy hh:mm",
        { value: Number(record.total), format: "[$R$-416] #,##0.00" },
        record.qtd_servicos ?? undefined,
        record.salon_id,
      ]),
    );
    const cents = records.reduce((sum, { total }) => sum + Math.round(100 * Number(total)), 0);
    expect([found.at(-1)?.[0]?.value, found.at(-1)?.[3]?.value]).toEqual(["Total", cents / 100]);
    expect(complaints).toEqual([]);
  });

  it("hold every payment by due day, with the digits of its code (A2, L10)", async () => {
    const { page } = await openPanel("?aba=financeiro&parte=contas&lista=vencimento");
    const { rows } = await downloaded(page, "Pagamentos pendentes");
    const records = await all(
      `select erp_id::text as code, data_vencimento::text as due, valor::float as value from pagamentos_erp
       where situacao = 1 order by data_vencimento, id`,
    );
    expect(records.length).toBeGreaterThan(1100);
    expect(
      rows.slice(1, -1).map(([, due, value, , , code]) => [due, value?.value ?? null, code?.value]),
    ).toEqual(
      records.map(({ due, value, code }) => [
        due === null
          ? { value: "Sem data" }
          : { value: Date.parse(due) / 86_400_000 + 25_569, format: "dd/mm/yyyy" },
        value,
        code,
      ]),
    );
  });

  it("hold every row of a report, though the screen does not (A2, R22)", async () => {
    const { page } = await openPanel(`?aba=mais&parte=produtos&${MARCH}&unidade=202`);
    await page
      .getByText(/^Exibindo 1\.100 de 1\.\d+ produtos, os de maior valor\. O total e o arquivo incluem/)
      .waitFor();
    const { rows } = await downloaded(page, "Produtos");
    const records = await all(
      `select produto_id as id, sum(valor_total)::float as value, sum(quantidade)::float as sold from vendas_produto
       where estabelecimento_id = '202' and data_hora >= '2025-03-01T00:00:00-03:00' and data_hora < '2025-04-01T00:00:00-03:00'
         and forma_pagamento is distinct from 'Descontar do Profissional' group by produto_id, produto_nome`,
    );
    expect(records.length).toBeGreaterThan(1100);
    const [titles = [], ...found] = rows;
    const valuesOf = (title: string) => {
      const at = titles.findIndex((cell) => cell?.value === title);
      return found.map((cells) => cells[at]?.value ?? null);
    };
    const [ids, values, sold] = ["Código", "Valor vendido", "Vendidos"].map(valuesOf) as [
      string[],
      number[],
      number[],
    ];
    const shown = ids.map((id, at) => [id, values[at], sold[at]]);
    // Products of the earlier period only are zeros.
    const ofPeriod = shown.slice(0, -1).filter(([, value]) => value !== 0);
    const keys = (cells: unknown[][]) => cells.map((row) => JSON.stringify(row)).sort();
    expect(keys(ofPeriod)).toEqual(keys(records.map((record) => [record.id, record.value, record.sold])));
    const { totais } = await ask(`relatorios/vendas?${ENDS}&estabelecimento_id=202&medidas=valor_total`);
    expect([found.at(-1)?.[0]?.value, values.at(-1)]).toEqual(["Total", totais.valor_total]);
    const earlier = valuesOf("Antes").map((value) => Math.round(100 * Number(value)));
    expect(earlier.at(-1)).toBeGreaterThan(0);
    expect(earlier.slice(0, -1).reduce((sum, cents) => sum + cents, 0)).toBe(earlier.at(-1));
  });

  const open = async (ending: "breaks" | "waits") => {
    const { page } = await openPanel(`?${MARCH}&unidade=101&lista=atendimentos`);
    await breakOff(page, ending);
    let saved = 0;
    page.on("download", () => {
      saved += 1;
    });
    await fileButton(page, "Atendimentos").click();
    return { page, savedCount: () => saved };
  };
  /** A later list is saved, so that an earlier file would have been seen. */
  const saveAgain = async (page: Page) => {
    await page.unroute(/tudo=true/);
    return downloaded(page, "Atendimentos");
  };

  it("are not saved if the connection breaks off, and say so (A2)", async () => {
    const { page, savedCount } = await open("breaks");
    await page.getByText("Nenhum arquivo foi salvo. A conexão caiu antes do fim. Tente novamente.").waitFor();
    await saveAgain(page);
    expect(savedCount()).toBe(1);
  });

  it("say how many records have arrived, and can be cancelled (A2)", async () => {
    const { page, savedCount } = await open("waits");
    await page
      .getByRole("status")
      .filter({ hasText: /^\d+ registros…$/ })
      .waitFor();
    await page.getByRole("button", { name: "Cancelar" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Cancelar" }).count()).toBe(0);
    expect(await page.getByText("Nenhum arquivo foi salvo.").count()).toBe(0);
    await saveAgain(page);
    expect(savedCount()).toBe(1);
  });
});
