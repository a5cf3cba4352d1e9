// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Rights } from "../../../src/core/rights.ts";
import { expectError, get, read, send, sql } from "../../support/worker/api.ts";
import { signTokenOf } from "../../support/worker/client.ts";

/** A unit that only this test has. */
const UNIT = "closed-unit";
const EVERYTHING: Rights = { units: null, personalData: true, payments: true };

type Figures = Record<string, number>;
type Threefold = Record<"assinado" | "atual" | "diferenca", Figures>;
interface Month extends Record<string, unknown> {
  totais: Threefold;
  unidades: ({ estabelecimento_id: string } & Threefold)[];
  pagamentos: unknown[] | null;
  alteracoes: { lista: string; desde: string | null; gravados: number | null; removidos: number | null }[];
}
interface Closing extends Record<string, unknown> {
  id: number;
  mes: string;
}

/** The month that the demo closed last. */
let mes: string;
let closings: Closing[];

const readAs = async (rights: Rights, path: string) =>
  send(path, { headers: { Authorization: `Bearer ${await signTokenOf(1, rights)}` } });
const monthAs = async (rights: Rights): Promise<Month> =>
  (await readAs(rights, `/v1/fechamentos/${mes}`)).json();

interface Changes {
  data: { registro: { salon_id: string } | null }[];
  pagination: { next_after: string; has_more: boolean };
}

/** The `salon_id` of each visit in a feed, from a URL on. */
const changedSince = async (rights: Rights, url: string): Promise<(string | undefined)[]> => {
  const { data, pagination } = await (await readAs(rights, `${url}&per_page=200`)).json<Changes>();
  const ids = data.map(({ registro }) => registro?.salon_id);
  if (!pagination.has_more) return ids;
  const [path = ""] = url.split("?");
  return [...ids, ...(await changedSince(rights, `${path}?after=${pagination.next_after}`))];
};

const insertVisit = (id: string, total: number) => sql`
  insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
  values (${id}, ${UNIT}, ${total}, ${`${mes}-15T12:00:00-03:00`}, '[]', '{}')`;
const removeVisits = () => sql`delete from transacoes where estabelecimento_id = ${UNIT}`;

beforeAll(async () => {
  closings = (await read<{ data: Closing[] }>("/v1/fechamentos")).data;
  mes = closings[0]?.mes ?? "";
});
afterAll(removeVisits);

describe("GET /v1/fechamentos (F2)", () => {
  it("returns closings newest first, by page, as a whole, and as CSV", async () => {
    expect(closings.map(({ id }) => id)).toEqual(closings.map(({ id }) => id).toSorted((a, b) => b - a));
    expect(closings.length).toBeGreaterThan(1);
    expect(closings[0]).toMatchObject({ versao: 1, tipo: "fechamento", hash_anterior: closings[1]?.hash });
    const page = await read<{ data: Closing[]; pagination: object }>("/v1/fechamentos?per_page=1&page=2");
    expect(page).toMatchObject({ data: [closings[1]], pagination: { total: closings.length } });
    const whole = await (await get("/v1/fechamentos?tudo=true&campos=mes")).text();
    expect(whole.trim().split("\n")).toEqual(
      closings.toReversed().map((one) => JSON.stringify({ mes: one.mes, id: one.id })),
    );
    const csv = await (await get("/v1/fechamentos?formato=csv&campos=mes,versao")).text();
    expect(csv).toBe(["mes,versao", ...closings.map((one) => `${one.mes},${one.versao}`), ""].join("\r\n"));
  });

  it.each<[string, Partial<Rights>]>([
    ["personal data", { personalData: false }],
    ["payments", { payments: false }],
    ["all units", { units: ["101"] }],
  ])("hides hash, note and operating-system user from a reader without %s", async (_, less) => {
    const hidden = { usuario: null, nota: null, hash: null, hash_anterior: null };
    const rights = { ...EVERYTHING, ...less };
    const list = await (await readAs(rights, "/v1/fechamentos")).json<{ data: Closing[] }>();
    expect(list.data).toEqual(closings.map((one) => ({ ...one, ...hidden })));
    expect(await monthAs(rights)).toMatchObject(hidden);
    expect(await monthAs(EVERYTHING)).toMatchObject({ hash: closings[0]?.hash, usuario: expect.any(String) });
  });
});

