import { afterAll, afterEach, expect } from "vitest";
import { EDGE_CASE_UNIT } from "../requests.ts";
import { DEMO, mendDatabase, sql } from "./api.ts";
import { endLines, logged, refusals } from "./captured-logs.ts";
import { TEXTS } from "./edge-case-rows.ts";

/** A JWT, an agent token or a client secret (or its first characters), or an encrypted refresh token. */
const TOKEN = /eyJ[\w-]+\.eyJ|agt_[\w-]{8}|ocs_[\w-]{8}|[\w-]{100,}/;

/** It names professionals by contract (I8). */
const PROFESSIONALS =
  /^\{"error":"Bad Request","message":"`profissional_salon_id` .* does not exist\. Existing values/;

interface Modules {
  idToModuleMap: Map<string, { id: string }>;
  invalidateModule: (module: { id: string }) => void;
}
const { evaluatedModules } = (globalThis as unknown as Record<string, { evaluatedModules: Modules }>)
  .__vitest_worker__ as { evaluatedModules: Modules };

// Vitest evaluates a setup file once if files are not isolated: then its hooks would be those of the first file alone.
afterAll(() => {
  for (const module of evaluatedModules.idToModuleMap.values())
    if (module.id.endsWith("/worker/privacy.ts")) evaluatedModules.invalidateModule(module);
});

afterEach(({ task }) => endLines(task.result?.state === "fail"));

// After every test file: no log line and no error body contains personal data or secrets (E9).
afterAll(async () => {
  await mendDatabase();
  const rows = await sql`
    select cpf as value from profissionais where cpf is not null and salon_estabelecimento_id is distinct from ${EDGE_CASE_UNIT}
    union select nome from profissionais where salon_estabelecimento_id is distinct from ${EDGE_CASE_UNIT}
    union select cliente_nome from transacoes where cliente_nome is not null and estabelecimento_id <> ${EDGE_CASE_UNIT}
    union select email from users union select password_hash from users union select hash from agent_tokens
    union select hash from oauth_secrets`;
  const secrets = [DEMO.password, ...rows.map(({ value }) => String(value))].filter(
    (secret) => secret.length > 6 && !TEXTS.includes(secret),
  );
  const outputs = [...logged.splice(0), ...refusals.splice(0).filter((text) => !PROFESSIONALS.test(text))];
  const leaks = outputs.filter((text) => TOKEN.test(text) || secrets.some((secret) => text.includes(secret)));
  expect(leaks.slice(0, 3)).toEqual([]);
});
