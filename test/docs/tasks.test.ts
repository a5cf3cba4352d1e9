// @module-tag slow
import { beforeAll, expect, inject, it } from "vitest";
import { countRows } from "../../public/docs/answer.ts";
import { requestOf, TASKS } from "../../public/docs/tasks.ts";

const { base } = inject("docs");
/** On the first of a month, and on a Monday, the range of a task has no rows yet. */
const FINISHED: Record<string, string> = { mes: "mes-passado", ontem: "semana-passada" };

let token: string;
beforeAll(async () => {
  const response = await fetch(`${base}/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "demo@example.com", password: "demo-password" }),
  });
  token = ((await response.json()) as { access_token: string }).access_token;
});

const ask = (path: string) => fetch(base + path, { headers: { Authorization: `Bearer ${token}` } });

it.each(TASKS.map((task) => [task.title, task] as const))(
  "%s: has rows on the demo (A2)",
  async (_, task) => {
    expect((await ask(requestOf(task.path, task.fields))).status).toBe(200);
    const fields = task.fields.map(({ name, value }) => ({
      name,
      value: (name === "periodo" && FINISHED[value]) || value,
    }));
    const response = await ask(requestOf(task.path, fields));
    const rows = countRows(await response.text(), response.headers.get("Content-Type") ?? "");
    expect(rows).toMatch(/^[1-9]\d* (?:of \d+ )?rows?$/);
  },
);
