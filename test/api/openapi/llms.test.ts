import { describe, expect, it } from "vitest";
import { operationsOf } from "../../support/document.ts";
import { readDocument, send } from "../../support/worker/api.ts";

/** Parameters that the section on parameters describes once. An endpoint lists `range` for those of its range. */
const SHARED =
  "estabelecimento_id campos formato page per_page tudo after_id data_inicio data_fim periodo".split(" ");
const IN_GENERAL = "dia_semana hora_min hora_max ordem limite comparar explicar".split(" ");

describe("GET /llms.txt", () => {
  const text = async () => (await send("/llms.txt")).text();

  it("needs no token and is plain text in the llms.txt format (A1)", async () => {
    const response = await send("/llms.txt");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const lines = (await response.text()).split("\n");
    expect(lines[0]).toMatch(/^# /);
    expect(lines.filter((line) => line.startsWith("# "))).toHaveLength(1);
    expect(lines[2]).toMatch(/^> /);
    expect(lines.filter((line) => line.startsWith("## ")).length).toBeGreaterThan(5);
  });

  // With the tokenizers of GPT-4o and GPT-4, that is fewer than 4,000 tokens.
  it("has at most 12,000 characters", async () => {
    const all = await text();
    const sizes = all.split(/^## /m).map((part) => `${part.length} ${part.split("\n")[0]}`);
    expect(all.length, sizes.join(", ")).toBeLessThanOrEqual(12_000);
  });

  it("lists every data endpoint with its query parameters", async () => {
    const lines = (await text()).split("\n");
    const operations = operationsOf(await readDocument()).filter(({ path }) => path.startsWith("/v1/"));
    const parameters = lines
      .slice(lines.indexOf("## Reading an entire list"), lines.indexOf("## Endpoints"))
      .join("\n");
    for (const name of [...SHARED, ...IN_GENERAL]) expect(parameters).toContain(name);
    for (const { path, operation } of operations) {
      const line =
        lines.find((one) => one.match(`^- ${path.replace("/v1", "").replaceAll(/[{}]/g, "\\$&")}(?: |$)`)) ??
        "";
      const names = (operation.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name);
      const isGeneral = names.includes("medidas");
      const once = isGeneral ? [...SHARED, ...IN_GENERAL] : SHARED;
      for (const name of names) if (!once.includes(name)) expect(line).toContain(name);
      if (!isGeneral) expect(line.includes("range"), path).toBe(names.includes("data_inicio"));
    }
  });

  it("describes every report and names only paths that exist", async () => {
    const [prose = ""] = (await text()).split("## Endpoints");
    const paths = Object.keys((await readDocument()).paths);
    const reports = paths.filter((path) => path.startsWith("/v1/relatorios/"));
    expect(reports.filter((path) => !prose.includes(path.replace(/.*\//, "")))).toEqual([]);
    const named = [...prose.matchAll(/\/(?:v1|auth)\/[\w/-]*\w/g)].map(([path]) => path);
    for (const [report] of prose.matchAll(/\b(?:\w+-por(?:-\w+)+|painel|nao-mapeados)/g))
      named.push(`/v1/relatorios/${report}`);
    expect(named.filter((one) => !paths.some((path) => `${path}/`.startsWith(`${one}/`)))).toEqual([]);
  });

  it.each([
    "send the id of the last record",
    "the same after_id after an empty page",
    "Never add up rows of transacoes-por-profissional",
    "synced_at is when a job last fetched a record",
    "POST /mcp with either token",
    "(/openapi.yaml)",
    "(/docs)",
  ])("contains: %s (L7, M5)", async (phrase) => {
    expect((await text()).replace(/\s+/g, " ")).toContain(phrase);
  });
});
