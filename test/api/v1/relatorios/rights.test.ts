// @module-tag server
import { describe, expect, it } from "vitest";
import { type Rights, UNRESTRICTED } from "../../../../src/core/rights.ts";
import { expectError, send, sql } from "../../../support/worker/api.ts";
import { signTokenOf } from "../../../support/worker/client.ts";
import { type GeneralAnswer, type Query, reportPath } from "../../../support/worker/general-reports.ts";

const AUDITOR: Rights = { units: null, personalData: false, payments: true };
let nextUser = 920_000;
const readerWith = async (rights: Rights) => {
  nextUser += 1;
  const headers = { Authorization: `Bearer ${await signTokenOf(nextUser, rights)}` };
  return (source: string, query: Query = {}, more: Record<string, string> = {}) =>
    send(reportPath(source, query), { headers: { ...headers, ...more } });
};
const RANGE = { periodo: "2026-10" };
const MAY = { data_inicio: "1955-05-01T00:00:00-03:00", data_fim: "1955-05-31T23:59:59.999999-03:00" };

describe("a reader without personal data (R24)", () => {
  it.each([
    ["visitas", "cliente"],
    ["vendas", "cliente"],
    ["lancamentos", "pessoa"],
    ["lancamentos", "centro_custo"],
  ])("of %s gets a 403 for `por=%s` (R24)", async (source, dimension) => {
    const [auditor, all] = [await readerWith(AUDITOR), await readerWith(UNRESTRICTED)];
    for (const por of [dimension, `mes,${dimension}`])
      for (const more of [{}, { Prefer: "handling=strict" }, { Accept: "text/csv" }])
        await expectError(
          await auditor(source, { por, ...RANGE }, more as Record<string, string>),
          403,
          "Forbidden",
          new RegExp(
            `^This token may not read personal data\\. Omit \`${dimension}\` in \`por\`, or ask the operator for the right\\.$`,
          ),
        );
    expect((await all(source, { por: dimension, ...RANGE })).status).toBe(200);
  });

  it.each([
    ["visitas", "cliente_salon_id"],
    ["vendas", "cliente_id"],
    ["lancamentos", "pessoa"],
  ])("of %s gets a 403 for the filter `%s`, whatever else is wrong (R24, A11)", async (source, name) => {
    const auditor = await readerWith(AUDITOR);
    for (const query of [{ [name]: "C1" }, { [name]: "" }, { [name]: "C1", por: "x" }] as Query[])
      await expectError(
        await auditor(source, query),
        403,
        "Forbidden",
        new RegExp(
          `^This token may not read personal data\\. Omit \`${name}\`, or ask the operator for the right\\.$`,
        ),
      );
  });

  it("gets that 403 before the 400 for a unit that does not exist (R24, I8)", async () => {
    const auditor = await readerWith(AUDITOR);
    const strict = { Prefer: "handling=strict" };
    const query: Query = { por: "cliente", estabelecimento_id: "nowhere", ...RANGE };
    await expectError(await auditor("visitas", query, strict), 403, "Forbidden", /Omit `cliente` in `por`/);
  });

  it("finds no service by an id that is null in the answer (A11)", async () => {
    const ids = ['{"a": 1}', "[1]", '["5001"]'];
    for (const [n, id] of ids.entries())
      await sql.query(
        `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
         values ($1, 'odd ids', 1, '1955-05-05T15:00:00Z', jsonb_build_array(jsonb_build_object('valor', 7, 'idProfissionalQueRealizouServico', $2::jsonb)), '{}')`,
        [`odd id ${n}`, id],
      );
    try {
      const [auditor, all] = [await readerWith(AUDITOR), await readerWith(UNRESTRICTED)];
      for (const profissional_salon_id of ids)
        for (const more of [{}, { dia_semana: "4" }, { por: "profissional" }] as Query[]) {
          const query = { estabelecimento_id: "odd ids", medidas: "servicos", profissional_salon_id, ...MAY };
          const found = async (read: typeof all) =>
            (await (await read("servicos", { ...query, ...more })).json<GeneralAnswer>()).totais.servicos;
          expect([await found(auditor), await found(all)]).toEqual([0, 1]);
        }
    } finally {
      await sql`delete from transacoes where estabelecimento_id = 'odd ids'`;
    }
  });

  describe("gets `clientes` and `clientes_novos`", () => {
    const refusal =
      /^This token may not read personal data\. It gets `clientes(_novos)?`(, `clientes_novos`)? only for whole calendar months in Brasília/;
    const asked = (query: Query) => ({ medidas: "clientes,clientes_novos", ...query });

    it.each<[Query]>([
      [MAY],
      [{ periodo: "2026-10" }],
      [{ periodo: "2025" }],
      [{ ...MAY, data_fim: "1955-05-31T23:59:59-03:00" }],
      [{ ...MAY, data_fim: "1955-05-31T23:59:59.59-03:00" }],
      [{ ...MAY, data_fim: "1955-06-01T02:59:59.999Z" }],
      [{ periodo: "mes-passado", estabelecimento_id: "101" }],
      [{ periodo: "2025", por: "mes,unidade" }],
      [{ periodo: "2026-T3", por: "trimestre" }],
      [{ periodo: "ano-passado", por: "ano" }],
      [{ periodo: "mes-passado", comparar: "mes-anterior" }],
      [{ periodo: "mes-passado", comparar: "ano-anterior", por: "unidade" }],
    ])("with %o (R24)", async (query) => {
      const response = await (await readerWith(AUDITOR))("visitas", asked(query));
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining("clientes_novos"),
      ]);
    });

    it.each<[Query]>([
      [{ ...MAY, data_fim: "1955-05-31T23:59:58.999999-03:00" }],
      [{ periodo: "mes" }],
      [{ periodo: "ano", por: "mes" }],
      [{ data_inicio: "2199-12-01T00:00:00-03:00", data_fim: "2199-12-31T23:59:59.999999-03:00" }],
      [{ periodo: "2026-08", comparar: "anterior" }],
      [{ ...MAY, data_inicio: "1955-05-01T00:00:00.000001-03:00" }],
      [{ ...MAY, data_fim: "1955-05-30T23:59:59.999999-03:00" }],
      [{ periodo: "2026-10-05" }],
      [{ periodo: "hoje" }],
      [{ periodo: "30-dias" }],
      [{ ...RANGE, por: "dia" }],
      [{ ...RANGE, por: "semana" }],
      [{ ...RANGE, por: "mes,hora" }],
      [{ ...RANGE, por: "forma_pagamento" }],
      [{ ...RANGE, por: "parcelas" }],
      [{ ...RANGE, por: "enviada" }],
      [{ ...RANGE, sent_to_erp: "true" }],
      [{ ...RANGE, forma_pagamento: "Pix" }],
      [{ ...RANGE, parcelas_min: "2" }],
      [{ ...RANGE, hora_min: "3" }],
      [{ ...RANGE, dia_semana: "3" }],
      [{ periodo: "mes-passado", comparar: "semana-anterior" }],
      [{ periodo: "mes-passado", comparar: "anterior" }],
    ])("not with %o (R24)", async (query) => {
      const [auditor, all] = [await readerWith(AUDITOR), await readerWith(UNRESTRICTED)];
      for (const medidas of ["clientes", "visitas,clientes_novos", "clientes,clientes_novos"])
        await expectError(await auditor("visitas", { ...query, medidas }), 400, "Bad Request", refusal);
      expect((await all("visitas", asked(query))).status).toBe(200);
      if (query.comparar === undefined && query.parcelas_min === undefined)
        expect((await auditor("visitas", { ...query, medidas: "visitas" })).status).toBe(200);
    });

    it("not of a month that the data has not passed, though it is over, in any form (R24)", async () => {
      const auditor = await readerWith(AUDITOR);
      const all = await readerWith(UNRESTRICTED);
      const query = asked({ periodo: "mes-passado" });
      const hidden = await sql`update jobs_log set job_name = 'send-pagar'
        where job_name = 'sync-transacoes' and status = 'completed' returning id`;
      const ids = hidden.map(({ id }) => id);
      const reached = (at: string) =>
        sql.query(
          `insert into jobs_log (queue, job_id, job_name, status, duration_ms, created_at)
         select 'reached', 'reached', 'sync-transacoes', 'completed', 0, ${at}`,
        );
      const month =
        "(date_trunc('month', now() at time zone 'America/Sao_Paulo') at time zone 'America/Sao_Paulo')";
      try {
        await reached(`${month} - interval '1 minute'`);
        for (const more of [{}, { Accept: "text/csv" }, { Prefer: "handling=strict" }] as Record<
          string,
          string
        >[])
          for (const other of [{}, { por: "mes,unidade" }, { comparar: "ano-anterior" }] as Query[])
            await expectError(
              await auditor("visitas", { ...query, ...other }, more),
              400,
              "Bad Request",
              refusal,
            );
        expect((await all("visitas", query)).status).toBe(200);
        const panel = await (await auditor("painel", { periodo: "mes-passado" })).json<
          Record<string, unknown>
        >();
        expect([panel.clientes, panel.visitas]).toEqual([null, expect.anything()]);
        await reached(month);
        expect((await auditor("visitas", query)).status).toBe(200);
        const later = await (await auditor("painel", { periodo: "mes-passado" })).json<
          Record<string, unknown>
        >();
        expect(later.clientes).not.toBeNull();
      } finally {
        await sql`delete from jobs_log where queue = 'reached'`;
        await sql.query("update jobs_log set job_name = 'sync-transacoes' where id = any($1)", [ids]);
      }
    });

    it("counts until the end of the day if the range ends in its last second, so that none shows single visits (R24)", async () => {
      await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, raw_data)
        values ('last second', '101', 1, '1955-06-01T02:59:59.7Z', 'last second', '{}'),
          ('last second earlier', '101', 1, '1955-05-01T02:59:59.7Z', 'last second', '{}')`;
      try {
        const auditor = await readerWith(AUDITOR);
        const count = async (data_fim: string) => {
          const range = { ...MAY, comparar: "mes-anterior", data_fim };
          const report = await auditor("visitas", asked(range));
          const { clientes } = await (await auditor("painel", range)).json<{ clientes: GeneralAnswer }>();
          expect(clientes).toEqual(await report.json<GeneralAnswer>());
          return clientes.totais;
        };
        const whole = await count(MAY.data_fim);
        expect(whole).toEqual({
          clientes: 1,
          clientes_novos: 0,
          anterior: { clientes: 1, clientes_novos: 1 },
        });
        for (const second of ["59", "59.6", "59.8"])
          expect(await count(`1955-05-31T23:59:${second}-03:00`)).toEqual(whole);
      } finally {
        await sql`delete from transacoes where salon_id like 'last second%'`;
      }
    });

    it("not without both ends of a range (R24)", async () => {
      const auditor = await readerWith(AUDITOR);
      for (const query of [{}, { data_inicio: MAY.data_inicio }, { data_fim: MAY.data_fim }] as Query[])
        await expectError(await auditor("visitas", asked(query)), 400, "Bad Request", refusal);
    });
  });
});

describe("rights of the general reports (R24)", () => {
  it("let only readers of payments read `pagamentos` (R24)", async () => {
    const read = await readerWith({ ...UNRESTRICTED, payments: false });
    for (const query of [{}, { situacao: "3" }, { por: "x" }] as Query[])
      await expectError(
        await read("pagamentos", query),
        403,
        "Forbidden",
        /^This token may not read payments\. Ask the operator for the right\.$/,
      );
    expect((await read("faturamento")).status).toBe(200);
  });
});

describe("a reader of units (A11, R24)", () => {
  it("gets rows, totals and first visits of these units only (R20, R24, A11)", async () => {
    const one: Rights = { units: ["101"], personalData: true, payments: false };
    const visit = (n: number, unit: string, at: string, name: string) => sql`
      insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome, raw_data)
      values (${`rights-report ${n}`}, ${unit}, 1, ${at}, 'rights-report', ${name}, '{}')`;
    await visit(1, "103", "1955-01-01T12:00:00Z", "Old elsewhere");
    await visit(2, "101", "1955-05-05T12:00:00Z", "Here");
    await visit(3, "102", "1955-05-06T12:00:00Z", "New elsewhere");
    try {
      const shown = async (rights: Rights, query: Query = {}) => {
        const asked = { por: "cliente", medidas: "visitas,clientes_novos", ...MAY, ...query };
        const response = await (await readerWith(rights))("visitas", asked);
        const { data, totais } = await response.json<GeneralAnswer>();
        return [data.map((row) => [row.cliente_nome, row.visitas, row.clientes_novos]), totais];
      };
      const two: Rights = { ...one, units: ["101", "102"] };
      const elsewhere = (visitas: number, clientes_novos: number) => [
        [["New elsewhere", visitas, clientes_novos]],
        { visitas, clientes_novos },
      ];
      expect(await shown(UNRESTRICTED)).toEqual(elsewhere(2, 0));
      expect(await shown(two)).toEqual(elsewhere(2, 1));
      // The name is of all units of the reader, also with a filter by one.
      expect(await shown(two, { estabelecimento_id: "101" })).toEqual(elsewhere(1, 1));
      const here = [[["Here", 1, 1]], { visitas: 1, clientes_novos: 1 }];
      expect(await shown(one)).toEqual(here);
      const since = { sem_visita_desde: "1955-05-06T12:00:00Z" };
      expect(await shown(one, since)).toEqual(here);
      expect(await shown(two, { ...since, estabelecimento_id: "101" })).toEqual([
        [],
        { visitas: 0, clientes_novos: 0 },
      ]);
      const often = { visitas_min: "2" };
      expect(await shown(two, often)).toEqual(elsewhere(2, 1));
      expect(await shown(one, often)).toEqual([[], { visitas: 0, clientes_novos: 0 }]);
    } finally {
      await sql`delete from transacoes where cliente_salon_id = 'rights-report'`;
    }
  });
});
