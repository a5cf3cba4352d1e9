// @module-tag server
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, get, mendDatabase, statements } from "../../support/worker/api.ts";
import { insertEdgeCaseRows } from "../../support/worker/edge-case-rows.ts";
import { exactJson, recordsByPath } from "../../support/worker/tables.ts";

let PATHS: [path: string, fields: string[]][];
beforeAll(async () => {
  await insertEdgeCaseRows();
  PATHS = Object.entries(await recordsByPath("campos")).map(([path, fields]) => [path, Object.keys(fields)]);
}, 60_000);

type Fields = Record<string, unknown>;
const pick = (record: Fields, names: string[]) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));

/** The body with only these fields in each record. */
const projected = (text: string, names: string[]) => {
  const body = exactJson(text) as Fields & { data?: (Fields & { registro?: Fields | null })[] };
  const item = (one: Fields & { registro?: Fields | null }) =>
    "registro" in one ? { ...one, registro: one.registro && pick(one.registro, names) } : pick(one, names);
  return JSON.stringify(body.data ? { ...body, data: body.data.map(item) } : pick(body, names));
};

describe("the parameter campos (L8)", () => {
  it("returns exactly these fields of the full response, in the schema's order, with one tag per set", async () => {
    const question = fc
      .integer({ min: 0, max: PATHS.length - 1 })
      .chain((n) =>
        fc.tuple(
          fc.constant(PATHS[n] as (typeof PATHS)[number]),
          fc.shuffledSubarray(PATHS[n]?.[1] ?? [], { minLength: 1 }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(question, async ([[path], names]) => {
        const full = await (await get(path)).text();
        const response = await get(`${path}?campos=${names}`);
        const text = await response.text();
        expect(response.status, text.slice(0, 300)).toBe(200);
        expect(JSON.stringify(exactJson(text)), `${path} ${names}`).toBe(projected(full, names));
        const other = await get(`${path}?campos=${names.toReversed()}`);
        expect(other.headers.get("ETag")).toBe(response.headers.get("ETag"));
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it("looks up no professional without servicos", async () => {
    await mendDatabase();
    await get("/v1/transacoes?campos=salon_id,total");
    expect(JSON.stringify(await statements())).not.toContain("profissionais");
    await mendDatabase();
    await get("/v1/transacoes?campos=servicos");
    expect(JSON.stringify(await statements())).toContain("profissionais");
  });

  it("lets a cursor go on without the field id", async () => {
    const first = await get("/v1/lancamentos?after_id=0&per_page=2&campos=salon_id");
    const { data, pagination } = await first.json<{
      data: object[];
      pagination: { next_after_id: number };
    }>();
    expect(data.map((entry) => Object.keys(entry))).toEqual([["salon_id"], ["salon_id"]]);
    expect(first.headers.get("Link")).toBe(
      `</v1/lancamentos?after_id=${pagination.next_after_id}&per_page=2&campos=salon_id>; rel="next"`,
    );
  });

  it.each([
    ["an empty value", "campos="],
    ["a blank value", "campos=%20"],
    ["an unknown field", "campos=salon_id,cpf"],
    ["a field that every object has", "campos=constructor"],
    ["a repeated field", "campos=total,total"],
    ["a field of another case", "campos=Total"],
    ["a comma at the end", "campos=total,"],
    ["a blank after the comma", "campos=salon_id,%20total"],
    ["300 names", `campos=${Array.from({ length: 300 }, (_, n) => `f${n}`)}`],
    ["NUL", "campos=total%00"],
  ])("rejects %s with the list of fields", async (_, query) => {
    for (const headers of [{}, { Prefer: "handling=strict" }]) {
      const response = await get(`/v1/transacoes?${query}`, headers);
      await expectError(
        response,
        400,
        "Bad Request",
        /^`campos` must be .*The fields of a record are salon_id, .*, synced_at; got /,
      );
    }
  });

  it("rejects a repeated parameter, and is unknown on a report", async () => {
    const twice = await get("/v1/transacoes?campos=total&campos=salon_id");
    await expectError(twice, 400, "Bad Request", "`campos` must be given once, not 2 times.");
    const report = await get("/v1/relatorios/resumo?campos=total", { Prefer: "handling=strict" });
    await expectError(report, 400, "Bad Request", /^`campos` is not a parameter of this route\./);
  });
});
