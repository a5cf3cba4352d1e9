// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read, sql } from "../../support/api.ts";

const UNIT = "clients";
const OTHER = "clients elsewhere";
const path = (query: Record<string, string> = {}) =>
  `/v1/relatorios/clientes?${new URLSearchParams({ estabelecimento_id: UNIT, ...query })}`;
const MAY = { data_inicio: "1955-05-01T00:00:00-03:00", data_fim: "1955-05-31T23:59:59.999999-03:00" };
const report = (query: Record<string, string> = {}) => read(path({ ...MAY, ...query }));

let last = 0;
const visit = (client: string | null, at = "1955-05-05T15:00:00Z", unit = UNIT) => {
  last += 1;
  return sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, raw_data)
    values (${`${UNIT} ${last}`}, ${unit}, 1, ${at}, ${client}, '{}')`;
};
const clear = () => sql`delete from transacoes where estabelecimento_id in (${UNIT}, ${OTHER})`;

const clients = (novos: number, recorrentes: number, visitas: number, visitas_sem_cliente = 0) => ({
  clientes: novos + recorrentes,
  novos,
  recorrentes,
  visitas,
  visitas_sem_cliente,
});

beforeAll(clear);
afterAll(clear);

describe("the report on clients (R14)", () => {
  it("counts each client once, and visits without a client separately (R14)", async () => {
    await clear();
    for (const client of ["K1", "K1", 'O\'Neil "x" é%', "", null, null]) await visit(client);
    expect(await report()).toEqual(clients(3, 0, 6, 2));
    expect(await report({ data_fim: "1955-05-02T00:00:00Z" })).toEqual(clients(0, 0, 0));
  });

  it("counts a client as new if no visit is before the start, to the microsecond (R14)", async () => {
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

  it("considers only visits of the unit that is asked for, also as first visits (R14)", async () => {
    await clear();
    await visit("moved", "1955-01-01T15:00:00Z", OTHER);
    await visit("moved");
    expect(await report()).toEqual(clients(1, 0, 1));
    const everywhere = await read<Record<string, number>>(
      `/v1/relatorios/clientes?${new URLSearchParams(MAY)}`,
    );
    expect(everywhere.recorrentes).toBe(1);
  });

  it("requires both ends, and at most 400 days in Brasília with the first and the last (R14)", async () => {
    await clear();
    for (const query of [{}, { data_inicio: MAY.data_inicio }, { data_fim: MAY.data_fim }])
      await expectError(
        await get(path(query)),
        400,
        "Bad Request",
        /^`data_inicio` and `data_fim` are required/,
      );
    const range = (data_inicio: string, data_fim: string) => ({ data_inicio, data_fim });
    // From the last minute of a day to the first of the day 399 days later.
    await report(range("2025-01-01T23:59:00-03:00", "2026-02-04T00:00:00-03:00"));
    for (const tooLong of [
      range("2025-01-01T23:59:00-03:00", "2026-02-05T00:00:00-03:00"),
      range("1900-01-01T00:00:00Z", "2200-12-31T00:00:00Z"),
    ])
      await expectError(await get(path(tooLong)), 400, "Bad Request", /more than 400 days.*`data_inicio`/);
  });
});
