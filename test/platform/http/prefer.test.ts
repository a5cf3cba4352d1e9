import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { operationsOf, type Parameter } from "../../support/document.ts";
import { expectError, get, readDocument } from "../../support/worker/api.ts";

const STRICT = { Prefer: "handling=strict" };
const EARLY = "2025-01-01T00:00:00Z";
const LATE = "2025-01-02T00:00:00Z";

interface Route {
  path: string;
  parameters: Parameter[];
}
let routes: Route[];

beforeAll(async () => {
  routes = operationsOf(await readDocument())
    .filter(({ method, path }) => method === "GET" && path.startsWith("/v1/"))
    .map(({ path, operation }) => ({
      path: path.replace("{mes}", "2026-10").replace("{id}", "1"),
      parameters: (operation.parameters ?? []).filter((one) => one.in === "query"),
    }));
});

/** A parameter's values in a request, and the start of the sentence about them if they are invalid. */
interface Given {
  name: string;
  /** Without this parameter, the name is unknown. */
  onlyWith: string | undefined;
  values: string[];
  complaint?: string;
}

const badValue = ({ schema }: Parameter): string => {
  if (schema.type === "integer") return "1e2";
  if (schema.format === "date-time") return "2025-01-01";
  return schema.enum ? "perhaps" : "x\u0085\u202e";
};

const givenFor = (parameter: Parameter): fc.Arbitrary<Given | undefined> => {
  const { name, schema } = parameter;
  const good = name === "data_inicio" ? EARLY : name === "data_fim" ? LATE : String(schema.example);
  const named = { name, onlyWith: schema["x-only-with"] };
  const isGiven = fc.constant<Given>({ ...named, values: [good] });
  const isWrong = fc.constantFrom<Given[]>(
    { ...named, values: [""], complaint: `\`${name}\` must be ` },
    { ...named, values: [badValue(parameter)], complaint: `\`${name}\` must be ` },
    { ...named, values: [good, good, good], complaint: `\`${name}\` must be given once, not 3 times` },
  );
  return fc.oneof(fc.constant(undefined), { weight: 2, arbitrary: isGiven }, isWrong);
};

/** Names that no route has, some with a meaning in objects or URLs. */
const unknownNames = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom("__proto__", "constructor", "toString", "PAGE", "per-page", "é ü", "a&b=c", "💇"),
    fc.stringMatching(/^[a-z]{3,8}$/).map((text) => `x_${text}`),
  ),
  { maxLength: 6 },
);

