import type { Statement } from "../../../src/core/database.ts";
import { type Answer, readAnswer } from "../../../src/db/answer.ts";
import type * as service from "../../../src/db/connect.ts";

/** Sends a statement to the endpoint as the driver does, and returns the raw answer. */
export const asked = async (url: string, { text, values }: Statement): Promise<ArrayBuffer> => {
  const { hostname, port } = new URL(url);
  const response = await fetch(`http://${hostname}:${port}/sql`, {
    method: "POST",
    headers: { "Neon-Connection-String": url, "Neon-Raw-Text-Output": "true", "Neon-Array-Mode": "true" },
    body: JSON.stringify({ query: text, params: values.map(String) }),
  });
  return response.arrayBuffer();
};

export const rowOf = (answer: ArrayBuffer) => {
  const { fields, rows } = readAnswer(answer) as Answer & { fields: { name: string }[] };
  return Object.fromEntries(fields.map(({ name }, i) => [name, rows[0]?.[i]]));
};

/** Replaces `src/db/connect.ts`: no driver, timeout, retry or circuit breaker. */
export const openDatabase: typeof service.openDatabase =
  (url) =>
  async <Row>(statement: Statement) =>
    rowOf(await asked(url, statement)) as Row;
