import type { Statement } from "../../../src/core/database.ts";
import { type Answer, readAnswer } from "../../../src/db/answer.ts";
import type * as service from "../../../src/db/connect.ts";

/** What the endpoint says to a statement, as the driver would ask it. */
export const asked = async (url: string, { text, values }: Statement): Promise<ArrayBuffer> => {
  const { hostname, port } = new URL(url);
  const response = await fetch(`http://${hostname}:${port}/sql`, {
    method: "POST",
    headers: { "Neon-Connection-String": url, "Neon-Raw-Text-Output": "true", "Neon-Array-Mode": "true" },
    body: JSON.stringify({ query: text, params: values.map(String) }),
  });
  return response.arrayBuffer();
};

/** The first row of an answer. */
export const rowOf = (answer: ArrayBuffer) => {
  const { fields, rows } = readAnswer(answer) as Answer & { fields: { name: string }[] };
  return Object.fromEntries(fields.map(({ name }, i) => [name, rows[0]?.[i]]));
};

/** Instead of `src/db/connect.ts`: no driver, no deadline, no second try, no breaker. */
export const openDatabase: typeof service.openDatabase =
  (url) =>
  async <Row>(statement: Statement) =>
    rowOf(await asked(url, statement)) as Row;
