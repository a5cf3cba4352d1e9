// @module-tag server
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { databaseRequests, get, mendDatabase, sql } from "../../../support/worker/api.ts";
import { createClient, signTokenOf } from "../../../support/worker/client.ts";
import type { GeneralAnswer, Query, Row } from "../../../support/worker/general-reports.ts";

const UNIT = "comparison";
const REPORTS = ["resumo", "painel", "faturamento", "visitas", "servicos", "vendas"];

afterEach(() => {
  vi.useRealTimers();
});

beforeAll(async () => {
  await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data) values
    (${`${UNIT}-1`}, ${UNIT}, 10, '2025-01-15T15:00:00Z', '{}'),
    (${`${UNIT}-2`}, ${UNIT}, 25.5, '2025-02-15T15:00:00Z', '{}')`;
  return async () => {
    for (const table of ["transacoes", "vendas_produto"])
      await sql.query(`delete from ${table} where estabelecimento_id = '${UNIT}'`);
  };
});
const ask = async (report: string, query: Query) => {
  const response = await get(
    `/v1/relatorios/${report}?${new URLSearchParams({ estabelecimento_id: UNIT, ...query })}`,
  );
  expect(response.status, `${report} ${JSON.stringify(query)} ${await response.clone().text()}`).toBe(200);
  return response;
};
describe("comparar", () => {
  /** 25 May of the next year at 11:18:30 in Brasília. A past date would also move the clock of counters back. */
  const YEAR = new Date().getUTCFullYear() + 1;
  const NOW = Date.UTC(YEAR, 4, 25, 14, 18, 30);
  const ofDay = (time: string) => `${YEAR}-05-25T${time}Z`;
  /** A run of the job that brings visits. */
  const addRun = async (id: string, started: string | undefined, completed: string, duration = 0) => {
    if (started !== undefined)
      await sql`insert into jobs_log (queue, job_name, job_id, status, created_at) values ('test', 'sync-transacoes', ${`${UNIT} ${id}`}, 'started', ${started})`;
    await sql`insert into jobs_log (queue, job_name, job_id, status, created_at, duration_ms)
      values ('test', 'sync-transacoes', ${`${UNIT} ${id}`}, 'completed', ${completed}, ${duration})`;
  };
  const clearRuns = () => sql.query(`delete from jobs_log where job_id like '${UNIT} %'`);
  const askNow = async (report: string, query: string, etag = "") => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    const { send } = createClient();
    const headers = { Authorization: `Bearer ${await signTokenOf(810_000_002)}` };
    const response = await send(`/v1/relatorios/${report}?${query}`, {
      headers: { ...headers, ...(etag && { "If-None-Match": etag }) },
    });
    vi.useRealTimers();
    const body = await response.text();
    return { status: response.status, tag: response.headers.get("ETag") ?? "", body };
  };
  const addDay = async (day: string, id: string) => {
    await sql.query(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
       values ('${UNIT}-${id}', '${UNIT}', 1, '${day}', '[{"nome": "Corte", "valor": 1}]', '{}')`,
    );
    await sql.query(
      `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora)
       values ('salao', '${UNIT}-${id}', '${UNIT}', '${day}')`,
    );
  };

  it("compares the month so far until the data reaches, and says until when (R23)", async () => {
    const query = `periodo=mes&comparar=mes-anterior&estabelecimento_id=${UNIT}`;
    await addDay(`${YEAR}-04-25T13:04:30Z`, "fair");
    // Overlapping runs: the one that started last brought the newest data.
    await addRun("1", ofDay("13:04:40"), ofDay("13:09:00"));
    await addRun("2", ofDay("12:04:40"), ofDay("13:12:00"));
    await addRun("later", ofDay("14:10:00"), ofDay("14:19:00"));
    try {
      const ends = (minute: string) =>
        `"anterior":{"inicio":"${YEAR}-04-01T03:00:00+00:00","fim":"${YEAR}-04-25T${minute}:00+00:00","ate":"${YEAR}-05-25T${minute}:00+00:00"`;
      const before = new Map<string, string>();
      for (const report of REPORTS) {
        const { body, tag } = await askNow(report, query);
        expect(body, report).toContain(ends("13:04"));
        before.set(report, tag);
      }
      // Without an entry of its start, a run started as long before as it took.
      await addRun("3", undefined, ofDay("14:09:59"), 5 * 60_000);
      for (const report of REPORTS) {
        const { status, body, tag } = await askNow(report, query, before.get(report));
        expect([report, status]).toEqual([report, 200]);
        expect(body).toContain(ends("14:04"));
        expect((await askNow(report, query, tag)).status).toBe(304);
      }
      const visits = async () =>
        JSON.parse((await askNow("visitas", `${query}&medidas=visitas`)).body).totais;
      expect(await visits()).toEqual({ visitas: 0, anterior: { visitas: 1 } });
    } finally {
      await clearRuns();
    }
  });

  it("compares a day that is over until the data reaches, and counts what came later in the day itself (R23)", async () => {
    const yesterday = `data_inicio=${YEAR}-05-24T00:00:00-03:00&data_fim=${YEAR}-05-24T23:59:59-03:00`;
    await addRun("4", `${YEAR}-05-24T20:04:00Z`, `${YEAR}-05-24T20:09:00Z`);
    await addDay(`${YEAR}-05-24T20:06:00Z`, "after");
    await addDay(`${YEAR}-05-17T20:04:00Z`, "at");
    await addDay(`${YEAR}-05-17T20:04:01Z`, "past");
    try {
      const query = `medidas=visitas&comparar=semana-anterior&estabelecimento_id=${UNIT}&${yesterday}`;
      const { anterior, totais } = JSON.parse((await askNow("visitas", query)).body);
      expect(anterior).toMatchObject({
        fim: `${YEAR}-05-17T20:04:00+00:00`,
        ate: `${YEAR}-05-24T20:04:00+00:00`,
      });
      expect(totais).toEqual({ visitas: 1, anterior: { visitas: 1 } });
    } finally {
      await clearRuns();
    }
  });

  it("compares with nothing if the data does not reach the start, and says how far it reaches (R23)", async () => {
    await addRun("5", `${YEAR}-05-24T20:04:00Z`, `${YEAR}-05-24T20:09:00Z`);
    // At the start of the earlier range, of which nothing counts.
    await addDay(`${YEAR}-05-18T03:00:00Z`, "start");
    try {
      const query = `comparar=semana-anterior&estabelecimento_id=${UNIT}&periodo=hoje`;
      const start = `${YEAR}-05-18T03:00:00+00:00`;
      const ends = { inicio: start, fim: start, ate: `${YEAR}-05-24T20:04:00+00:00` };
      for (const por of [
        "",
        "por=mes&",
        "por=dia&",
        "por=forma_pagamento&",
        "medidas=visitas,valor_total,clientes&",
      ]) {
        const { anterior, totais } = JSON.parse((await askNow("visitas", `${por}${query}`)).body);
        expect(anterior).toEqual(ends);
        expect([por, totais.anterior.visitas, totais.anterior.valor_total]).toEqual([por, 0, 0]);
      }
      const { anterior } = JSON.parse((await askNow("resumo", query)).body);
      expect(anterior).toMatchObject({ ...ends, transacoes: { total: 0, valor_total: 0 } });
    } finally {
      await clearRuns();
    }
  });

  it("reads both ranges with one statement, so from one snapshot (R10, R7)", async () => {
    for (const report of REPORTS) {
      await mendDatabase();
      await ask(report, { periodo: "2025-02", comparar: "ano-anterior" });
      expect(await databaseRequests(), report).toBe(1);
    }
  });

  it("is in CSV as a column of each measure (R23, X1)", async () => {
    const query = { por: "mes", medidas: "ticket_medio,visitas", periodo: "2025-02", comparar: "anterior" };
    const { data } = await (await ask("visitas", query)).json<GeneralAnswer>();
    const [row = {}] = data;
    const earlier = row.anterior as Row;
    const csv = async (formato: string) => (await ask("visitas", { ...query, formato })).text();
    const header = ["mes", "visitas", "ticket_medio", "anterior_visitas", "anterior_ticket_medio"];
    const money = (value: unknown) => Number(value).toFixed(2);
    const values = [row.visitas, money(row.ticket_medio), earlier.visitas, money(earlier.ticket_medio)];
    expect(await csv("csv")).toBe(`${header.join()}\r\n2025-02-01,${values.join()}\r\n`);
    const inBrazil = values.join(";").replaceAll(".", ",");
    expect(await csv("excel")).toBe(`${header.join(";")}\r\n01/02/2025;${inBrazil}\r\n`);
  });
});
