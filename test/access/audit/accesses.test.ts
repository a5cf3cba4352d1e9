// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { SOURCES } from "../../../src/api/v1/relatorios/sources/index.ts";
import { type Document, operationsOf } from "../../support/document.ts";
import { DEMO, readDocument, sql } from "../../support/worker/api.ts";
import { ADDRESS, ask, begin, recorded, rowsOf, select, useReader } from "../../support/worker/audit.ts";
import { signTokenOf } from "../../support/worker/client.ts";

useReader();
let document: Document;
beforeAll(async () => {
  document = await readDocument();
});

const withRights = async (personalData: boolean) => ({
  Authorization: `Bearer ${await signTokenOf(77, { units: null, personalData, payments: true })}`,
});

interface Schema {
  $ref?: string;
  "x-personal-data"?: unknown;
  properties?: Record<string, Schema>;
  [name: string]: unknown;
}

/** Whether the document marks a field of a schema as personal. It does not call the code that records. */
const hasPersonalField = (schema: unknown): boolean => {
  if (typeof schema !== "object" || schema === null) return false;
  const { $ref, ...rest } = schema as Schema;
  if (rest["x-personal-data"] !== undefined) return true;
  const named = $ref && document.components.schemas[$ref.split("/").at(-1) ?? ""];
  return [named, ...Object.values(rest)].some(hasPersonalField);
};

const idIn = async (path: string): Promise<string> => {
  const list = JSON.parse((await ask(path.replace(/\/\{\w+\}/, ""))).body);
  const key = {
    transacoes: "salon_id",
    lancamentos: "salon_id",
    "pagamentos-erp": "erp_id",
    fechamentos: "mes",
  };
  return String(list.data[0][key[path.split("/")[2] as keyof typeof key] ?? "id"]);
};

const reads = () =>
  operationsOf(document).filter(({ method, path }) => method === "GET" && path.startsWith("/v1/"));
const isGeneral = (path: string) => SOURCES.some(({ name }) => path === `/v1/relatorios/${name}`);
const urlOf = async (path: string) =>
  path.includes("{") ? path.replace(/\{\w+\}/, encodeURIComponent(await idIn(path))) : path;

const PANEL = "/v1/relatorios/painel";

