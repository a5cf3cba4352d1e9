// @module-tag server
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createClient, signTokenOf } from "../../support/worker/client.ts";
import {
  type GeneralAnswer,
  type Query,
  readReport,
  reportPath,
} from "../../support/worker/general-reports.ts";
import { dayFromToday, paymentsOf } from "../../support/worker/payments.ts";

const CENTRE = "by due date";
const { pay, clear } = paymentsOf(CENTRE, 62_000_000);

beforeAll(clear);
afterAll(clear);
afterEach(() => {
  vi.useRealTimers();
});

describe("overdue payments by cost centre (R20)", () => {
  const ofCentre = async (query: Query = {}) =>
    (await readReport("pagamentos", { por: "centro_custo", limite: "1100", ...query })).data.find(
      ({ id_centro_custo }) => id_centro_custo === CENTRE,
    );
  const centre = (...[payments, total, pending, due, overdue, overdueValue, without]: number[]) => ({
    id_centro_custo: CENTRE,
    unidade_nome: null,
    pagamentos: payments,
    valor_total: total,
    pendentes: pending,
    valor_pendente: due,
    vencidos: overdue,
    valor_vencido: overdueValue,
    sem_valor: without,
  });

  it("are pending and due before today in Brasília (R20)", async () => {
    await clear();
    await pay({ due: dayFromToday(-1), value: "1" });
    await pay({ due: dayFromToday(0), value: "2" });
    await pay({ due: dayFromToday(1), value: "4" });
    await pay({ due: dayFromToday(-40), value: "8" });
    await pay({ due: dayFromToday(-2), value: "16", status: 2 });
    expect(await ofCentre()).toEqual(centre(5, 31, 4, 15, 2, 9, 0));
    expect(await ofCentre({ situacao: "1" })).toEqual(centre(4, 15, 4, 15, 2, 9, 0));
    expect(await ofCentre({ situacao: "2" })).toEqual(centre(1, 16, 0, 0, 0, 0, 0));
    const noon = (days: number) => `${dayFromToday(days)}T12:00:00-03:00`;
    expect(await ofCentre({ data_inicio: noon(-2) })).toEqual(centre(4, 23, 3, 7, 1, 1, 0));
    expect(await ofCentre({ data_inicio: noon(0) })).toEqual(centre(2, 6, 2, 6, 0, 0, 0));
    expect(await ofCentre({ data_inicio: noon(1) })).toEqual(centre(1, 4, 1, 4, 0, 0, 0));
    expect(await ofCentre({ data_fim: noon(-3) })).toEqual(centre(1, 8, 1, 8, 1, 8, 0));
    expect(await ofCentre({ data_inicio: noon(2) })).toBeUndefined();
  });

  it("count a missing `valor` in `sem_valor`, and those without a due date only without a range (R20)", async () => {
    await clear();
    await pay({ value: null, due: null });
    await pay({ value: null, due: "-infinity" });
    await pay({ value: "NaN" });
    await pay({ value: "0.10" });
    await pay({ value: "0.20", due: "infinity" });
    expect(await ofCentre()).toEqual(centre(5, 0.3, 5, 0.3, 2, 0.1, 2));
    const range = { data_inicio: "1955-01-01T00:00:00Z", data_fim: "2199-01-01T00:00:00Z" };
    expect(await ofCentre(range)).toEqual(centre(2, 0.1, 2, 0.1, 2, 0.1, 0));
  });

  it("are ordered by highest `valor_total` if asked, with a row for payments without a cost centre (R20)", async () => {
    const { data } = await readReport("pagamentos", { por: "centro_custo", ordem: "-valor_total" });
    expect(data.length).toBeGreaterThan(5);
    expect(data.some(({ id_centro_custo }) => id_centro_custo === null)).toBe(true);
    const totals = data.map(({ valor_total }) => Number(valor_total));
    expect(totals).toEqual(totals.toSorted((a, b) => b - a));
  });
});

describe("payments by when they are due (R20)", () => {
  it("are in one `faixa` each, and name the earliest due date of pending ones (R20)", async () => {
    await clear();
    const due: [string | null, string][] = [
      [dayFromToday(-1), "vencida"],
      [dayFromToday(0), "hoje"],
      [dayFromToday(1), "7-dias"],
      [dayFromToday(6), "7-dias"],
      [dayFromToday(7), "30-dias"],
      [dayFromToday(29), "30-dias"],
      [dayFromToday(30), "depois"],
      ["infinity", "sem-data"],
      [null, "sem-data"],
      ["-infinity", "sem-data"],
    ];
    for (const [date] of due) await pay({ due: date });
    await pay({ status: 2, due: dayFromToday(-90) });
    const { data } = await readReport("pagamentos", {
      id_centro_custo: CENTRE,
      por: "faixa",
      medidas: "pagamentos,vencimento_mais_antigo",
    });
    const expected = Map.groupBy([...due, [null, "paga"] as const], ([, faixa]) => faixa);
    const earliest: Record<string, string> = {
      vencida: dayFromToday(-1),
      hoje: dayFromToday(0),
      "7-dias": dayFromToday(1),
      "30-dias": dayFromToday(7),
      depois: dayFromToday(30),
    };
    expect(Object.fromEntries(data.map(({ faixa, ...rest }) => [faixa, rest]))).toEqual(
      Object.fromEntries(
        [...expected].map(([faixa, all]) => [
          faixa,
          { pagamentos: all.length, vencimento_mais_antigo: earliest[faixa] ?? null },
        ]),
      ),
    );
  });

  it("are counted from the day of the request, as `periodo` is (R20, I7)", async () => {
    await clear();
    await pay({ due: "2040-05-25" });
    const { send } = createClient();
    const ask = async (at: string, query: Query) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(at) });
      const headers = { Authorization: `Bearer ${await signTokenOf(810_000_003)}` };
      const response = await send(reportPath("pagamentos", { id_centro_custo: CENTRE, ...query }), {
        headers,
      });
      return response.json<GeneralAnswer>();
    };
    const faixaAt = async (at: string) => (await ask(at, { por: "faixa" })).data[0]?.faixa;
    expect(await faixaAt("2040-05-24T23:59:59-03:00")).toBe("7-dias");
    expect(await faixaAt("2040-05-25T00:00:00-03:00")).toBe("hoje");
    expect((await ask("2040-05-25T23:59:59-03:00", { periodo: "hoje" })).totais).toMatchObject({
      pagamentos: 1,
      vencidos: 0,
    });
    expect(await faixaAt("2040-05-26T00:00:00-03:00")).toBe("vencida");
  });
});
