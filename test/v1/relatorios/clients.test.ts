// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "../../support/worker/api.ts";
import { type Query, readReport } from "../../support/worker/general-reports.ts";

const UNIT = "clients";
const OTHER = "clients elsewhere";
const MAY = { data_inicio: "1955-05-01T00:00:00-03:00", data_fim: "1955-05-31T23:59:59.999999-03:00" };
const ask = (query: Query = {}) =>
  readReport("visitas", {
    estabelecimento_id: UNIT,
    medidas: "visitas,clientes,clientes_novos",
    ...MAY,
    ...query,
  });
const report = async (query?: Query) => (await ask(query)).totais;

let last = 0;
const visit = (client: string | null, at = "1955-05-05T15:00:00Z", unit = UNIT, name = client) => {
  last += 1;
  return sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome, raw_data)
    values (${`${UNIT} ${last}`}, ${unit}, 1, ${at}, ${client}, ${name}, '{}')`;
};
const clear = () => sql`delete from transacoes where estabelecimento_id in (${UNIT}, ${OTHER})`;

const clients = (clientes_novos: number, returning: number, visitas: number) => ({
  visitas,
  clientes: clientes_novos + returning,
  clientes_novos,
});

beforeAll(clear);
afterAll(clear);

describe("clients and new clients (R20)", () => {
  it("are different ids; a visit without one counts as a visit only (R20)", async () => {
    await clear();
    for (const client of ["K1", "K1", 'O\'Neil "x" é%', "", null, null]) await visit(client);
    expect(await report()).toEqual(clients(3, 0, 6));
    expect(await report({ data_fim: "1955-05-02T00:00:00Z" })).toEqual(clients(0, 0, 0));
  });

  it("are new if their first visit of all time is in the range, to the microsecond (R20)", async () => {
    await clear();
    await visit("at the start", "1955-05-01T03:00:00Z");
    await visit("just before", "1955-05-01T02:59:59.999999Z");
    await visit("just before");
    await visit("undated", "-infinity");
    await visit("undated");
    await visit("later", "1955-06-01T03:00:00Z");
    await visit("later");
    await visit("ever", "infinity");
    expect(await report()).toEqual(clients(2, 2, 4));
  });

  it("are those of the unit that is asked for, also as first visits (R20)", async () => {
    await clear();
    await visit("moved", "1955-01-01T15:00:00Z", OTHER);
    await visit("moved");
    expect(await report()).toEqual(clients(1, 0, 1));
    const { totais } = await readReport("visitas", { medidas: "clientes,clientes_novos", ...MAY });
    expect(totais.clientes_novos).toBe((totais.clientes as number) - 1);
  });

  it("are new in one month only, so that months add up to the range (R20)", async () => {
    await clear();
    await visit("both", "1955-05-31T15:00:00Z");
    await visit("both", "1955-06-01T15:00:00Z");
    await visit("june", "1955-06-01T15:00:00Z");
    // Two visits at the same time: the smaller id is the first.
    await visit("june", "1955-06-01T15:00:00Z");
    const range = { data_inicio: "1955-05-01T00:00:00-03:00", data_fim: "1955-06-30T23:59:59.999999-03:00" };
    const { data, totais } = await ask({ ...range, por: "mes" });
    expect(data).toEqual([
      { mes: "1955-05-01", ...clients(1, 0, 1) },
      { mes: "1955-06-01", ...clients(1, 1, 3) },
    ]);
    expect(totais).toEqual(clients(2, 0, 4));
  });

  it("have no other filter on their first visit (R20)", async () => {
    await clear();
    await visit("sent");
    await sql`update transacoes set sent_to_erp = true where estabelecimento_id = ${UNIT}`;
    await visit("sent", "1955-05-06T15:00:00Z");
    expect(await report({ sent_to_erp: "false" })).toEqual(clients(0, 1, 1));
    expect(await report({ sent_to_erp: "true" })).toEqual(clients(1, 0, 1));
  });
});

describe("`por=cliente` (R20, R21)", () => {
  const rows = async (query: Query = {}) =>
    (await ask({ por: "cliente", medidas: "visitas", ...query })).data.map((row) => [
      row.cliente_salon_id,
      row.cliente_nome,
      row.visitas,
    ]);

  it("names each client as the newest visit does, whatever the range (R20)", async () => {
    await clear();
    await visit("K1", "1955-05-05T15:00:00Z", UNIT, "Old");
    await visit("K1", "1999-05-05T15:00:00Z", OTHER, "New");
    await visit("K2");
    await visit(null, undefined, UNIT, "Nobody");
    expect(await rows()).toEqual([
      ["K1", "New", 1],
      ["K2", "K2", 1],
      [null, null, 1],
    ]);
  });

  it("keeps the clients with at least `visitas_min` visits, the row of null too, also in `totais` and in its `anterior` (R21)", async () => {
    await clear();
    for (const client of ["K1", "K1", "K2", null, null]) await visit(client);
    for (const client of ["K1", "K2", "K2", "K2"]) await visit(client, "1955-04-05T15:00:00Z");
    const asked = { por: "cliente", medidas: "visitas,clientes", visitas_min: "2" };
    const { data, linhas, totais } = await ask({ ...asked, comparar: "mes-anterior" });
    expect([data.map(({ cliente_salon_id }) => cliente_salon_id), linhas, totais]).toEqual([
      ["K1", null],
      2,
      { visitas: 4, clientes: 1, anterior: { visitas: 1, clientes: 1 } },
    ]);
    expect((await ask({ ...asked, por: "cliente,dia" })).totais).toEqual({ visitas: 4, clientes: 1 });
    expect(await rows({ visitas_min: "3" })).toEqual([]);
    const { data: byValue } = await ask({ por: "cliente", medidas: "valor_total", visitas_min: "2" });
    expect(byValue).toEqual([
      { cliente_salon_id: "K1", cliente_nome: "K1", valor_total: 2 },
      { cliente_salon_id: null, cliente_nome: null, valor_total: 2 },
    ]);
  });

  it("keeps the clients without a visit since an instant, also in `totais` (R21)", async () => {
    await clear();
    await visit("lost");
    await visit("came back");
    await visit("came back", "1999-05-05T15:00:00Z", OTHER);
    await visit(null);
    const query = { por: "cliente", medidas: "visitas" };
    const since = async (sem_visita_desde: string) => {
      const { data, totais } = await ask({ ...query, sem_visita_desde });
      return [data.map(({ cliente_salon_id }) => cliente_salon_id), totais.visitas];
    };
    expect(await since("1999-05-05T15:00:00Z")).toEqual([["lost"], 1]);
    expect(await since("1999-05-05T15:00:00.000001Z")).toEqual([["came back", "lost"], 2]);
    expect(await since("1955-05-05T15:00:00Z")).toEqual([[], 0]);
  });

  it("finds one client by the whole id (R21, L9)", async () => {
    await clear();
    for (const client of ["K1", "K1 ", "k1"]) await visit(client);
    expect(await rows({ cliente_salon_id: "K1" })).toEqual([["K1", "K1", 1]]);
  });
});
