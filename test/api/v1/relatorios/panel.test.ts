// @module-tag server
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Rights, UNRESTRICTED } from "../../../../src/core/rights.ts";
import {
  databaseRequests,
  expectError,
  get,
  mendDatabase,
  read,
  send,
  sql,
} from "../../../support/worker/api.ts";
import { signTokenOf } from "../../../support/worker/client.ts";
import { insertEdgeCaseRows } from "../../../support/worker/edge-case-rows.ts";

beforeAll(insertEdgeCaseRows);
afterEach(() => {
  vi.useRealTimers();
});

const YEAR = "data_inicio=2025-11-10T10:00:00-03:00&data_fim=2026-10-20T15:00:00-03:00";
const ALL_TIME = "data_inicio=1900-01-02T00:00:00Z&data_fim=2200-12-30T00:00:00Z";

interface Answer {
  data: Record<string, unknown>[];
  linhas: number;
  totais: Record<string, unknown>;
  anterior?: { inicio: string; fim: string };
}
type Panel = Record<string, Answer | null> & { frescor: { direitos: unknown; agora: string } };

/** What a part of the panel is the answer of. */
const partsOf = (grain: string, question: string): Record<string, string> => {
  const plain = question.replace(/&?comparar=[^&]*/, "");
  const unit = /estabelecimento_id=[^&]*/.exec(question)?.[0] ?? "";
  return {
    faturamento: `faturamento?${question}&por=origem&limite=1100`,
    faturamento_por_periodo: `faturamento?${question}&por=${grain}&medidas=valor_total`,
    metas: `faturamento?${plain}&por=mes&medidas=valor_total,meta,valor_com_meta`,
    faturamento_por_unidade: `faturamento?${question}&por=unidade&limite=1100`,
    faturamento_por_unidade_e_periodo: `faturamento?${plain}&por=${grain},unidade&medidas=valor_total&limite=1100`,
    visitas: `visitas?${question}`,
    visitas_por_forma_pagamento: `visitas?${plain}&por=forma_pagamento&medidas=visitas,valor_total,taxas&limite=1100`,
    pagamentos:
      "pagamentos?por=centro_custo,faixa&situacao=1&medidas=pendentes,valor_pendente,vencimento_mais_antigo&limite=1100",
    metas_por_unidade: `faturamento?${plain}&por=mes,unidade&medidas=meta&limite=1100`,
    lancamentos_pendentes: `lancamentos?${unit}&sent_to_salon=false&medidas=lancamentos,valor_total`,
    servicos_por_profissional: `servicos?${question}&por=profissional&ordem=-valor_total&limite=10`,
    servicos_por_unidade_e_profissional: `servicos?${question}&por=unidade,profissional&medidas=servicos&limite=1100`,
    // Over a range, so that the report is not a 400. The edge-case rows span three centuries.
    pendentes: `visitas?${unit}&sent_to_erp=false&medidas=visitas,valor_total`,
  };
};

/** The rows of the same professionals as in `people`. */
const ofPeople = ({ data, ...rest }: Answer, people: Answer): Answer => {
  const ids = people.data.map((row) => row.profissional_salon_id);
  const rows = data.filter(({ profissional_salon_id: id }) => id !== null && ids.includes(id));
  const sumOf = (measures: unknown[]) =>
    measures.reduce<number>((sum, one) => sum + (one as { servicos: number }).servicos, 0);
  const totais = {
    servicos: sumOf(rows),
    ...(rest.anterior && { anterior: { servicos: sumOf(rows.map((row) => row.anterior)) } }),
  };
  return { ...rest, data: rows, linhas: rows.length, totais };
};

const withoutClock = (body: unknown) =>
  JSON.parse(JSON.stringify(body), (name, value) =>
    name === "atraso_segundos" || name === "agora" ? undefined : value,
  );

let nextUser = 930_000;
const readerWith = async (rights: Rights) => {
  nextUser += 1;
  const headers = { Authorization: `Bearer ${await signTokenOf(nextUser, rights)}` };
  return (path: string, more: Record<string, string> = {}) =>
    send(path, { headers: { ...headers, ...more } });
};

/** Reads as a user whose token is valid at the time of the test. */
const readThen = async <T>(path: string): Promise<T> =>
  (await (await readerWith(UNRESTRICTED))(path)).json<T>();
const readPanel = (query: string) => readThen<Panel>(`/v1/relatorios/painel?${query}`);

