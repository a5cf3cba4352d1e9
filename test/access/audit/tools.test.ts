// @module-tag server
import { describe, expect, it } from "vitest";
import { DEMO, makeAgentToken, sql } from "../../support/worker/api.ts";
import { ask, rowsOf, useReader } from "../../support/worker/audit.ts";
import { toolCall } from "../../support/worker/mcp.ts";
import { createOAuth, hostClient } from "../../support/worker/oauth.ts";

useReader();

describe("a tool", () => {
  const call = (name: string, args: object, headers: object = {}) =>
    ask("/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(toolCall(name, args)),
    });

  it("is recorded as its route, of an agent token too (A15)", async () => {
    const { id } = await call("listTransacoes", { per_page: 4, campos: "salon_id,cliente_nome" });
    expect(await rowsOf(id)).toMatchObject([{ route: "/v1/transacoes", row_count: 4, email: DEMO.email }]);
    const token = await makeAgentToken(DEMO.email);
    const [last] = await sql`select max(id) as id from agent_tokens`;
    const agent = await call(
      "listTransacoes",
      { campos: "cliente_nome" },
      { Authorization: `Bearer ${token}` },
    );
    expect(await rowsOf(agent.id)).toMatchObject([
      { session_kind: "agent", agent_token_id: last?.id, email: null, route: "/v1/transacoes" },
    ]);
  });

  it("is not recorded if it fails, or if its result has no personal data (A15)", async () => {
    for (const [name, args] of [
      ["listTransacoes", { campos: "salon_id,total" }],
      ["listTransacoes", { page: "x" }],
      ["frescor", {}],
      ["unknown", {}],
    ] as const)
      expect(await rowsOf((await call(name, args)).id), name).toEqual([]);
  });

  it("of an OAuth client is recorded with the client, unless the user left personal data out (A15)", async () => {
    const oauth = createOAuth();
    const client = await hostClient();
    const read = async (without_personal_data: boolean) => {
      const code = await oauth.codeFor(client, { ...DEMO, without_personal_data });
      const { access_token } = await (await oauth.redeem(client, code)).json<{ access_token: string }>();
      const headers = { Authorization: `Bearer ${access_token}` };
      const { id, body } = await call("listTransacoes", { campos: "cliente_nome" }, headers);
      expect(JSON.parse(body).result.isError, body.slice(0, 200)).not.toBe(true);
      return rowsOf(id);
    };
    expect(await read(true)).toEqual([]);
    expect(await read(false)).toMatchObject([
      { session_kind: "oauth", session_client: client, email: null, route: "/v1/transacoes" },
    ]);
  });
});