/** A request with any set of mistakes, and the start of the sentence about each. */
const requests = () =>
  fc.constantFrom(...routes).chain(({ path, parameters }) =>
    fc
      .record({
        known: fc.tuple(...parameters.map(givenFor)),
        unknown: unknownNames,
        isBackwards: fc.boolean(),
        order: fc.infiniteStream(fc.nat()),
      })
      .map(({ known, unknown, isBackwards, order }) => {
        const isGood = (one?: Given) => one !== undefined && one.complaint === undefined;
        const ends = known.filter((one) => isGood(one) && /^data_/.test(one?.name ?? ""));
        const isLate = isBackwards && ends.length === 2;
        const isWhole = isGood(known.find((one) => one?.name === "tudo"));
        const isUnknown = (one?: Given) => one?.onlyWith !== undefined && !isWhole;
        const [ignored, sent] = [known.filter(isUnknown), known.filter((one) => !isUnknown(one))];
        const given = sent
          .filter((one) => one !== undefined)
          .map((one) =>
            isLate && ends.includes(one)
              ? { ...one, values: [one.name === "data_inicio" ? LATE : EARLY] }
              : one,
          );
        const named = isLate ? ["`data_inicio` must not be later than `data_fim`"] : [];
        const has = (name: string) => given.some((one) => one.name === name);
        const [hasStart, hasEnd] = [has("data_inicio"), has("data_fim")];
        if (has("periodo") && (hasStart || hasEnd))
          named.push("`periodo` must not be given together with `data_");
        if (has("comparar") && !has("periodo") && !(hasStart && hasEnd))
          named.push("`comparar` must not be given without `data_");
        // Filters of clients need `por=cliente`. An invalid `por` is the only complaint then.
        if (!has("por") || isGood(given.find(({ name }) => name === "por")))
          for (const name of ["visitas_min", "sem_visita_desde"])
            if (has(name) && !path.endsWith("/clientes"))
              named.push(`\`${name}\` must not be given without \`cliente\` in \`por\``);
        if (has("retorno_dias") && (!has("medidas") || isGood(given.find(({ name }) => name === "medidas"))))
          named.push("`retorno_dias` must not be given without one of");
        const isGoodOne = (name: string) => isGood(given.find((one) => one.name === name));
        if (isGoodOne("visitas_min") && isGoodOne("visitas_max"))
          named.push("`visitas_min` must not be greater than `visitas_max`");
        for (const name of ["page", "per_page", "ordem"])
          if (isWhole && has(name)) named.push(`\`${name}\` must not be given together with \`tudo=true\``);
        if (has("ordem") && has("after_id")) named.push("`ordem` must not be given together with `after_id`");
        const isCombinationWrong = named.length > 0;
        const complaints = given.flatMap(({ complaint }) => complaint ?? []);
        if (!isWhole && has("page") && has("after_id"))
          named.push("`page` must not be given together with `after_id`");
        unknown.push(...ignored.map((one) => one?.name ?? ""));
        const pairs = [
          ...given.flatMap(({ name, values }) => values.map((value) => [name, value])),
          ...unknown.map((name) => [name, "1"]),
        ]
          .map(([name = "", value = ""]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
          .map((pair) => ({ pair, place: order.next().value ?? 0 }))
          .sort((a, b) => a.place - b.place);
        return {
          url: `${path}?${pairs.map(({ pair }) => pair).join("&")}`,
          complaints: [...complaints, ...named, ...unknown.map((name) => `\`${name}\` is not a parameter`)],
          // Whether the request is rejected without the preference too.
          always: complaints.length > 0 || isCombinationWrong,
        };
      }),
  );

const countOf = (text: string, part: string) => text.split(part).length - 1;

describe("Prefer: handling=strict (I5)", () => {
  it("names every error of a request once; without it, only the first is named (I5)", async () => {
    await fc.assert(
      fc.asyncProperty(requests(), async ({ url, complaints, always }) => {
        const strict = await get(url, STRICT);
        expect(strict.headers.get("Preference-Applied"), url).toBe("handling=strict");
        const lenient = await get(url);
        expect(lenient.headers.get("Preference-Applied"), url).toBeNull();
        const isRefused = lenient.status === 400;
        const first = isRefused ? (await lenient.json<{ message: string }>()).message : "";
        // Every parameter is valid, but the report would have too many periods.
        const isTooMuch = /^The answer would have more than /.test(first);
        expect(isRefused && !isTooMuch, url).toBe(always);
        expect(strict.status === 400, url).toBe(complaints.length > 0 || isTooMuch);
        if (complaints.length === 0) return;
        const { message } = await strict.json<{ message: string }>();
        for (const complaint of complaints)
          expect(countOf(message, complaint), `${complaint}: ${message}`).toBe(1);
        expect(message.match(/(?:^|\. )`[^`]+` (?:must|is not) /g), message).toHaveLength(complaints.length);
        if (!always) return;
        // Strict messages show invisible characters by their number.
        const shown = first.replace("\u0085", "\\u{0085}").replace("\u202e", "\\u{202e}");
        expect(message.slice(0, shown.length)).toBe(shown);
      }),
      { numRuns: 150, seed: inject("fuzzSeed") },
    );
  });

  it("applies only if it is the first handling preference (I5)", async () => {
    const url = "/v1/jobs-log?per_page=1&color=red";
    expect((await get(url, { Prefer: "handling=lenient, handling=strict" })).status).toBe(200);
    expect((await get(url, { Prefer: "return=minimal, handling=strict, handling=lenient" })).status).toBe(
      400,
    );
  });

  it("writes one sentence per error, in the order of the parameters, with unknown ones last (I5)", async () => {
    const response = await get(
      `/v1/pagamentos-erp?color=red&page=2&after_id=0&situacao=3&id_centro_custo=&per_page=1&per_page=1&data_fim=${EARLY}&data_inicio=${LATE}&size=1`,
      STRICT,
    );
    const known =
      "page per_page after_id campos data data_inicio data_fim periodo ordem situacao id_centro_custo da_unidade sem_unidade nome_conta_classificacao valor_min formato tudo";
    const { message } = await response.json<{ message: string }>();
    expect(message).toBe(
      [
        "`per_page` must be given once, not 2 times.",
        '`situacao` must be one of `1`, `2`; got "3".',
        "`id_centro_custo` must be text of 1 to 64 characters without control characters, for example 7001; got an empty value.",
        "`data_inicio` must not be later than `data_fim`.",
        "`page` must not be given together with `after_id`. Omit one of them.",
        `\`color\` is not a parameter of this route. The parameters are ${known.replace(/\w+/g, "`$&`").replaceAll(" ", ", ")}.`,
        "`size` is not a parameter of this route.",
      ].join(" "),
    );
  });

  it.each([
    ["2,000 names", Array.from({ length: 2000 }, (_, i) => i.toString(36)).join("&")],
    ["a name of 8,000 characters", "x".repeat(8000)],
    ["invisible names", Array.from({ length: 250 }, (_, i) => `%00%1B%7F%C2%9B%E2%80%AE${i}`).join("&")],
    ["invisible values", `estabelecimento_id=${"%C2%9B%E2%80%AE".repeat(300)}&page=${"%00".repeat(900)}`],
    ["a surrogate pair at the limit", `${"x".repeat(63)}${encodeURIComponent("💇")}`],
  ])("writes a readable message for %s (I5)", async (_, query) => {
    const response = await get(`/v1/transacoes?${query}`, STRICT);
    const { message } = await response.clone().json<{ message: string }>();
    expect(message.length).toBeLessThan(10_000);
    expect(message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    await expectError(response, 400, "Bad Request", /^`/);
  });

  it("counts the unknown parameters after the twentieth (I5)", async () => {
    const query = Array.from({ length: 23 }, (_, i) => `x${i}=1&x${i}=2`).join("&");
    const response = await get(`/v1/transacoes?${query}`, STRICT);
    await expectError(
      response,
      400,
      "Bad Request",
      /`x19` is not a parameter of this route\. 3 more unknown parameters were omitted\.$/,
    );
  });

  it("reports only the unknown `after_id` if a list without a cursor gets `page` and `after_id` (I5, L4)", async () => {
    const response = await get("/v1/transacoes?page=1&after_id=0", STRICT);
    const message = /^`after_id` is not a parameter of this route\. The parameters are [^.]+\.$/;
    await expectError(response, 400, "Bad Request", message);
  });
});
