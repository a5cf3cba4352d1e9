// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, read, sql } from "../../support/worker/api.ts";

type Service = Record<string, unknown>;
interface Transacao extends Record<string, unknown> {
  salon_id: string;
  servicos: Service[] | null;
}

const UNIT = "enrichment";
const EARLY = "1950-01-01T00:00:00Z";

const addVisit = (salonId: string, services: string | null) => sql`
  insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data, erp_recebimento_id)
  values (${salonId}, ${UNIT}, 10, ${EARLY}, ${services}::jsonb, '{"whole": 1.10}', 'R')`;

const services = async (salonId: string): Promise<string> => {
  const body = await (await get(`/v1/transacoes/${encodeURIComponent(salonId)}`)).text();
  return body.match(/"servicos":(.*),"sent_to_erp"/s)?.[1] ?? body;
};

beforeAll(async () => {
  await sql`insert into profissionais (nome, salon_id, salon_estabelecimento_id, erp_centro_custo_id, ativo) values
    ('elsewhere, active', '7001', 'other', 'A', true),
    ('here, inactive', '7001', ${UNIT}, 'B', false),
    ('here, active, first', '7001', ${UNIT}, 'C', true),
    ('here, active, second', '7001', ${UNIT}, 'D', true),
    ('anywhere, inactive', '7002', 'other', 'E', false),
    ('anywhere, active', '7002', null, null, true),
    ('by text', 'abc', null, 'G', true)`;
});
// Other tests validate every body against its schema, which malformed payloads violate.
afterAll(async () => {
  await sql`delete from transacoes where estabelecimento_id = ${UNIT}`;
  await sql`delete from profissionais where salon_id in ('7001', '7002', 'abc')`;
});

describe("servicos (V5)", () => {
  it("adds who has the id: in the visit's unit, then active, then with the lowest id, else nulls (V5)", async () => {
    const none = { profissional_nome: null, erp_centro_custo_id: null };
    const cases: [service: Service, added: Service][] = [
      [
        { idProfissionalQueRealizouServico: 7001 },
        { profissional_nome: "here, active, first", erp_centro_custo_id: "C" },
      ],
      [
        { idProfissionalQueRealizouServico: 7002 },
        { profissional_nome: "anywhere, active", erp_centro_custo_id: null },
      ],
      [
        { idProfissionalQueRealizouServico: "abc" },
        { profissional_nome: "by text", erp_centro_custo_id: "G" },
      ],
      [{ idProfissionalQueRealizouServico: 424242 }, none],
      [{ idProfissionalQueRealizouServico: { a: 1 } }, none],
      [{ idProfissionalQueRealizouServico: null }, none],
      [{ nome: "Corte", profissional_nome: "stale" }, none],
    ];
    await addVisit("match", JSON.stringify(cases.map(([service]) => service)));
    const { servicos } = await read<Transacao>("/v1/transacoes/match");
    expect(servicos).toEqual(cases.map(([service, added]) => ({ ...service, ...added })));
  });

  it.each([
    ["items that are not objects", '[1, "two", null, [3], true]', '[1, "two", null, [3], true]'],
    ["an object instead of an array", '{"a": 1.10}', '{"a": 1.10}'],
    ["text instead of an array", '"none"', '"none"'],
    ["a number instead of an array", "12345678901234567890", "12345678901234567890"],
    ["JSON null", "null", "null"],
    ["SQL null", null, "null"],
    ["an empty array", "[]", "[]"],
  ])("passes through unchanged: %s (V5)", async (name, given, expected) => {
    await addVisit(`odd ${name}`, given);
    expect(await services(`odd ${name}`)).toBe(expected);
  });

  it("keeps the digits stored in Postgres (V2)", async () => {
    await addVisit("digits", '[{"idProfissionalQueRealizouServico": 12345678901234567890, "valor": 1.10}]');
    expect(await services("digits")).toMatch(
      /"valor": 1\.10.*"idProfissionalQueRealizouServico": 12345678901234567890\b/,
    );
  });

  it("is the same in the list and in the single visit, even if malformed (V4, V5)", async () => {
    const { data } = await read<{ data: Transacao[] }>(
      `/v1/transacoes?estabelecimento_id=${UNIT}&per_page=200`,
    );
    expect(data).toHaveLength(9);
    for (const visit of data) {
      const detail = await read<Transacao>(`/v1/transacoes/${encodeURIComponent(visit.salon_id)}`);
      const { id, erp_recebimento_id, sent_at, raw_data, ...rest } = detail;
      expect(rest).toEqual(visit);
      expect([typeof id, erp_recebimento_id, sent_at, raw_data]).toEqual([
        "number",
        "R",
        null,
        { whole: 1.1 },
      ]);
    }
  });
});
