// @module-tag server
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { COMPARISONS } from "../../../src/core/periods.ts";
import { databaseRequests, get, mendDatabase, sql } from "../../support/worker/api.ts";
import { createClient, signTokenOf } from "../../support/worker/client.ts";
import {
  type GeneralAnswer,
  type Query,
  type Row,
  readReport,
} from "../../support/worker/general-reports.ts";

const UNIT = "comparison";
const GENERAL = ["faturamento", "visitas", "servicos", "vendas"];
const REPORTS = ["resumo", "painel", ...GENERAL];

afterEach(() => {
  vi.useRealTimers();
});

beforeAll(async () => {
  // A visit every seven hours, so that each day and each range has different sums.
  await sql.query(
    `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, sent_to_erp, raw_data)
     select '${UNIT}-' || n, '${UNIT}', n, timestamptz '2024-01-01T03:00:00Z' + n * interval '7 hours',
       case when n < 1380 then 'Pix' else 'Dinheiro' end, n % 3 = 0, '{}'
     from generate_series(0, 2500) as n`,
  );
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
const endsOf = (body: { anterior?: { inicio: string; fim: string } }): Query => ({
  data_inicio: body.anterior?.inicio ?? "",
  data_fim: body.anterior?.fim ?? "",
});

const RANGES: Query[] = [
  { periodo: "2025-02" },
  { periodo: "2025-03-31" },
  { data_inicio: "2025-01-10T10:00:00-03:00", data_fim: "2025-03-20T15:00:00.5-03:00" },
];

describe("comparar", () => {
  it("adds to the summary what the same request returns for the earlier range (R10)", async () => {
    for (const range of RANGES) {
      const plain = await (await ask("resumo", range)).text();
      for (const comparar of COMPARISONS) {
        const compared = await (await ask("resumo", { ...range, comparar })).text();
        const { inicio, fim } = JSON.parse(compared).anterior;
        const earlier = await (await ask("resumo", { data_inicio: inicio, data_fim: fim })).text();
        expect(compared).toBe(
          `${plain.slice(0, -1)},"anterior":{"inicio":"${inicio}","fim":"${fim}",${earlier.slice(1)}}`,
        );
        expect(earlier).not.toBe(plain);
      }
    }
  });

  /** Of `visitas`: zero for counts and sums, null for averages. */
  const EMPTY = { visitas: 0, valor_total: 0, ticket_medio: null };
  const measuresOf = ({ visitas, valor_total, ticket_medio }: Row) => ({
    visitas,
    valor_total,
    ticket_medio,
  });
  const read = (por: string, query: Query) =>
    readReport("visitas", {
      estabelecimento_id: UNIT,
      medidas: Object.keys(EMPTY).join(),
      limite: "1100",
      ...(por && { por }),
      ...query,
    });

  it("puts the earlier measures into the rows with the same dimensions, and into `totais` (R23)", async () => {
    for (const por of ["", "unidade", "forma_pagamento", "dia_semana", "enviada,forma_pagamento"]) {
      const keyOf = (row: Row) =>
        JSON.stringify(por.split(",").map((name) => row[name === "enviada" ? "sent_to_erp" : name]));
      const byKey = ({ data }: GeneralAnswer) => new Map(data.map((row) => [keyOf(row), measuresOf(row)]));
      for (const range of RANGES) {
        const plain = await read(por, range);
        for (const comparar of COMPARISONS) {
          const compared = await read(por, { ...range, comparar });
          const earlier = await read(por, endsOf(compared));
          const [ofNow, ofEarlier] = [byKey(plain), byKey(earlier)];
          const keys = [...new Set([...ofNow.keys(), ...ofEarlier.keys()])].sort();
          expect(compared.data.map(keyOf).sort(), `${por} ${comparar}`).toEqual(keys);
          for (const row of compared.data)
            expect([measuresOf(row), row.anterior]).toEqual([
              ofNow.get(keyOf(row)) ?? EMPTY,
              ofEarlier.get(keyOf(row)) ?? EMPTY,
            ]);
          expect(compared.totais).toEqual({ ...plain.totais, anterior: earlier.totais });
          expect(compared.linhas).toBe(keys.length);
        }
      }
    }
  });

  it("matches periods by their position, and later ones of the earlier range are in `totais` only (R23)", async () => {
    for (const por of ["dia", "semana", "mes", "trimestre", "ano"]) {
      for (const range of RANGES) {
        const plain = await read(por, range);
        for (const comparar of COMPARISONS) {
          const compared = await read(por, { ...range, comparar });
          const earlier = await read(por, endsOf(compared));
          expect(compared.data, `${por} ${comparar} ${JSON.stringify(range)}`).toEqual(
            plain.data.map((row, n) => ({
              ...row,
              anterior: earlier.data[n] ? measuresOf(earlier.data[n]) : EMPTY,
            })),
          );
          expect(compared.totais).toEqual({ ...plain.totais, anterior: earlier.totais });
        }
      }
    }
    // March has 31 days and February 28; February is also shorter than January.
    const days = async (periodo: string) => {
      const { data, totais } = await read("dia", { periodo, comparar: "mes-anterior" });
      const sum = data.reduce((n, { anterior }) => n + (anterior as { visitas: number }).visitas, 0);
      return [data.length, (totais.anterior as Row).visitas === sum];
    };
    expect(await days("2025-03")).toEqual([31, true]);
    expect(await days("2025-02")).toEqual([28, false]);
  });

  it("matches periods beside another dimension (R23)", async () => {
    const query = { periodo: "2025-02", comparar: "anterior" };
    const { data } = await read("mes,forma_pagamento", query);
    expect(
      data.map((row) => [
        row.mes,
        row.forma_pagamento,
        row.visitas !== 0,
        (row.anterior as Row).visitas !== 0,
      ]),
    ).toEqual([
      ["2025-02-01", "Dinheiro", true, false],
      ["2025-02-01", "Pix", true, true],
    ]);
  });

  it("orders by `variacao`, the difference of the first measure (R23)", async () => {
    const query = { periodo: "2025-02", comparar: "anterior", medidas: "visitas" };
    const forms = async (ordem: string) =>
      (await read("forma_pagamento", { ...query, ordem })).data.map(({ forma_pagamento }) => forma_pagamento);
    expect(await forms("variacao")).toEqual(["Pix", "Dinheiro"]);
    expect(await forms("-variacao")).toEqual(["Dinheiro", "Pix"]);
  });

  it("compares the month so far until now, and leaves that minute out of the ETag (R23)", async () => {
    // 25 May at 11:18:30 in Brasília. A past date would also move the clock of counters back.
    const year = new Date().getUTCFullYear() + 1;
    const now = Date.UTC(year, 4, 25, 14, 18, 30);
    vi.useFakeTimers({ toFake: ["Date"], now });
    const { send } = createClient();
    const headers = { Authorization: `Bearer ${await signTokenOf(810_000_002)}` };
    await sql.query(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
       values ('${UNIT}-fair', '${UNIT}', 1, '${year}-04-25T14:19:30Z', '[{"nome": "Corte", "valor": 1}]', '{}')`,
    );
    await sql.query(
      `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora)
       values ('salao', '${UNIT}-fair', '${UNIT}', '${year}-04-25T14:19:30Z')`,
    );
    const query = `periodo=mes&comparar=mes-anterior&estabelecimento_id=${UNIT}`;
    const askAfter = async (minutes: number, report: string, tag = "") => {
      vi.setSystemTime(now + minutes * 60_000);
      const response = await send(`/v1/relatorios/${report}?${query}`, {
        headers: { ...headers, ...(tag && { "If-None-Match": tag }) },
      });
      return {
        status: response.status,
        tag: response.headers.get("ETag") ?? "",
        // The clock of the panel's freshness moves, too.
        body: (await response.text()).replaceAll(/"(atraso_segundos":\d+|agora":"[^"]+")/g, ""),
      };
    };
    const ends = (minute: string) =>
      `"anterior":{"inicio":"${year}-04-01T03:00:00+00:00","fim":"${year}-04-25T14:${minute}:00+00:00"`;
    for (const report of REPORTS) {
      const first = await askAfter(0, report);
      expect(first.body).toContain(ends("18"));
      const second = await askAfter(1, report);
      expect(second).toEqual({ ...first, body: first.body.replaceAll("-04-25T14:18:00", "-04-25T14:19:00") });
      expect((await askAfter(1, report, first.tag)).status).toBe(304);
      const third = await askAfter(2, report, first.tag);
      expect(third.body).toContain(ends("20"));
      expect(third.tag).not.toBe(first.tag);
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
    const { data } = await read("", query);
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
