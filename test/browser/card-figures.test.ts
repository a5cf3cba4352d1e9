// @module-tag slow

import pg from "pg";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { BY_NAME } from "../support/by-name.ts";
import { hasChromium } from "../support/node/installed.ts";
import { type Opened, openBrowser } from "./browser.ts";
import { count, DAYS, money, openPanel, percent, plain, rowsOf, shifted, textOf, today } from "./panel.ts";

const [FROM, TO] = DAYS["mes-passado"] ?? ["", ""];
const END_OF_EARLIER = shifted(FROM, -1);
const EARLIER = [`${END_OF_EARLIER.slice(0, 8)}01`, END_OF_EARLIER];

/** An integer, so that differences are exact. */
const cents = (reais: number) => Math.round(100 * reais);
const inBrasilia = (day: string, time: string) => `${day}T${time}-03:00`;
/** Visits at both ends of the month, and services that lack a name, a number or a professional. */
const VISITS: [unit: string, total: number, at: string, client: string | null, services: unknown][] = [
  ["103", 90, inBrasilia(FROM, "00:00:00"), null, [{ nome: "Corte", valor: 50.05 }, { cortesia: true }]],
  [
    "103",
    10.1,
    inBrasilia(TO, "23:59:59.999999"),
    "card-client",
    [
      { nome: "", valor: "7", idProfissionalQueRealizouServico: "5006" },
      7,
      { nome: "Corte", valor: 10.1, cortesia: true, idProfissionalQueRealizouServico: "card-unknown" },
      { nome: "Corte", valor: 0.1, idProfissionalQueRealizouServico: 5006 },
    ],
  ],
  ["103", 1000, inBrasilia(shifted(TO, 1), "00:00:00"), "card-client", [{ nome: "Corte", valor: 1000 }]],
  ["101", 5, inBrasilia(shifted(FROM, 3), "12:00:00"), "card-other", null],
  // A client of another salon: new in 103 only.
  ["101", 5, inBrasilia(END_OF_EARLIER, "23:59:59.999999"), "card-client", [{ nome: "Corte", valor: 5 }]],
];
/** Payments at both ends of the ranges of due dates. */
const PAYMENTS: [centre: string | null, situacao: number, valor: number | null, due: string][] = [
  [null, 1, 10.1, shifted(today, -1)],
  ["card-centre", 1, 20, today],
  ["7003", 1, 30.3, shifted(today, 30)],
  ["7003", 1, 999, shifted(today, 31)],
  ["7003", 2, 999, shifted(today, -1)],
  ["7003", 1, null, "2024-01-05"],
];

const IN_RANGE = `data_hora >= ($1::date)::timestamp at time zone 'America/Sao_Paulo'
  and data_hora < ($2::date + 1)::timestamp at time zone 'America/Sao_Paulo'
  and ($3 = '' or estabelecimento_id = $3)`;
const SERVICES = `services as (
  select estabelecimento_id, s ->> 'idProfissionalQueRealizouServico' as professional,
    case when jsonb_typeof(s -> 'nome') = 'string' then s ->> 'nome' end as name,
    case when jsonb_typeof(s -> 'valor') = 'number' then (s -> 'valor')::numeric else 0 end as value,
    coalesce(s -> 'cortesia' = 'true', false) as free
  from transacoes,
    jsonb_array_elements(case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) s
  where jsonb_typeof(s) = 'object' and ${IN_RANGE})`;
/** The professional of a row: of the same unit first, then active ones, then the first. */
const professional = (
  column: string,
) => `(select ${column} from profissionais p where p.salon_id = professional
  order by p.salon_estabelecimento_id is not distinct from estabelecimento_id desc, p.ativo desc, p.id
  limit 1)`;
const UNIT_NAME = `coalesce((select nullif(trim(nome), '') || case when ativo then '' else ' (inativa)' end
  from estabelecimentos e where e.salon_id = estabelecimento_id), 'Unidade ' || estabelecimento_id)`;
const NAME = `coalesce(nullif(trim(${professional("nome")}), ''),
  'Profissional não cadastrado (cód. ' || professional || ')', 'Profissional não identificado')
  || ${UNIT_NAME}`;

