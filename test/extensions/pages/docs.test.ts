import { describe, expect, it } from "vitest";
import { requestOf, TASKS } from "../../../public/docs/tasks.ts";
import { RELATIVE_PERIODS } from "../../../src/core/periods.ts";
import { operationsOf } from "../../support/document.ts";
import { get, readDocument, send } from "../../support/worker/api.ts";

describe("the values of periodo on /docs (I7, A2)", () => {
  const rowsOf = async () => {
    const html = await (await send("/docs", { headers: { Accept: "text/html" } })).text();
    const row = /<code>([\w-]+)<\/code><\/th><td>([^<]+)<\/td><td>([^<]+)</g;
    return [...html.matchAll(row)].map(([, value = "", meaning = "", days = ""]) => ({
      value,
      meaning,
      days,
    }));
  };
  const dayOf = (text: string, year: string) => {
    const [day = "", month = "", own = year] = text.replace("Sept", "Sep").split(" ");
    return new Date(`${day} ${month} ${own} 00:00 UTC`).toISOString().slice(0, 10);
  };

  it("are all that have a name, and one of each kind of the calendar", async () => {
    const values = (await rowsOf()).map(({ value }) => value);
    expect(values.filter((value) => !/^2\d{3}/.test(value)).sort()).toEqual([...RELATIVE_PERIODS].sort());
    const kinds = values
      .filter((value) => /^2\d{3}/.test(value))
      .map((value) => value.replaceAll(/\d/g, "9"));
    expect(kinds.sort()).toEqual(["9999", "9999-99", "9999-99-99", "9999-S99", "9999-T9"]);
  });

  it("have the days that the service applies", async () => {
    const { hoje } = await (await get("/v1/frescor")).json<{ hoje: string }>();
    for (const { value, days } of await rowsOf()) {
      const response = await get(`/v1/relatorios/faturamento?medidas=valor_total&periodo=${value}`);
      const applied = response.headers.get("Applied-Range") ?? "";
      const ends = applied.split("/").map((end) => end.slice(0, 10));
      const [from = "", to = from] = days.split(" – ");
      expect([dayOf(from, hoje.slice(0, 4)), dayOf(to, hoje.slice(0, 4))], value).toEqual(ends);
    }
  });
});

describe("the tasks of /docs (A2)", () => {
  it.each(TASKS.map((task) => [task.title, task] as const))(
    "%s: answers a strict request, and the document has its parameters (I5)",
    async (_, { path, fields, needs }) => {
      const response = await get(requestOf(path, fields), { Prefer: "handling=strict" });
      expect(response.status, await response.text()).toBe(200);
      const operation = operationsOf(await readDocument()).find((one) => one.path === path)?.operation;
      const documented = operation?.parameters?.map(({ name }) => name);
      expect(documented).toEqual(expect.arrayContaining(fields.map(({ name }) => name)));
      const right = (operation as { "x-required-right"?: string } | undefined)?.["x-required-right"];
      if (right) expect(needs).toBe(right);
    },
  );
});
