import { hc } from "hono/client";
import { expect, it } from "vitest";
import type { App } from "../../../src/app.ts";
import { DEMO, send } from "../../support/worker/api.ts";

it("the typed client hc<App> signs in and reads a page, a report and a record", async () => {
  const client = hc<App>("https://api.test", {
    fetch: (input: RequestInfo | URL, init?: RequestInit) =>
      send(String(input).replace("https://api.test", ""), init),
  });
  const login = await client.auth.login.$post({ json: DEMO });
  if (login.status !== 200) throw new Error((await login.json()).message);
  const { access_token } = await login.json();
  const headers = { Authorization: `Bearer ${access_token}` };

  const list = await client.v1.lancamentos.$get({ query: { after_id: "0", per_page: "3" } }, { headers });
  if (list.status !== 200) throw new Error((await list.json()).message);
  const page = await list.json();
  const ids: number[] = page.data.map((entry) => entry.id);
  expect(ids).toHaveLength(3);
  if (!("has_more" in page.pagination)) throw new Error("after_id must return cursor pagination");
  const next: number | null = page.pagination.next_after_id;
  expect(next).toBe(ids[2]);

  const report = await client.v1.relatorios.resumo.$get({ query: {} }, { headers });
  if (report.status !== 200) throw new Error((await report.json()).message);
  const visits: number = (await report.json()).transacoes.total;
  expect(visits).toBeGreaterThan(0);

  const visit = await client.v1.transacoes[":id"].$get({ param: { id: "T1" }, query: {} }, { headers });
  if (visit.status !== 200) throw new Error((await visit.json()).message);
  const { total, servicos } = await visit.json();
  expect([typeof total, servicos?.[0]?.profissional_nome]).toEqual(["string", expect.anything()]);
});