describe.runIf(hasChromium)("the figures of the cards of /painel", () => {
  let opened: Opened;
  let db: pg.Client;
  // biome-ignore lint/suspicious/noExplicitAny: rows of SQL
  const all = async (sql: string, values: unknown[] = []): Promise<any[]> =>
    (await db.query(sql, values)).rows;
  const removeOwnRows = async () => {
    await all("delete from transacoes where salon_id like 'card-%'");
    await all("delete from pagamentos_erp where descricao = 'card'");
  };

  beforeAll(async () => {
    opened = await openBrowser();
    db = new pg.Client({ connectionString: inject("postgresUrl") });
    await db.connect();
    for (const [index, [unit, total, at, client, services]] of VISITS.entries())
      await all(
        `insert into transacoes
             (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, servicos, raw_data)
           values ($1, $2, $3, $4, $5, $6, '{}')`,
        [`card-${index}`, unit, total, at, client, JSON.stringify(services)],
      );
    for (const [index, payment] of PAYMENTS.entries())
      await all(
        `insert into pagamentos_erp
             (erp_id, id_centro_custo, situacao, valor, data_vencimento, descricao, raw_data)
           values ($1, $2, $3, $4, $5, 'card', '{}')`,
        [880_000 + index, ...payment],
      );
  });
  afterAll(async () => {
    await opened?.close();
    await removeOwnRows();
    await db?.end();
  });

  const production = async (view: string[]) => {
    const rows = await all(
      `with ${SERVICES} select ${NAME} as name, services, free, value::float, total::float from (
         select estabelecimento_id, nullif(professional, '') as professional, count(*)::int as services,
           (count(*) filter (where free))::int as free, round(sum(value), 2) as value,
           sum(round(sum(value), 2)) over () as total
         from services group by 1, 2) as rows order by value desc, estabelecimento_id, professional`,
      view,
    );
    return rows.map(({ name, services, free, value, total }) => [
      plain(name),
      money(value),
      percent(value / total),
      count(services),
      count(free),
    ]);
  };

  const services = async ([from, to, unit]: string[]) => {
    const sums = (values: unknown[]) =>
      all(
        `with ${SERVICES} select name, count(*)::int as services,
           (count(*) filter (where free))::int as free,
           round(sum(value), 2)::float as value
         from services group by name order by value desc, name limit 200`,
        values,
      );
    const earlier = await sums([...EARLIER, unit]);
    return (await sums([from, to, unit])).map(({ name, services, free, value }) => {
      const before = earlier.find((row) => row.name === name)?.value;
      return [
        plain(name ?? "") || "Serviço sem nome",
        money(value),
        before > 0 ? percent((cents(value) - cents(before)) / cents(before), "exceptZero") : "—",
        before === undefined ? "—" : money(before),
        count(services),
        count(free),
      ];
    });
  };

  const hours = async (view: string[]) => {
    const rows = await all(
      `select extract(isodow from at)::int as day, extract(hour from at)::int as hour,
           count(*)::int as visits
         from (select data_hora at time zone 'America/Sao_Paulo' as at
           from transacoes where ${IN_RANGE}) as visits
         group by 1, 2 order by 2`,
      view,
    );
    const columns = Array.from(
      { length: rows.at(-1).hour - rows[0].hour + 1 },
      (_, index) => rows[0].hour + index,
    );
    const names = ["seg.", "ter.", "qua.", "qui.", "sex.", "sáb.", "dom."];
    const visits = (day: number, hour: number) =>
      rows.find((row) => row.day === day && row.hour === hour)?.visits ?? 0;
    return [
      columns.map((hour) => `${hour}h`),
      ...names.map((name, index) => [name, ...columns.map((hour) => count(visits(index + 1, hour)))]),
    ];
  };

  const clients = async (view: string[]) => {
    const [sums] = await all(
      `with visits as (select * from transacoes where ${IN_RANGE}),
         clients as (select cliente_salon_id as id, exists (select from transacoes t
           where t.cliente_salon_id = visits.cliente_salon_id and ($3 = '' or t.estabelecimento_id = $3)
             and t.data_hora < ($1::date)::timestamp at time zone 'America/Sao_Paulo') as is_known
           from visits where cliente_salon_id is not null group by 1)
       select (select count(*) from clients)::int as all,
         (select count(*) from clients where not is_known)::int as new,
         count(*)::int as visits,
         (count(*) filter (where cliente_salon_id is null))::int as nobody from visits`,
      view,
    );
    const part = (of: number) => `${count(of)} (${percent(of / sums.all)})`;
    return [
      count(sums.all),
      part(sums.new),
      part(sums.all - sums.new),
      count(sums.visits),
      count(sums.nobody),
    ];
  };

  const payments = async (unit: string) => {
    const dueFrom = (from: string, to: string) =>
      all(
        `select id_centro_custo as id, coalesce(sum(valor), 0)::float as value, count(*)::int as payments
           from pagamentos_erp where situacao = 1 and data_vencimento between $1 and $2
             and ($3 = '' or id_centro_custo =
               (select erp_centro_custo_id::text from estabelecimentos where salon_id = $3))
           group by 1 order by 2 desc, 1`,
        [from, to, unit],
      );
    const names = new Map(
      (
        await all(
          "select erp_centro_custo_id as id, nome from estabelecimentos where erp_centro_custo_id > 0",
        )
      ).map(({ id, nome }) => [id, nome]),
    );
    const late = await dueFrom("1900-01-01", shifted(today, -1));
    const soon = await dueFrom(today, shifted(today, 30));
    const amount = (rows: { value: number; payments: number }[]) => {
      const payments = rows.reduce((sum, row) => sum + row.payments, 0);
      const value = rows.reduce((sum, row) => sum + row.value, 0);
      return `${money(value)} ${count(payments)} pagamento${payments === 1 ? "" : "s"}`;
    };
    const ids: (string | null)[] = [...new Set([...late, ...soon].map(({ id }) => id))];
    const of = (rows: { id: string; value: number; payments: number }[], id: string | null) =>
      amount(rows.filter((row) => row.id === id));
    return {
      sums: [amount(late), amount(soon)],
      rows: ids.map((id) => [
        id === null ? "Sem centro de custo" : (names.get(id) ?? `Centro de custo ${id}`),
        of(late, id),
        of(soon, id),
      ]),
    };
  };

  const unmapped = async (view: string[]) => {
    const rows = await all(
      `with took_part as (select distinct t.id, t.estabelecimento_id, total,
           nullif(s ->> 'idProfissionalQueRealizouServico', '') as professional
         from transacoes t left join lateral jsonb_array_elements(
           case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) s
           on nullif(s ->> 'idProfissionalQueRealizouServico', '') is not null
         where ${IN_RANGE})
       select ${NAME} as name, value::float, visits from (
         select estabelecimento_id, professional, sum(total) as value, count(*)::int as visits
         from took_part group by 1, 2) as rows
       where ${professional("erp_centro_custo_id")} is null
       order by rows.value desc, estabelecimento_id, professional`,
      view,
    );
    const units = await all(
      `select nome from estabelecimentos where ativo and erp_centro_custo_id is null
         and ($1 = '' or salon_id = $1) order by ${BY_NAME}`,
      [view[2]],
    );
    return {
      units: plain(units.map(({ nome }) => nome).join(", ")),
      rows: rows.map(({ name, value, visits }) => [plain(name), money(value), count(visits)]),
    };
  };

  const textsOf = async (page: Page, selector: string) =>
    (await page.locator(selector).allTextContents()).map(plain);
  /** What the page shows, in the order of `expected`. */
  const shown = async (page: Page) => ({
    production: await rowsOf(page, "professionals"),
    services: await rowsOf(page, "services"),
    hours: [await textsOf(page, "#hours thead th"), ...(await rowsOf(page, "hours"))],
    clients: [await textOf(page, "#clients .figure"), ...(await textsOf(page, "#clients dd"))],
    payments: { sums: await textsOf(page, "#payments dd"), rows: await rowsOf(page, "payments") },
    unmapped: {
      units: (await textsOf(page, "#unmapped > .more")).join().replace(/^.*?: |\.$/g, ""),
      rows: await rowsOf(page, "unmapped"),
    },
  });

  it.each([
    ["all units", ""],
    ["a salon", "103"],
  ])("are those of plain SQL, for %s (R9, R20)", async (_, unit) => {
    const { page, complaints } = await openPanel(opened, `?periodo=mes-passado&unidade=${unit}`);
    const view = [FROM, TO, unit];
    const expected = {
      production: await production(view),
      services: await services(view),
      hours: await hours(view),
      clients: await clients(view),
      payments: await payments(unit),
      unmapped: await unmapped(view),
    };
    expect(await shown(page)).toEqual(expected);
    expect(expected.services.some(([, , , before]) => before !== "—")).toBe(true);
    expect(expected.unmapped.rows.length).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
  });
});
