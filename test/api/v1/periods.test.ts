// @module-tag server
import { afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { comparison } from "../../../src/api/v1/relatorios/comparison.ts";
import { RELATIVE_PERIODS } from "../../../src/core/periods.ts";
import { dateRange, oneOf, querySchema, withDefault } from "../../../src/platform/http/params.ts";
import { cutOf, resolveRanges } from "../../../src/platform/http/ranges.ts";
import { operationsOf } from "../../support/document.ts";
import { authorization, expectError, get, readDocument, send, signIn } from "../../support/worker/api.ts";
import { createClient, signTokenOf } from "../../support/worker/client.ts";

const STRICT = { Prefer: "handling=strict" };

const PERIODS = [
  "2018-12",
  "1900",
  "30-dias",
  "mes-passado",
  "trimestre",
  "ano",
  "2026-10",
  "2026-S40",
  "7-dias",
];

/** The routes with `periodo`, and whether they have pages and a cursor. */
let routes: { path: string; names: string[] }[];
beforeAll(async () => {
  routes = operationsOf(await readDocument())
    .map(({ path, operation: { parameters = [] } }) => ({
      path,
      names: parameters.filter(({ schema }) => !schema["x-only-with"]).map(({ name }) => name),
    }))
    .filter(({ names }) => names.includes("periodo"));
});
afterEach(() => {
  vi.useRealTimers();
});

const rangeOf = ({ headers }: Response): Record<string, string> => {
  const [data_inicio = "", data_fim = ""] = headers.get("Applied-Range")?.split("/") ?? [];
  return { data_inicio, data_fim };
};
/** The clock of freshness moves between two requests. */
const CLOCK = /"(atraso_segundos":\d+|agora":"[^"]+")/g;
const answerOf = async (response: Response) => ({
  status: response.status,
  body: (await response.text()).replaceAll(CLOCK, ""),
  etag: response.headers.get("ETag"),
});
/** The panel has the earlier range of a period in full, also where the period is cut at today (R7). */
const withoutRangeInFull = ({ status, body }: Awaited<ReturnType<typeof answerOf>>) => ({
  status,
  body: body.replace(/"faturamento_anterior":.*?,"metas":/, ""),
});
/** The links, with the query parameters in order of their names. */
const linksOf = ({ headers }: Response) =>
  (headers.get("Link") ?? "").split(", ").map((link) => {
    const [, url = "", rel = ""] = /^<(.*)>; rel="(\w+)"$/.exec(link) ?? [];
    return [rel, [...new URL(url, "https://api.test").searchParams].sort()];
  });

describe("periodo", () => {
  it("is a parameter of every route that has data_inicio, and of no other (I7)", async () => {
    const documented = operationsOf(await readDocument());
    const withStart = documented.filter(({ operation }) =>
      operation.parameters?.some(({ name }) => name === "data_inicio"),
    );
    expect(routes.map(({ path }) => path)).toEqual(withStart.map(({ path }) => path));
    expect(routes.length).toBeGreaterThanOrEqual(13);
  });

  it("has a pattern that only names of periods match (I7)", async () => {
    const parameters = operationsOf(await readDocument())
      .flatMap(({ operation }) => operation.parameters ?? [])
      .filter(({ name }) => name === "periodo");
    const calendar = ["1900", "2026", "2200", "2026-T1", "2026-T4", "2026-01", "2026-12"];
    calendar.push("2026-S01", "2026-S48", "2026-S53", "2026-11-01", "2026-11-10", "2026-11-29", "2026-12-31");
    const others = [
      "",
      "8-dias",
      "semana-passado",
      "mes-passada",
      "proximos-90-dias",
      "2026-T5",
      "2026-S1",
      "x2026",
      "1899",
      "2201",
      "3000-T1",
      "2026-00",
      "2026-13",
      "2026-11-00",
      "2026-11-32",
      "2026-S00",
      "2026-S54",
    ];
    expect(parameters).toHaveLength(routes.length);
    for (const { schema } of parameters) {
      const pattern = new RegExp(String(schema.pattern));
      for (const name of [...RELATIVE_PERIODS, ...calendar]) expect(name).toMatch(pattern);
      for (const name of others) expect(name).not.toMatch(pattern);
    }
  });

  it("gives body, ETag and links of the same range in data_inicio and data_fim, on every route (I7)", async () => {
    // A comparison ends with the current minute.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const headers = authorization(await signIn());
    // Each way to ask a route gets today and some of the other periods in turn, so that the test stays fast.
    let turn = inject("oracleSeed");
    for (const { path, names } of routes) {
      const modes = [
        {},
        ...(names.includes("page") ? [{ page: "2", per_page: "3" }] : []),
        ...(names.includes("after_id") ? [{ after_id: "0", per_page: "3" }] : []),
        ...(names.includes("comparar") ? [{ comparar: "mes-anterior" }] : []),
      ];
      for (const mode of modes) {
        // It compares ranges that are over (R27).
        if (path.endsWith("/resultado") && "comparar" in mode) continue;
        turn += 1;
        for (const periodo of ["hoje", ...PERIODS.filter((_, n) => n % 3 === turn % 3)]) {
          if (periodo === "1900" && "comparar" in mode) continue;
          const url = (query: object) => `${path}?${new URLSearchParams({ ...query, ...mode })}`;
          const named = await get(url({ periodo }), STRICT);
          const range = rangeOf(named);
          const explicit = await get(url(range), STRICT);
          const links = linksOf(named);
          const what = url({ periodo });
          expect([what, links]).toEqual([what, linksOf(explicit)]);
          expect(explicit.headers.get("Applied-Range")).toBeNull();
          const [one, two] = [await answerOf(named), await answerOf(explicit)];
          const compared =
            path.endsWith("/painel") && "comparar" in mode ? withoutRangeInFull : <T>(answer: T) => answer;
          expect([what, compared(one)]).toEqual([what, compared(two)]);
          expect([what, one.status]).toEqual([what, 200]);
          const again = await get(url({ periodo }), { "If-None-Match": one.etag ?? "" });
          expect([again.status, rangeOf(again), linksOf(again)]).toEqual([304, range, links]);
          const head = await send(url({ periodo }), { method: "HEAD", headers });
          expect([head.status, rangeOf(head), linksOf(head)]).toEqual([200, range, links]);
        }
      }
    }
  }, 600_000);

  it("replaces periodo in links, so that the next page does not change at midnight (I7, L5)", async () => {
    const first = await get("/v1/transacoes?per_page=1&periodo=ano");
    const range = rangeOf(first);
    const [[rel, query] = []] = linksOf(first);
    expect([rel, Object.fromEntries(query as [string, string][])]).toEqual([
      "next",
      { ...range, page: "2", per_page: "1" },
    ]);
  });

  it("selects nothing in the future (I7)", async () => {
    for (const { path } of routes) {
      const url = `${path}?periodo=2199-06-01`;
      const response = await get(url);
      expect([url, response.status]).toEqual([url, 200]);
      const { data, pagination } = await response.json<{
        data?: unknown[];
        pagination?: { total: number };
      }>();
      if (pagination !== undefined) expect([url, data, pagination.total]).toEqual([url, [], 0]);
    }
  });

  it("ends with today, but is whole for payments, and changes at midnight in Brasília (I7)", async () => {
    // Past dates would also move the clock of counters back.
    const midnight = Date.UTC(new Date().getUTCFullYear() + 1, 4, 20, 3);
    vi.useFakeTimers({ toFake: ["Date"], now: midnight - 1 });
    const year = new Date(midnight).getUTCFullYear();
    const { send: ask } = createClient();
    const rangesOf = async (path: string, ...names: string[]) => {
      const headers = { Authorization: `Bearer ${await signTokenOf(810_000_001)}` };
      const ranges = [];
      for (const name of names) {
        const response = await ask(`${path}?periodo=${name}`, { headers });
        expect(response.status, name).toBe(200);
        ranges.push(
          response.headers.get("Applied-Range")?.replaceAll(/T00:00:00-03:00|T23:59:59\.999999-03:00/g, ""),
        );
      }
      return ranges;
    };
    const names = [
      "hoje",
      "ontem",
      "7-dias",
      "90-dias",
      "mes",
      "mes-passado",
      "trimestre",
      "trimestre-passado",
      "ano",
      `${year}`,
      `${year}-T2`,
      `${year}-05`,
      `${year}-06`,
      "proximos-7-dias",
      "proximos-30-dias",
    ];
    expect(await rangesOf("/v1/relatorios/resumo", ...names)).toEqual([
      `${year}-05-19/${year}-05-19`,
      `${year}-05-18/${year}-05-18`,
      `${year}-05-13/${year}-05-19`,
      `${year}-02-19/${year}-05-19`,
      `${year}-05-01/${year}-05-19`,
      `${year}-04-01/${year}-04-30`,
      `${year}-04-01/${year}-05-19`,
      `${year}-01-01/${year}-03-31`,
      `${year}-01-01/${year}-05-19`,
      `${year}-01-01/${year}-05-19`,
      `${year}-04-01/${year}-05-19`,
      `${year}-05-01/${year}-05-19`,
      `${year}-06-01/${year}-06-30`,
      `${year}-05-19/${year}-05-25`,
      `${year}-05-19/${year}-06-17`,
    ]);
    const payments = routes.map(({ path }) => path).filter((path) => path.includes("pagamentos"));
    expect(payments).toContain("/v1/relatorios/pagamentos");
    for (const path of payments)
      expect(
        await rangesOf(path, "hoje", "7-dias", "proximos-7-dias", "mes", "trimestre", "ano", `${year}-05`),
        path,
      ).toEqual([
        `${year}-05-19/${year}-05-19`,
        `${year}-05-13/${year}-05-19`,
        `${year}-05-19/${year}-05-25`,
        `${year}-05-01/${year}-05-31`,
        `${year}-04-01/${year}-06-30`,
        `${year}-01-01/${year}-12-31`,
        `${year}-05-01/${year}-05-31`,
      ]);
    vi.setSystemTime(midnight);
    expect(await rangesOf("/v1/relatorios/resumo", "hoje", "30-dias", "mes")).toEqual([
      `${year}-05-20/${year}-05-20`,
      `${year}-04-21/${year}-05-20`,
      `${year}-05-01/${year}-05-20`,
    ]);
  });

  it("is whole, and compared up to its end, only with the value of data that selects dates to come (I7, R23)", () => {
    const shape = {
      data: withDefault(oneOf(["vencimento", "sincronizacao"], ""), "vencimento"),
      ...dateRange("date", { mayLieAhead: { data: "vencimento" } }),
      ...comparison,
    };
    const now = Date.parse("2026-11-25T11:18:30-03:00");
    const resolve = (data: object) => {
      const parsed = querySchema(shape).parse({ ...data, periodo: "mes", comparar: "mes-anterior" });
      const { applied, earlier } = resolveRanges(parsed, now, cutOf(shape, parsed));
      return [applied?.[1], earlier?.cutAt];
    };
    const whole = ["2026-11-30T23:59:59.999999-03:00", undefined];
    expect(resolve({})).toEqual(whole);
    expect(resolve({ data: "vencimento" })).toEqual(whole);
    expect(resolve({ data: "sincronizacao" })).toEqual([
      "2026-11-25T23:59:59.999999-03:00",
      { instant: "2026-11-25T14:18:00.000000Z" },
    ]);
  });
});

describe("an invalid range", () => {
  const bare = (name: string) => `\`${name}\` must be an ISO 8601 date-time with offset, `;
  const proposal = (text: string) =>
    `; got "${text}". For whole days in Brasília, send \`periodo\`, for example ${text}.`;
  const together = (names: string) =>
    `\`periodo\` must not be given together with ${names}. Omit \`periodo\` or ${names}.`;

  it.each([
    ["data_inicio=2026-11-01", [bare("data_inicio"), proposal("2026-11-01")]],
    [
      "data_fim=2026-11",
      [bare("data_fim"), "for example 2026-11-30T23:59:59.999999-03:00", proposal("2026-11")],
    ],
    [
      "periodo=8-dias",
      [
        "`periodo` must be one of hoje, ontem, semana, semana-passada, mes, ",
        "proximos-30-dias, or like 2026, 2026-T4 (quarter), 2026-11, 2026-S48 (ISO week), 2026-11-30, ",
        'from 1900 to 2200; got "8-dias".',
      ],
    ],
    ["data_inicio=2026-S48", [bare("data_inicio"), proposal("2026-S48")]],
    ["periodo=2025-S53", ["`periodo` must be ", 'got "2025-S53".']],
    ["periodo=2026-02-30", ["`periodo` must be ", 'got "2026-02-30".']],
    ["periodo=mes&data_inicio=2026-11-01T00:00:00Z", [together("`data_inicio`")]],
    [
      "periodo=mes&data_fim=2026-11-01T00:00:00Z&data_inicio=2026-10-01T00:00:00Z",
      [together("`data_inicio` and `data_fim`")],
    ],
  ])("%s is a 400 that says what to send (I3, I7)", async (query, parts) => {
    for (const { path } of routes) {
      for (const headers of [{}, STRICT]) {
        const { message } = await (await get(`${path}?${query}`, headers)).json<{ message: string }>();
        for (const part of parts) expect(message).toContain(part);
      }
      const response = await get(`${path}?${query}`);
      expect(response.headers.get("Applied-Range")).toBeNull();
      await expectError(response, 400, "Bad Request", "");
    }
  });

  it("is reported with all other errors in the parameters under Prefer: handling=strict (I5, I7, R10)", async () => {
    const query = "color=red&periodo=mes&data_fim=2026-11-01&comparar=x&data_inicio=2026-11-02T00:00:00Z";
    const { message } = await (await get(`/v1/relatorios/resumo?${query}`, STRICT)).json<{
      message: string;
    }>();
    const sentences = [
      "`data_fim` must be an ISO 8601 date-time",
      "`comparar` must be one of `anterior`, `semana-anterior`, `mes-anterior`, `ano-anterior`",
      together("`data_inicio` and `data_fim`"),
      "`color` is not a parameter of this route.",
    ];
    const places = sentences.map((sentence) => message.indexOf(sentence));
    expect(
      places.every((place) => place >= 0),
      message,
    ).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const [first = ""] = sentences;
    await expectError(
      await get(`/v1/relatorios/resumo?${query}`),
      400,
      "Bad Request",
      new RegExp(`^${first}[^]*2026-11-01\\.$`),
    );
  });
});
