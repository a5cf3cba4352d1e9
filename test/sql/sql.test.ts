import { format } from "sql-formatter";
import { beforeAll, describe, expect, it } from "vitest";
import { get, mendDatabase, readDocument, statements } from "../support/api.ts";
import { type Operation, operationsOf, type Parameter } from "../support/document.ts";

/** A value of its own for each parameter, so that it is known again among the statement's. */
const sampleOf = ({ name, schema }: Parameter): string => {
  if (name === "data_inicio") return "2024-02-01T00:00:00Z";
  if (name === "data_fim") return "2025-03-01T00:00:00Z";
  if (name === "after") return String(schema.example);
  if (schema.type === "integer") return "17";
  // Of words the last that is not the one it has anyway.
  return schema.enum ? String(schema.enum.filter((word) => word !== schema.default).at(-1)) : `the_${name}`;
};
const MODES: Record<string, Record<string, string>> = {
  "": {},
  "-later-page": { page: "3", per_page: "7" },
  "-by-cursor": { after_id: "41", per_page: "7" },
};
const asSent = (value: string) => value.replace(/:00Z$/, ":00.000000Z");

/** The statement with the names of its parameters, formatted for a reviewer. */
const named = (
  { query, params }: { query: string; params: unknown[] },
  given: Record<string, string>,
  presets: Record<string, string>,
) => {
  const [, epoch = "", begun = "", position = ""] = given.after?.split(".") ?? [];
  const marker = given.after ? { epoch, begun, position } : {};
  const known = Object.entries({ offset: "14", ...presets, ...marker, ...given });
  const names = params.map((param) => known.find(([, value]) => asSent(value) === String(param))?.[0]);
  // What is sent in another form than it was given in is the one that is left; the rest are constants.
  const left = Object.keys(given).filter((name) => !names.includes(name) && name !== "page");
  if (names.includes(undefined) && left.length > 1) throw new Error(`whose values are ${params}? ${left}`);
  const numbered = names.map((name, n) => [
    String(n + 1),
    name || left[0] ? `:${name ?? left[0]}` : `'${params[n]}'`,
  ]);
  const byNumber = Object.fromEntries(numbered);
  return format(query, { language: "postgresql", expressionWidth: 110, params: byNumber });
};

const paging = ["page", "per_page", "after_id"];

/** No filter, each alone, all together; every page a list can be asked for. */
const questionsTo = ({ parameters = [] }: Operation) => {
  const asked = parameters.filter((parameter) => parameter.in === "query");
  const filters = asked.filter(({ name }) => !paging.includes(name));
  const sets: [string, Parameter[]][] = [
    ["no-filter", []],
    ...filters.map((one) => [one.name, [one]] as [string, Parameter[]]),
  ];
  if (filters.length > 1) sets.push(["all-filters", filters]);
  const has = (name: string) => asked.some((parameter) => parameter.name === name);
  const modes = Object.entries(MODES).filter(([, mode]) => Object.keys(mode).every(has));
  return sets.flatMap(([set, given]) =>
    modes.map(([suffix, mode]) => ({
      name: `${set}${suffix}`,
      query: { ...Object.fromEntries(given.map((one) => [one.name, sampleOf(one)])), ...mode },
    })),
  );
};

/** What is sent for a path, in a round trip of its own. */
const sentFor = async (path: string, given: Record<string, string>, presets: Record<string, string>) => {
  await get(path);
  await mendDatabase();
  await get(path);
  return (await statements()).map((statement) => named(statement, given, presets)).join("\n;\n\n");
};

describe("the SQL each route sends is pinned: a change of a statement is a reviewable diff", () => {
  let operations: ReturnType<typeof operationsOf>;
  beforeAll(async () => {
    operations = operationsOf(await readDocument()).filter(({ path }) => path.startsWith("/v1/"));
  });

  it("for every data route, under every filter", { timeout: 120_000 }, async () => {
    const pinned: string[] = [];
    for (const { path, operation } of operations) {
      const isNumber = operation.parameters?.find(({ name }) => name === "id")?.schema.type === "integer";
      const id = isNumber ? "4711" : "the_id";
      const presets = Object.fromEntries(
        (operation.parameters ?? []).flatMap(({ name, schema }) =>
          schema.default === undefined ? [] : [[name, String(schema.default)]],
        ),
      );
      for (const { name, query } of questionsTo(operation)) {
        const url = `${path.replace("{id}", id)}?${new URLSearchParams(query)}`;
        const sent = await sentFor(url, path.includes("{id}") ? { id, ...query } : query, presets);
        await expect(`${sent}\n`).toMatchFileSnapshot(`./${operation.operationId}/${name}.sql`);
        pinned.push(`./${operation.operationId}/${name}.sql`);
      }
    }
    // A file of a route or filter that is gone pins nothing.
    const kept = Object.keys(import.meta.glob("./*/*.sql"));
    expect(kept.filter((file) => !pinned.includes(file))).toEqual([]);
  });
});
