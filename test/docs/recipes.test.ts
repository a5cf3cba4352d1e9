// @module-tag slow
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DefaultSettings, TaskUtils } from "@microsoft/powerquery-parser";
import { beforeAll, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { startFaultyProxy } from "../support/node/faulty-proxy.ts";
import { fences, runScript, skipWithoutTools } from "../support/node/pages.ts";

const docs = inject("docs");
const EXAMPLE = "https://api.example.com";
const blockOf = (heading: string, language: string) => {
  const found = fences.filter(
    (fence) => fence.page === "docs/recipes.md" && fence.heading === heading && fence.language === language,
  );
  expect(found, `${heading}, ${language}`).toHaveLength(1);
  return found[0]?.text ?? "";
};

let token: string;
beforeAll(async () => {
  const made = await runScript(docs.folder, "npm run -s users -- token demo@example.com --personal-data no");
  token = made.output.match(/^agt_\S+$/m)?.[0] ?? "";
  expect(token, made.output.replace(/agt_\S+/, "")).not.toBe("");
});

type Row = Record<string, unknown>;
interface Page {
  data: Row[];
  pagination: { next_after_id: number | null };
}

/** Sends a request of a recipe as the agent. */
const ask = async (path: string): Promise<unknown> => {
  const response = await fetch(docs.base + path, { headers: { Authorization: `Bearer ${token}` } });
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
};

/** All records of a list by cursor: `pathOf` is the recipe's request for the position. */
const readAll = async (pathOf: (after: number) => string): Promise<Row[]> => {
  const rows: Row[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = (await ask(pathOf(after))) as Page;
    rows.push(...page.data);
    after = page.pagination.next_after_id;
  }
  return rows;
};

/** The number of records of a list, by page. */
const countOf = async (list: string) =>
  ((await ask(`/v1/${list}?per_page=1`)) as { pagination: { total: number } }).pagination.total;

/** How a value must look for a type of M, with the culture en-US. */
const OF_TYPE: Record<string, (value: unknown) => boolean> = {
  "Int64.Type": Number.isInteger,
  "Currency.Type": (value) => /^-?\d+\.\d\d$/.test(String(value)),
  "type date": (value) => /^\d{4}-\d\d-\d\d$/.test(String(value)),
  "type logical": (value) => typeof value === "boolean",
};

it("the query for Excel and Power BI is valid M, and its requests return its columns with values of their types (L4, L8)", async () => {
  const query = blockOf("Excel and Power BI", "powerquery");
  const parsed = await TaskUtils.tryLexParse(DefaultSettings, query);
  expect(TaskUtils.isParseStageOk(parsed), query).toBe(true);
  const [, path] = /RelativePath = "(.+?)"/.exec(query) ?? [];
  const [, given = ""] = /Query = \[(.+)\]/.exec(query) ?? [];
  const constant = [...given.matchAll(/(\w+) = "(.*?)"/g)].map(([, name = "", value = ""]) => [name, value]);
  const [, cursor = ""] = /(\w+) = Number\.ToText\(after, "0"\)/.exec(given) ?? [];
  expect(query).toContain(`Web.Contents("${EXAMPLE}", [`);
  expect(query).toContain('Headers = [Authorization = "Bearer " & Token]');
  const rows = await readAll(
    (after) => `/${path}?${new URLSearchParams([...constant, [cursor, String(after)]])}`,
  );
  expect(rows).toHaveLength(await countOf("pagamentos-erp"));
  const [, columns = ""] = /Table\.FromRecords\(Records, \{(.+)\}\)/.exec(query) ?? [];
  const names = [...columns.matchAll(/"(\w+)"/g)].map(([, name]) => name);
  expect([...names].sort()).toEqual(Object.keys(rows[0] ?? {}).sort());
  const types = [...query.matchAll(/\{"(\w+)", ([\w. ]+)\}/g)].map(([, name = "", type = ""]) => [
    name,
    type,
  ]);
  expect(types.map(([name]) => name)).toEqual(names);
  for (const [name = "", type = ""] of types)
    expect(
      rows.filter((row) => row[name] !== null && !OF_TYPE[type]?.(row[name])),
      `${name}: ${type}`,
    ).toEqual([]);
});

/** The services of Google that the script uses: requests by curl, a sheet that keeps what was written. */
const GOOGLE = `
import { execFileSync } from "node:child_process";
const PropertiesService = {
  getScriptProperties: () => ({ getProperty: (name) => ({ SALON_TOKEN: process.env.TOKEN })[name] ?? null }),
};
const UrlFetchApp = {
  fetch: (url, { headers, muteHttpExceptions }) => {
    const given = Object.entries(headers).flatMap(([name, value]) => ["-H", name + ": " + value]);
    const text = execFileSync("curl", ["-si", ...given, url], { encoding: "utf8", maxBuffer: 1e8 });
    const [head, ...body] = text.split("\\r\\n\\r\\n");
    const [status, ...lines] = head.split("\\r\\n");
    const code = Number(status.split(" ")[1]);
    if (code >= 400 && !muteHttpExceptions) throw new Error("Request failed: " + code);
    return {
      getResponseCode: () => code,
      getContentText: () => body.join("\\r\\n\\r\\n"),
      getAllHeaders: () => Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2))),
    };
  },
};
const Utilities = { sleep: (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms) };
const sheet = {
  written: [["of an earlier hour"]],
  clearContents() { this.written = []; },
  getRange(row, column, height, width) {
    return {
      setValues: (rows) => {
        if (row !== 1 || column !== 1 || rows.length !== height || rows.some((cells) => cells.length !== width))
          throw new Error("The values do not fit into the range.");
        this.written = rows;
      },
    };
  },
};
const SpreadsheetApp = { getActive: () => ({ getSheetByName: (name) => (name === "lancamentos" ? sheet : null) }) };
`;

it("the script for Google Sheets waits after a 429 and writes every record once, as text that cannot be a formula (L4)", async (context) => {
  skipWithoutTools(context, "curl");
  const proxy = await startFaultyProxy(docs.base, { expires: false });
  const script = blockOf("Google Sheets", "js");
  const program = `${GOOGLE}${script.replaceAll(EXAMPLE, proxy.url)}
refresh();
console.log(JSON.stringify([cell("=1+1"), cell(7), cell(null), cell("2026-11-27T01:30:00+00:00")]));
console.log(JSON.stringify(sheet.written));`;
  writeFileSync(join(docs.folder, "sheets.mjs"), program);
  const { output, failed } = await runScript(docs.folder, "node sheets.mjs", { TOKEN: token });
  await proxy.close();
  expect(failed, output.slice(-2000)).toEqual([]);
  expect(proxy.faults).toMatchObject({ busy: 1, expired: 0 });
  const [cells = "", written = ""] = output.split("\n");
  expect(JSON.parse(cells)).toEqual(["'=1+1", 7, "", "2026-11-27T01:30:00.000Z"]);
  const [header, ...rows] = JSON.parse(written);
  expect(header).toEqual(["id", "salon_id", "estabelecimento_id", "synced_at"]);
  const total = await countOf("lancamentos");
  expect([rows.length, new Set(rows.map(([id]: unknown[]) => id)).size]).toEqual([total, total]);
});

it("the panel for Grafana requests rows that have its columns, from a host that its data source allows (R20)", async () => {
  const { datasources } = parse(blockOf("Grafana", "yaml"));
  const [{ url, uid, type, jsonData, secureJsonData }] = datasources;
  const panel = JSON.parse(blockOf("Grafana", "json"));
  const [target] = panel.targets;
  expect(panel.datasource).toEqual({ type, uid });
  expect([jsonData, secureJsonData]).toEqual([
    { auth_method: "bearerToken", allowedHosts: [url] },
    { bearerToken: "$SALON_TOKEN" },
  ]);
  expect([url, target.url_options]).toEqual([EXAMPLE, { method: "GET" }]);
  const rows = ((await ask(target.url)) as Record<string, Row[]>)[target.root_selector] ?? [];
  expect(rows.length).toBeGreaterThan(30);
  const fits: Record<string, (value: unknown) => boolean> = {
    timestamp: (value) => !Number.isNaN(Date.parse(String(value))),
    number: Number.isFinite,
  };
  for (const column of target.columns)
    expect(rows.filter((row) => !fits[column.type]?.(row[column.selector]))).toEqual([]);
});

/** The value of an expression of n8n, after a response; before the first one, the response is empty. */
const evaluate = (expression: string, body: Page | undefined): unknown =>
  new Function("$response", `return ${/^=\{\{(.*)\}\}$/.exec(expression)?.[1]}`)(body ? { body } : {});

it("the workflow for n8n requests every record once, and stays below the limit (L4, E3)", async () => {
  const { nodes, connections } = JSON.parse(blockOf("n8n", "json"));
  const [schedule, http, split] = nodes;
  const follows = (name: string) => connections[name].main[0][0].node;
  expect([follows(schedule.name), follows(http.name)]).toEqual([http.name, split.name]);
  const { pagination } = http.parameters.options.pagination;
  const [{ name, value }] = pagination.parameters.parameters;
  const url = new URL(http.parameters.url);
  expect(url.origin).toBe(EXAMPLE);
  const rows: Row[] = [];
  for (let page: Page | undefined; ; ) {
    url.searchParams.set(name, String(evaluate(value, page)));
    page = (await ask(url.pathname + url.search)) as Page;
    rows.push(...((page as unknown as Record<string, Row[]>)[split.parameters.fieldToSplitOut] ?? []));
    if (evaluate(pagination.completeExpression, page)) break;
  }
  const total = await countOf("lancamentos");
  expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([total, total]);
  expect(900_000 / pagination.requestInterval).toBeLessThan(500);
});