describe("an answer", () => {
  it("is recorded on exactly the routes whose document names a personal field (A15)", async () => {
    const found: Record<string, number> = {};
    const expected: Record<string, number> = {};
    for (const { path, operation } of reads()) {
      const schema = operation.responses["200"]?.content?.["application/json"]?.schema;
      const isReport = isGeneral(path) || path === PANEL;
      const url = isReport
        ? `${path}?periodo=2026-10${path === PANEL ? "" : "&limite=9"}`
        : await urlOf(path);
      found[path] = (await recorded(url)).length;
      // The errors of jobs, a general report without `por` by client, and the panel, which asks for none.
      const isException = isGeneral(path) || ["/v1/jobs-log", PANEL].includes(path);
      expected[path] = hasPersonalField(schema) && !isException ? 1 : 0;
    }
    expect(found).toEqual(expected);
    expect(Object.values(found).filter(Boolean).length).toBeGreaterThan(9);
  });

  it("of a general report is recorded if and only if a reader without the right may not ask for it (A15)", async () => {
    const without = await withRights(false);
    const outcomes: string[] = [];
    // The reports of some sources are refused as a whole.
    for (const { name, dimensions, needs } of SOURCES)
      for (const por of needs === "personalData" ? [] : Object.keys(dimensions)) {
        const path = `/v1/relatorios/${name}?periodo=2026-10&por=${por}`;
        const isRefused = (await ask(path, { headers: without })).response.status === 403;
        const count = (await recorded(path)).length;
        expect(count, path).toBe(isRefused ? 1 : 0);
        if (isRefused) outcomes.push(`${name} ${por}`);
      }
    expect(outcomes).toEqual(expect.arrayContaining(["visitas cliente", "lancamentos pessoa"]));
    expect(await recorded("/v1/relatorios/clientes?periodo=2026-10&por=cliente")).toHaveLength(1);
    expect(await recorded("/v1/relatorios/clientes?periodo=2026-10&por=unidade")).toEqual([]);
    expect(await recorded("/v1/relatorios/visitas?periodo=2026-10&novos=true")).toEqual([]);
  });

  it("is recorded wherever a reader without the right gets another one (A15)", async () => {
    const without = await withRights(false);
    const differing: string[] = [];
    // The panel and the freshness also say what the reader may read. Closings hide what operators wrote.
    const others = ["/v1/jobs-log", "/v1/frescor", PANEL, "/v1/fechamentos", "/v1/fechamentos/{mes}"];
    for (const { path } of reads().filter((one) => !isGeneral(one.path) && !others.includes(one.path))) {
      const url = await urlOf(path);
      const textOf = async (headers: HeadersInit = {}) =>
        (await ask(url, { headers })).body.replaceAll(/"next_after":"[^"]*"/g, "");
      const body = await textOf();
      // Some answers change with the time.
      if (body !== (await textOf())) continue;
      if (body === (await textOf(without))) continue;
      expect((await recorded(url)).length, path).toBe(1);
      differing.push(path);
    }
    expect(differing).toEqual(expect.arrayContaining(["/v1/transacoes/{id}", "/v1/alteracoes/lancamentos"]));
  });

  it("is recorded with its reader, route, record, client and rows (A15)", async () => {
    const [visit] =
      await sql`select salon_id, cliente_salon_id from transacoes where cliente_salon_id is not null limit 1`;
    const client = encodeURIComponent(visit?.cliente_salon_id);
    const [user] = await sql`select id from users where email = ${DEMO.email}`;
    const reader = {
      user_id: user?.id,
      email: DEMO.email,
      session_kind: "api",
      session_client: null,
      agent_token_id: null,
      address: ADDRESS,
      actor: null,
      change: null,
    };
    const [single] = await recorded(`/v1/transacoes/${encodeURIComponent(visit?.salon_id)}`);
    expect(single).toMatchObject({ ...reader, route: "/v1/transacoes/:id", record_id: visit?.salon_id });
    expect(single).toMatchObject({ cliente_id: null, row_count: 1, csv: false, at: expect.any(Date) });
    const { id, body } = await ask(`/v1/transacoes?cliente_salon_id=${client}&per_page=200`);
    const [list] = await rowsOf(id);
    expect(list).toMatchObject({ ...reader, route: "/v1/transacoes", record_id: null, csv: false });
    expect(list).toMatchObject({
      cliente_id: visit?.cliente_salon_id,
      row_count: JSON.parse(body).data.length,
    });
  });

  it("is recorded with the number of its rows, as JSON, CSV and feed (A15)", async () => {
    await sql`update transacoes set cliente_nome = 'a "b", [c] {d} \\ "' || chr(10) || 'e;f'
      where salon_id = (select salon_id from transacoes order by data_hora desc nulls last limit 1)`;
    for (const path of ["/v1/transacoes", "/v1/alteracoes/transacoes"])
      expect(await recorded(`${path}?per_page=7`), path).toMatchObject([{ row_count: 7, csv: false }]);
    for (const formato of ["csv", "excel"])
      expect(await recorded(`/v1/transacoes?per_page=7&formato=${formato}`)).toMatchObject([
        { row_count: 7, csv: true },
      ]);
    expect(await recorded("/v1/transacoes?per_page=7&page=999999")).toMatchObject([{ row_count: 0 }]);
    expect(await recorded("/v1/relatorios/visitas?periodo=2026&por=cliente&limite=5")).toMatchObject([
      { row_count: 5 },
    ]);
  });

  it("to HEAD and a 304 is recorded as the whole answer (A15)", async () => {
    const { response } = await ask("/v1/transacoes?per_page=3");
    const etag = response.headers.get("ETag") ?? "";
    const { response: same, id } = await ask("/v1/transacoes?per_page=3", {
      headers: { "If-None-Match": etag },
    });
    expect(same.status).toBe(304);
    expect(await rowsOf(id)).toMatchObject([{ row_count: 3 }]);
    expect(await recorded("/v1/transacoes?per_page=3", { method: "HEAD" })).toMatchObject([{ row_count: 3 }]);
  });

  it("that is a whole list is recorded when it begins, without a number, and at its end with it (A15, X2)", async () => {
    const recordsOf = async (path: string) => {
      const { id, body } = await ask(path);
      await expect.poll(() => select(id), { interval: 5 }).toHaveLength(2);
      return { rows: await select(id), lines: body.split("\n").length - 1 };
    };
    const { rows, lines } = await recordsOf("/v1/profissionais?tudo=true");
    expect(rows).toMatchObject([{ row_count: null }, { row_count: lines }]);
    expect((await recordsOf("/v1/profissionais?tudo=true&formato=csv")).rows).toMatchObject([
      { row_count: null, csv: true },
      { row_count: lines, csv: true },
    ]);
    expect(await recorded("/v1/profissionais?tudo=true&campos=nome,ativo")).toEqual([]);
    expect(await recorded("/v1/profissionais?tudo=true", { method: "HEAD" })).toMatchObject([
      { row_count: null },
    ]);
  });

  it("that is a whole list whose reader hangs up is recorded with the records that may have arrived (A15, X2)", async () => {
    const { response, id } = await begin("/v1/profissionais?tudo=true");
    await response.body?.cancel();
    await expect.poll(() => select(id), { interval: 5 }).toHaveLength(2);
    expect(await select(id)).toMatchObject([{ row_count: null }, { row_count: 100 }]);
  });

  it("without a personal field in `campos` or CSV is not recorded (A15)", async () => {
    expect(await recorded("/v1/transacoes?campos=salon_id,total")).toEqual([]);
    expect(await recorded("/v1/alteracoes/transacoes?campos=salon_id,total")).toEqual([]);
    // CSV has no payload, which is the only personal field of products.
    expect(await recorded("/v1/produtos?formato=csv")).toEqual([]);
    expect(await recorded("/v1/produtos?formato=csv&campos=salon_id,raw_data")).toHaveLength(1);
    expect(await recorded("/v1/transacoes?campos=cliente_nome")).toHaveLength(1);
    expect(await recorded("/v1/alteracoes/transacoes?campos=servicos")).toHaveLength(1);
  });

  it("to a filter by client is recorded even if `campos` names no personal field (A15)", async () => {
    expect(await recorded("/v1/transacoes?campos=salon_id&cliente_salon_id=C1")).toMatchObject([
      { cliente_id: "C1" },
    ]);
    expect(await recorded("/v1/relatorios/visitas?periodo=2026&por=mes&cliente_salon_id=C1")).toMatchObject([
      { cliente_id: "C1" },
    ]);
    // The name of a person is no id, and stays out of the record.
    expect(await recorded("/v1/relatorios/lancamentos?periodo=2026&por=mes&pessoa=Ana")).toMatchObject([
      { cliente_id: null },
    ]);
  });

  it("that refuses, or to a reader without the right to personal data, is not recorded (A15)", async () => {
    const without = await withRights(false);
    for (const path of ["/v1/transacoes", "/v1/profissionais", "/v1/alteracoes/vendas-produto"])
      expect(await recorded(path, { headers: without }), path).toEqual([]);
    const queries = ["?page=x", "/unknown", "?estabelecimento_id=", "?estabelecimento_id=nowhere"];
    const refused = queries.map((query) => `/v1/transacoes${query}`);
    for (const path of refused) {
      const { response, id } = await ask(path, { headers: { Prefer: "handling=strict" } });
      expect(response.status, path).toBeGreaterThanOrEqual(400);
      expect(await rowsOf(id), path).toEqual([]);
    }
    const { id } = await ask("/v1/transacoes", { headers: { Authorization: "" } });
    expect(await rowsOf(id)).toEqual([]);
  });

  it("is not recorded without the setting (A15)", async () => {
    expect(await recorded("/v1/transacoes", { settings: {} })).toEqual([]);
  });
});
