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
        // These ranges are over, and the data has reached their ends.
        const earlier = await (await ask("resumo", { data_inicio: inicio, data_fim: fim })).text();
        expect(compared).toBe(
          `${plain.slice(0, -1)},"anterior":{"inicio":"${inicio}","fim":"${fim}","ate":null,${earlier.slice(1)}}`,
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

  const DAY = 86_400_000;
  const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
  const MONTHS: Record<string, number> = { "mes-anterior": 1, "ano-anterior": 12 };

  /** The day to which an earlier day moves; of a month without such a day, the last. */
  const movedDay = (day: string, comparar: string, days: number): string => {
    const date = new Date(day);
    const months = MONTHS[comparar];
    if (months === undefined) return dayText(date.getTime() + (comparar === "anterior" ? days : 7) * DAY);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
    return dayText(Math.min(Date.UTC(year, month, date.getUTCDate()), Date.UTC(year, month + 1, 0)));
  };
  const PERIOD_OF: Record<string, (day: string) => string> = {
    dia: (day) => day,
    semana: (day) => dayText(Date.parse(day) - ((new Date(day).getUTCDay() + 6) % 7) * DAY),
    mes: (day) => `${day.slice(0, 7)}-01`,
    trimestre: (day) =>
      `${day.slice(0, 5)}${String(Math.floor((Number(day.slice(5, 7)) - 1) / 3) * 3 + 1).padStart(2, "0")}-01`,
    ano: (day) => `${day.slice(0, 4)}-01-01`,
  };
  const sumsOf = (rows: Row[]) => ({
    visitas: rows.reduce((sum, row) => sum + Number(row.visitas), 0),
    valor_total: rows.reduce((sum, row) => sum + Number(row.valor_total), 0),
  });

  it("counts each earlier day in the period into which it moves (R23)", async () => {
    const ranges = [
      ...RANGES,
      { periodo: "2025-10" },
      { periodo: "2025-S43" },
      { periodo: "2025-T3" },
      { periodo: "2025" },
      { data_inicio: "2025-02-27T00:00:00-03:00", data_fim: "2025-03-31T23:59:59.999999-03:00" },
    ];
    for (const range of ranges) {
      const days = (await read("dia", range)).data.map(({ dia }) => String(dia));
      const [first = "", last = ""] = [days[0], days.at(-1)];
      for (const comparar of COMPARISONS) {
        const earlier = (await read("dia", endsOf(await read("", { ...range, comparar })))).data;
        for (const [por, periodOf] of Object.entries(PERIOD_OF)) {
          const { data, totais } = await read(por, { ...range, comparar });
          const moved = earlier.flatMap((row) => {
            const day = movedDay(String(row.dia), comparar, days.length);
            const isLast = por === "dia" && comparar in MONTHS && day.slice(8) !== String(row.dia).slice(8);
            const inside = [first, day, last].sort()[1] ?? day;
            return isLast || (por === "dia" && inside !== day) ? [] : [{ ...row, period: periodOf(inside) }];
          });
          const what = `${por} ${comparar} ${JSON.stringify(range)}`;
          expect(
            data.map((row) => [row[por], sumsOf([row.anterior as Row])]),
            what,
          ).toEqual(data.map((row) => [row[por], sumsOf(moved.filter(({ period }) => period === row[por]))]));
          if (por === "dia") continue;
          expect(sumsOf(data.map(({ anterior }) => anterior as Row)), what).toEqual(
            sumsOf([totais.anterior as Row]),
          );
        }
      }
    }
  });

  it("leaves the counterpart of a day that the other month does not have to `totais` (R23)", async () => {
    const days = async (periodo: string) => {
      const { data, totais } = await read("dia", { periodo, comparar: "mes-anterior" });
      const counted = data.map(({ anterior }) => (anterior as { visitas: number }).visitas);
      const sum = counted.reduce((one, other) => one + other);
      return [
        data.length,
        (totais.anterior as Row).visitas === sum,
        counted.slice(28).some((count) => count > 0),
      ];
    };
    // March has 31 days and February 28; February is also shorter than January.
    expect(await days("2025-03")).toEqual([31, true, false]);
    expect(await days("2025-02")).toEqual([28, false, false]);
  });

  it("counts different clients of the moved days, beside the same earlier visits as without them (R23)", async () => {
    const query = { periodo: "2025-10", comparar: "anterior" };
    for (const por of ["", "mes", "semana"]) {
      const counted = await read(por, { ...query, medidas: "visitas,clientes,clientes_novos" });
      const plain = await read(por, { ...query, medidas: "visitas" });
      const visits = ({ data, totais, anterior }: GeneralAnswer) => [
        anterior,
        ...[...data, totais].map((row) => (row.anterior as Row).visitas),
      ];
      expect(visits(counted)).toEqual(visits(plain));
      const earlier = await read("", { ...endsOf(counted), medidas: "clientes" });
      expect((counted.totais.anterior as Row).clientes).toBe(earlier.totais.clientes);
      // One month: all earlier days are in it.
      if (por === "mes")
        expect(((counted.data[0]?.anterior ?? {}) as Row).clientes).toBe(earlier.totais.clientes);
    }
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
