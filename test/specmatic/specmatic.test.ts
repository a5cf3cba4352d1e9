// @module-tag slow
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Document } from "../support/document.ts";
import { type RunningService, startServiceIn } from "../support/node/service.ts";
import { readDocuments } from "./documents.ts";
import { runSpecmatic } from "./specmatic.ts";

let service: RunningService;

beforeAll(async () => {
  const limits = ["RATE_LIMIT_GLOBAL", "RATE_LIMIT_AUTH"].flatMap((name) => ["--var", `${name}:1000000`]);
  service = await startServiceIn(mkdtempSync(join(tmpdir(), "specmatic-")), limits);
});
afterAll(() => service?.stop());

it("accepts what the document allows, rejects what it forbids, and answers as it says (I1, V3)", {
  timeout: 1_800_000,
}, async () => {
  const { token, documents } = await readDocuments(service.base);
  const { requests, findings } = await runSpecmatic(documents, service.base, token);
  expect(findings.join("\n\n"), `${findings.length} of ${requests} requests`).toBe("");
  expect(requests).toBeGreaterThan(2000);
});

it("finds an answer that is not as the document says, and a valid value that the service rejects (I1, V3)", {
  timeout: 300_000,
}, async () => {
  const { token, documents } = await readDocuments(service.base);
  const withPath = (path: string, parameter?: string): Document => {
    const one = documents.find(({ paths }) => paths[path]?.get?.parameters?.[0]?.name === parameter);
    return structuredClone({ ...(one as Document), paths: { [path]: one?.paths[path] ?? {} } });
  };
  const answer = withPath("/health");
  Object.assign(answer.components.schemas.Health?.properties ?? {}, { uptime: { type: "string" } });
  const value = withPath("/v1/jobs-log", "per_page");
  Object.assign(value.paths["/v1/jobs-log"]?.get?.parameters?.[0]?.schema ?? {}, { maximum: 201 });
  const { findings } = await runSpecmatic([answer, value], service.base, token);
  const requests = findings.map((finding) => /GET (\S+)/.exec(finding)?.[1]);
  expect(requests.sort()).toEqual(["/health", "/v1/jobs-log?per_page=201"]);
});
