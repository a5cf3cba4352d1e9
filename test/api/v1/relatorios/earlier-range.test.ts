// @module-tag server
import { afterEach, describe, expect, it, vi } from "vitest";
import { databaseRequests, expectError, get, mendDatabase } from "../../../support/worker/api.ts";
import { createClient, signTokenOf } from "../../../support/worker/client.ts";
import {
  type GeneralAnswer,
  messageOf,
  type Query,
  readReport,
} from "../../../support/worker/general-reports.ts";

const UNIT = "earlier range";
const FAIR = ["faturamento", "visitas", "servicos", "vendas"];
const REPORTS = ["resumo", "painel", ...FAIR];
const STRICT = { Prefer: "handling=strict" };

afterEach(() => {
  vi.useRealTimers();
});

describe("the earlier range", () => {
  it.each([
    [
      "",
      "`comparar` must not be given without `data_inicio` and `data_fim`. Send both ends of the range, or `periodo`.",
    ],
    [
      "data_inicio=2026-01-01T00:00:00Z",
      "`comparar` must not be given without `data_fim`. Send both ends of the range, or `periodo`.",
    ],
    [
      "data_fim=2026-01-01T00:00:00Z",
      "`comparar` must not be given without `data_inicio`. Send both ends of the range, or `periodo`.",
    ],
    [
      "periodo=1900",
      "`comparar` must not give a range outside the years 1900 to 2200. Send another range, or omit `comparar`.",
    ],
    [
      "data_inicio=1900-01-01T00:00:00-03:00&data_fim=2200-12-31T23:59:59-03:00",
      "`comparar` must not give a range outside the years 1900 to 2200. Send another range, or omit `comparar`.",
    ],
    [
      "data_inicio=2026-03-30T10:00:00-03:00&data_fim=2026-03-31T08:00:00-03:00",
      "`comparar` must not give a range that ends before it starts. Send another range, or omit `comparar`.",
    ],
  ])("with %j is a 400 without a statement: %s (R10)", async (query, message) => {
    for (const report of [...REPORTS, "lancamentos", "pagamentos"]) {
      await mendDatabase();
      for (const headers of [{}, STRICT]) {
        const response = await get(`/v1/relatorios/${report}?comparar=mes-anterior&${query}`, headers);
        expect([response.status, (await response.json<{ message: string }>()).message]).toEqual([
          400,
          message,
        ]);
      }
      expect(await databaseRequests(), report).toBe(0);
    }
  });

  it("may have more than 1,100 periods, if the range has not (R22, R23)", async () => {
    // 1,100 days, and 1,101 a year earlier, which has a leap day.
    const range = { data_inicio: "2022-01-01T12:00:00-03:00", data_fim: "2025-01-04T12:00:00-03:00" };
    const asked = { estabelecimento_id: UNIT, por: "dia", medidas: "visitas", comparar: "ano-anterior" };
    expect((await readReport("visitas", { ...asked, ...range })).data).toHaveLength(1100);
    const longer = { ...range, data_fim: "2025-01-05T12:00:00-03:00" };
    expect(await messageOf("visitas", { ...asked, ...longer })).toContain("more than 1,100 periods");
    await expectError(
      await get(`/v1/relatorios/painel?${new URLSearchParams({ granularidade: "dia", ...longer })}`),
      400,
      "Bad Request",
      /^The answer would have more than 1,100 periods/,
    );
  });

  it("is an unknown parameter of every other report (I5, R10)", async () => {
    for (const report of ["transacoes-por-profissional", "transacoes-por-forma-pagamento", "nao-mapeados"])
      await expectError(
        await get(`/v1/relatorios/${report}?periodo=2026-11&comparar=anterior`, STRICT),
        400,
        "Bad Request",
        /^`comparar` is not a parameter of this route/,
      );
  });
});

describe("a comparison of a range that is not over (R23)", () => {
  // A Tuesday next year: past dates would also move the clock of counters back.
  const year = new Date().getUTCFullYear() + 1;
  const noon = Date.parse(`${year}-05-25T11:18:30-03:00`);
  const ask = async (report: string, query: Query, headers: Record<string, string> = {}) => {
    const { send } = createClient();
    return send(`/v1/relatorios/${report}?${new URLSearchParams({ estabelecimento_id: UNIT, ...query })}`, {
      headers: { Authorization: `Bearer ${await signTokenOf(810_000_002)}`, ...headers },
    });
  };
  const endsOf = async (response: Response) => {
    const { anterior } = await response.json<GeneralAnswer>();
    return anterior;
  };
  const month = { periodo: "mes", comparar: "mes-anterior" };

  it("is of whole days for dates that may lie ahead (R23)", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: noon });
    const whole = {
      inicio: `${year}-04-01T03:00:00+00:00`,
      fim: `${year}-05-01T02:59:59.999999+00:00`,
      ate: null,
    };
    const { send } = createClient();
    const headers = { Authorization: `Bearer ${await signTokenOf(810_000_002)}` };
    for (const query of ["pagamentos?", "pagamentos?data=pagamento&", "lancamentos?"])
      expect(
        await endsOf(await send(`/v1/relatorios/${query}${new URLSearchParams(month)}`, { headers })),
        query,
      ).toEqual(whole);
    const synced = await ask("lancamentos", { data: "sincronizacao", ...month });
    // Now moves: the data instant is that of visits.
    expect(await endsOf(synced)).toEqual({ ...whole, fim: `${year}-04-25T14:18:00+00:00` });
  });
});