describe("GET /v1/relatorios/painel", () => {
  it.each([
    [YEAR, "mes"],
    [`${YEAR}&estabelecimento_id=102&comparar=mes-anterior`, "dia"],
    ["periodo=2026-10&comparar=anterior", "dia"],
    ["estabelecimento_id=201", "dia"],
    ["periodo=2026-10&comparar=semana-anterior", "hora"],
    ["estabelecimento_id=nowhere", "mes"],
  ])("returns what its reports return (R7): %s by %s", async (question, grain) => {
    const granularidade = grain === "mes" ? "" : `&granularidade=${grain}`;
    const { pendentes, ...panel } = await readPanel(`${question}${granularidade}`);
    const isCompared = question.includes("comparar");
    const { pendentes: unsent, ...reports } = partsOf(grain, question);
    for (const [name, report] of Object.entries(reports)) {
      const answer = await read<Answer>(`/v1/relatorios/${report}`);
      const isOfPeople = name === "servicos_por_unidade_e_profissional";
      const expected = isOfPeople ? ofPeople(answer, panel.servicos_por_profissional as Answer) : answer;
      expect([name, panel[name]]).toEqual([name, expected]);
    }
    const clients = await get(`/v1/relatorios/visitas?${question}&medidas=clientes,clientes_novos`);
    expect(panel.clientes).toEqual(await clients.json());
    const { data, ...rest } = await read<Answer>(`/v1/relatorios/${unsent}`);
    expect(pendentes).toMatchObject({ data: [data[0]], ...rest });
    expect(panel.faturamento_anterior === null).toBe(!isCompared);
    expect(panel.unidades).toEqual((await read<Answer>("/v1/estabelecimentos")).data);
    expect(withoutClock(panel.frescor)).toEqual(withoutClock(await read("/v1/frescor")));
  });

  it("returns the revenue of today and of the 56 days before it, whatever the range (R7)", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-10-16T23:30:00-03:00") });
    const panel = await readPanel("periodo=2026-01&comparar=mes-anterior&estabelecimento_id=102");
    const ends = (first: string, last: string) =>
      `data_inicio=${first}T00:00:00-03:00&data_fim=${last}T23:59:59.999999-03:00&estabelecimento_id=102`;
    for (const [name, report] of [
      ["faturamento_hoje", `${ends("2026-10-16", "2026-10-16")}&por=unidade`],
      ["faturamento_semanas", `${ends("2026-08-21", "2026-10-15")}&por=dia_semana,unidade`],
    ] as const)
      expect([name, panel[name]]).toEqual([
        name,
        await readThen(`/v1/relatorios/faturamento?${report}&medidas=valor_total&limite=1100`),
      ]);
    expect(panel.faturamento_semanas?.linhas).toBe(7);
  });

  it("tells what was not sent for 24 hours, and for 60 days, before the data instant from what came since (R7, R23)", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2027-03-16T12:00:00-03:00") });
    onTestFinished(async () => {
      await sql`delete from jobs_log where queue = 'unsent'`;
      await sql`delete from transacoes where salon_id like 'unsent-%'`;
      await sql`delete from lancamentos where salon_id like 'unsent-%'`;
    });
    // The data reach 10:30, so 24 hours before is 10:30 on 15 March, and 60 days before 10:30 on 15 January.
    await sql`insert into jobs_log (queue, job_name, status, duration_ms, created_at)
      values ('unsent', 'sync-transacoes', 'completed', 60000, '2027-03-16T10:31:20-03:00')`;
    const times = [
      "2027-01-15T10:30:00",
      "2027-01-15T10:30:00.000001",
      "2027-03-15T10:30:00",
      "2027-03-15T10:30:00.000001",
    ];
    for (const [n, at] of times.entries()) {
      await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
        values (${`unsent-${n}`}, 'unsent', ${String(10 ** n)}, ${`${at}-03:00`}, '{}')`;
      // Due long ago, but an entry is as old as its `synced_at`.
      await sql`insert into lancamentos (salon_id, estabelecimento_id, synced_at, raw_data)
        values (${`unsent-${n}`}, 'unsent', ${`${at}-03:00`},
          jsonb_build_object('DataVencimento', '2026-01-01', 'ValorBruto', ${10 ** n}::numeric))`;
    }
    const panel = await readPanel("periodo=hoje&estabelecimento_id=unsent");
    const totalsOf = (name: string) => panel[name]?.totais;
    const first = await sql`select to_json(timestamptz '2027-01-15T10:30:00-03:00') as at`;
    for (const [part, count, valor_total] of [
      ["pendentes", 4, 1111],
      ["pendentes_antigos", 3, 111],
      ["pendentes_60_dias", 1, 1],
    ] as const) {
      const entries = totalsOf(`lancamentos_${part}`);
      expect([part, entries]).toEqual([part, { lancamentos: count, valor_total }]);
      expect(totalsOf(part)).toEqual({ visitas: count, valor_total, primeira_visita: first[0]?.at });
    }
  });

  it.each([
    ["periodo=mes&comparar=mes-anterior", "2027-02-01T00:00:00-03:00", "2027-02-28T23:59:59.999999-03:00"],
    ["periodo=ano&comparar=ano-anterior", "2026-01-01T00:00:00-03:00", "2026-12-31T23:59:59.999999-03:00"],
    ["periodo=mes&comparar=anterior", "2027-02-13T00:00:00-03:00", "2027-02-28T23:59:59.999999-03:00"],
    [
      "periodo=2027-03-16&comparar=semana-anterior",
      "2027-03-09T00:00:00-03:00",
      "2027-03-09T23:59:59.999999-03:00",
    ],
    [
      "data_inicio=2027-03-02T00:00:00-03:00&data_fim=2027-03-20T12:00:00-03:00&comparar=mes-anterior",
      "2027-02-02T00:00:00-03:00",
      "2027-02-20T12:00:00-03:00",
    ],
  ])("returns the earlier range in full where %s cuts it at now (R7, R23)", async (question, since, till) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2027-03-16T12:00:00-03:00") });
    const { faturamento_anterior, faturamento } = await readPanel(`${question}&granularidade=dia`);
    const range = new URLSearchParams({ data_inicio: since, data_fim: till });
    expect(faturamento_anterior).toEqual(
      await readThen(`/v1/relatorios/faturamento?por=dia&medidas=valor_total&${range}`),
    );
    const { inicio = "", fim = "" } = faturamento?.anterior ?? {};
    expect(Date.parse(inicio)).toBe(Date.parse(since));
    expect(Date.parse(fim)).toBeLessThan(Date.parse(till));
  });

  it("returns 400 where a report by `granularidade` does (R22, R7)", async () => {
    // The edge-case rows span three centuries.
    const message = (coarser: string) =>
      new RegExp(
        "^The answer would have more than 1,100 periods\\. Rows matched from 1899-12-\\d\\d to 2199-12-\\d\\d\\. " +
          `Send ${coarser}both ends of a shorter range, or \`periodo\`\\.$`,
      );
    for (const [path, coarser] of [
      ["painel", ""],
      ["painel?granularidade=dia", "`mes` as `granularidade`, or "],
      ["faturamento?por=mes", "`ano` in `por`, or "],
    ] as const)
      await expectError(await get(`/v1/relatorios/${path}`), 400, "Bad Request", message(coarser));
    await expectError(
      await get(`/v1/relatorios/painel?${ALL_TIME}`),
      400,
      "Bad Request",
      /^The answer would have more than 1,100 periods\..* Send a shorter range\.$/,
    );
  });

  it("keeps its ETag while only clocks move, and is a 304 then (E10, F1, R23)", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2027-03-16T12:00:10-03:00") });
    const reader = await readerWith(UNRESTRICTED);
    const path = "/v1/relatorios/painel?periodo=mes&comparar=mes-anterior";
    const first = await reader(path);
    const body = await first.json<Panel>();
    const etag = first.headers.get("ETag") ?? "";
    vi.setSystemTime(Date.parse("2027-03-16T12:03:10-03:00"));
    const second = await reader(path);
    const later = await second.json<Panel>();
    expect(later.frescor.agora).not.toBe(body.frescor.agora);
    expect(later.visitas?.anterior).toEqual(body.visitas?.anterior);
    expect(second.headers.get("ETag")).toBe(etag);
    expect((await reader(path, { "If-None-Match": etag })).status).toBe(304);
    const other = await reader(path.replace("comparar=mes-anterior", "comparar=ano-anterior"));
    expect(other.headers.get("ETag")).not.toBe(etag);
  });

  it("reads all parts with one statement, so from one snapshot (R7)", async () => {
    await mendDatabase();
    await readPanel(`${YEAR}&comparar=ano-anterior`);
    expect(await databaseRequests()).toBe(1);
  });
});

describe("the panel of a reader with limits (R7, A11)", () => {
  it("has no payments without the right to them (R7, A11)", async () => {
    const reader = await readerWith({ ...UNRESTRICTED, payments: false });
    const body = await (await reader(`/v1/relatorios/painel?${YEAR}`)).json<Panel>();
    expect(body.pagamentos).toBeNull();
    expect(body.frescor.direitos).toMatchObject({ pagamentos: false });
    expect((await readPanel(YEAR)).pagamentos).not.toBeNull();
  });

  it("is a 403 for a unit outside the rights (A11)", async () => {
    const reader = await readerWith({ ...UNRESTRICTED, units: ["102"] });
    expect((await reader("/v1/relatorios/painel?estabelecimento_id=101")).status).toBe(403);
  });
});
