// @module-tag slow
import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { hasGenerators } from "../support/node/installed.ts";
import { accessToken } from "./access-token.ts";

const HERE = import.meta.dirname;
const run = promisify(execFile);

const base = inject("pages");
let token: string;

beforeAll(async () => {
  token = await accessToken(base);
});

/** A server that adds the token: the suite of the protocol sends none. */
const startRelay = async (): Promise<Server> => {
  const relay = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const { method = "GET", url = "/" } = incoming;
    const onward = request(`${base}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  return relay;
};

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

/** Scenarios about what this server does not have, and why it need not. */
const NOT_APPLICABLE: [scenario: RegExp, why: string][] = [
  [/^tools-call-|^json-schema-2020-12$/, "call tools that only a server of the suite has"],
  [/^input-required-result-/, "needs tools that ask the user: these only read"],
  [/^(resources|prompts)-|^completion-complete$/, "no resources, prompts or completions are offered"],
  [/^tasks-/, "an extension: every call answers at once"],
  [/^http-custom-header-server-validation$/, "no tool has arguments in headers"],
];

/** Checks of the other scenarios that cannot run for the same reasons. */
const NOT_TESTABLE =
  /^Not testable: server does not list the diagnostic tool|^(prompts|resources)\/.* Method not found$/;

const readChecks = (folder: string): { scenario: string; checks: Check[] }[] =>
  globSync(join(folder, "*/checks.json")).map((file) => ({
    scenario: basename(dirname(file)).replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, "$1"),
    checks: JSON.parse(readFileSync(file, "utf8")) as Check[],
  }));

describe.runIf(hasGenerators)("the official conformance suite", { timeout: 120_000 }, () => {
  it("finds nothing in what revision 2026-07-28 requires of this server (M1, M8)", async () => {
    const relay = await startRelay();
    const folder = mkdtempSync(join(tmpdir(), "conformance-"));
    try {
      const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}/mcp`;
      const args = ["server", "--url", url, "--requirements", "2026-07-28", "--output-dir", folder];
      // It exits with 1, because some scenarios are not applicable.
      await run(join(HERE, "node_modules/.bin/conformance"), args).catch(() => undefined);
      const results = readChecks(folder);
      const applicable = results.filter(
        ({ scenario }) => !NOT_APPLICABLE.some(([one]) => one.test(scenario)),
      );
      expect(applicable.map(({ scenario }) => scenario).sort()).toEqual([
        "caching",
        "dns-rebinding-protection",
        "http-header-validation",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
        "server-stateless",
        "tools-list",
      ]);
      const failed = applicable.flatMap(({ scenario, checks }) =>
        checks.flatMap(({ id, status, errorMessage = "" }) =>
          status === "FAILURE" && !NOT_TESTABLE.test(errorMessage)
            ? [`${scenario} ${id}: ${errorMessage}`]
            : [],
        ),
      );
      expect(failed).toEqual([]);
      const passed = applicable.flatMap(({ checks }) => checks.filter(({ status }) => status === "SUCCESS"));
      expect(passed.length).toBeGreaterThan(40);
      for (const [scenario, why] of NOT_APPLICABLE)
        expect(
          results.some((one) => scenario.test(one.scenario)),
          why,
        ).toBe(true);
    } finally {
      await new Promise((resolve) => relay.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe.runIf(hasGenerators)(
  "an assistant on the AI SDK, and one on LangChain,",
  { timeout: 120_000 },
  () => {
    it("each sees all tools and gets the text of the route for three questions (M2, M3)", async () => {
      const questions = [
        { name: "faturamento", args: { por: "unidade", periodo: "mes-passado", comparar: "mes-anterior" } },
        { name: "visitas", args: { por: "mes", medidas: "clientes,clientes_novos", periodo: "mes-passado" } },
        { name: "pagamentos", args: { por: "faixa", situacao: "1" } },
      ];
      const { stdout } = await run("node", [
        join(HERE, "ask.js"),
        `${base}/mcp`,
        token,
        JSON.stringify(questions),
      ]);
      const document = await fetch(`${base}/openapi.yaml`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const { paths } = parse(await document.text()) as {
        paths: Record<string, { get?: { operationId: string } }>;
      };
      const documented = Object.entries(paths)
        .flatMap(([path, { get }]) => (get && /^\/v1\/(?!alteracoes\/)/.test(path) ? get.operationId : []))
        .sort();
      const answers = JSON.parse(stdout) as Record<string, { names: string[]; answers: string[][] }>;
      expect(Object.keys(answers)).toEqual(["aiSdk", "langChain"]);
      for (const [client, { names, answers: texts }] of Object.entries(answers)) {
        expect(names.toSorted(), client).toEqual(documented);
        for (const [n, { name, args }] of questions.entries()) {
          const query = new URLSearchParams(args as Record<string, string>);
          const response = await fetch(`${base}/v1/relatorios/${name}?${query}`, {
            headers: { Authorization: `Bearer ${token}` },
          });
          expect([client, name, texts[n]]).toEqual([client, name, [await response.text()]]);
        }
      }
    });
  },
);