describe("GET /v1/fechamentos/{mes} (F2)", () => {
  it("shows what changed, by unit and in total, and counts what was written and removed", async () => {
    const before = await monthAs(EVERYTHING);
    const [visits] = before.alteracoes;
    await insertVisit("closed 1", 10.1);
    await insertVisit("closed 2", 5.05);
    const later = await monthAs(EVERYTHING);
    const none = {
      faturamento: 0,
      visitas: 0,
      valor_servicos: 0,
      valor_produtos: 0,
      lancamentos: 0,
      valor_lancamentos: 0,
    };
    const now = { ...none, faturamento: 15.15, visitas: 2, valor_servicos: 15.15 };
    expect(later.unidades.find((one) => one.estabelecimento_id === UNIT)).toEqual({
      ...{ estabelecimento_id: UNIT, unidade_nome: null },
      ...{ assinado: none, atual: now, diferenca: now },
    });
    expect(later.totais.diferenca.visitas).toBe((before.totais.diferenca.visitas ?? 0) + 2);
    expect(later.totais.assinado).toEqual(before.totais.assinado);
    expect(later.alteracoes[0]).toMatchObject({ lista: "transacoes", gravados: (visits?.gravados ?? 0) + 2 });
    // One that was inserted and removed since counts as removed.
    await removeVisits();
    const removed = await monthAs(EVERYTHING);
    expect(removed.alteracoes[0]).toMatchObject({
      ...{ gravados: visits?.gravados, removidos: (visits?.removidos ?? 0) + 2 },
    });
    expect(removed.unidades.map((one) => one.estabelecimento_id)).not.toContain(UNIT);
  });

  it("links the changes since the closing with markers of the reader's rights (C4, A11)", async () => {
    await insertVisit("closed 3", 1);
    for (const rights of [
      EVERYTHING,
      { ...EVERYTHING, units: [UNIT] },
      { ...EVERYTHING, personalData: false },
    ]) {
      const { alteracoes } = await monthAs(rights);
      for (const { desde } of alteracoes)
        expect((await readAs(rights, desde ?? "")).status, String(desde)).toBe(200);
      expect(await changedSince(rights, alteracoes[0]?.desde ?? "")).toContain("closed 3");
    }
    await removeVisits();
  });

  it("shows a reader of some units these units, and payments only with their right", async () => {
    const all = await monthAs(EVERYTHING);
    expect(all.unidades.length).toBeGreaterThan(1);
    const unit = all.unidades[0]?.estabelecimento_id ?? "";
    const { unidades, totais, alteracoes, pagamentos } = await monthAs({
      units: [unit],
      personalData: true,
      payments: false,
    });
    const { assinado, atual, diferenca } = all.unidades[0] as Threefold;
    expect({ unidades, totais }).toEqual({
      unidades: [all.unidades[0]],
      totais: { assinado, atual, diferenca },
    });
    expect(alteracoes.map(({ lista, removidos }) => [lista, removidos])).toEqual([
      ["transacoes", null],
      ["vendas-produto", null],
      ["lancamentos", null],
    ]);
    expect([pagamentos, all.pagamentos]).toEqual([null, expect.arrayContaining([expect.any(Object)])]);
  });

  it.each(["2150-01", "2026-13", "2026-1", "0000-00", "1899-12", "outubro", "%00", "x".repeat(300)])(
    "returns 404 for %s, which was never closed (I2)",
    async (month) => {
      await expectError(
        await get(`/v1/fechamentos/${month}`),
        404,
        "Not Found",
        /was never closed\. Send one that/,
      );
    },
  );
});
