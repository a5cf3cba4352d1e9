// @module-tag server
import { describe, expect, it } from "vitest";
import { exportPerson } from "../../../tools/warehouse/person/export.ts";
import type { Kind } from "../../../tools/warehouse/person/places.ts";
import { CLIENT, db, key, NAME, PROFESSIONAL, query, usePersons } from "./fixture.ts";

usePersons();

describe("an export", () => {
  const exported = async (kind: Kind, id: string) => JSON.parse((await exportPerson(db, kind, id)) ?? "null");

  it("has every row that concerns the client and nothing of another client (A16)", async () => {
    const { rows, ...rest } = await exported("client", CLIENT);
    expect(rest).toMatchObject({ kind: "client", id: CLIENT });
    const keys = Object.fromEntries(
      Object.entries<Record<string, unknown>[]>(rows).map(([table, found]) => [
        table,
        found.map((row) => row.salon_id ?? row.transacao_id ?? row.erp_id ?? row.record_id ?? row.route),
      ]),
    );
    expect(keys).toEqual({
      transacoes: ["pt 1", "pt 2"],
      vendas_produto: ["pv 1"],
      lancamentos: ["pl 1"],
      pagamentos_erp: [970001],
      acessos: ["/v1/transacoes", "pt 1", "pl 1", "/v1/transacoes"],
    });
    expect(rows.transacoes[0].raw_data.cliente).toEqual({ id: CLIENT, nome: NAME, telefone: "5500" });
    expect(rest.mentioned_in_rows_of_others.map(({ in_table }: { in_table: string }) => in_table)).toEqual([
      "jobs_log",
      "produtos",
      "transacoes",
    ]);
    expect(JSON.stringify({ rows, rest })).not.toMatch(/Maria|cliente-8a1|reader@example/);
  });

  it("is recorded, with the hash of the id if there is a key (A15, A16)", async () => {
    await exportPerson(db, "client", CLIENT);
    await exportPerson(db, "client", CLIENT, key);
    await exportPerson(db, "professional", PROFESSIONAL, key);
    await exportPerson(db, "client", "never seen", key);
    expect(
      await query("select cliente_id, record_id, change from acessos where change is not null order by id"),
    ).toEqual([
      { cliente_id: null, record_id: null, change: "person export" },
      { cliente_id: key.hashOf("client", CLIENT), record_id: null, change: "person export" },
      { cliente_id: null, record_id: key.hashOf("professional", PROFESSIONAL), change: "person export" },
    ]);
  });

  it("keeps every digit of numbers (A16, V2)", async () => {
    await query(`update transacoes set raw_data = '{"n": 12345678901234567890.10}' where salon_id = 'pt 1'`);
    expect(await exportPerson(db, "client", CLIENT)).toContain('"n": 12345678901234567890.10');
  });

  it("of a professional has no client in it (A16)", async () => {
    const { rows } = await exported("professional", PROFESSIONAL);
    expect(Object.keys(rows).sort()).toEqual([
      "lancamentos",
      "profissionais",
      "transacoes",
      "vendas_produto",
    ]);
    expect(rows.transacoes[0].servicos).toEqual([
      { idProfissionalQueRealizouServico: Number(PROFESSIONAL), nome: "Escova", valor: 150.45 },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/zuleide|maria|cliente-/i);
  });

  it("of somebody who was never here is none (A16)", async () => {
    expect(await exportPerson(db, "client", "never seen")).toBeUndefined();
  });
});
