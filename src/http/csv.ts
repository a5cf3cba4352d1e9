import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { parseAccept } from "hono/utils/accept";
import type { Format } from "../core/database.ts";
import { oneOf } from "./params.ts";
import { json } from "./responses.ts";

const MEDIA_TYPE = "text/csv";
export const CSV_CONTENT_TYPE = `${MEDIA_TYPE}; charset=utf-8; header=present`;

const csvSchema = z.string().openapi({
  description:
    "One record per row, after a record with the names of the columns (RFC 4180). The columns are the fields in the " +
    "schema's order; `raw_data` and `servicos` only if `campos` names them. There is no `pagination`: read the header `Link`.",
});

/** A 200 whose `data` are rows: JSON, or CSV if the request asks for it (X1). */
export const table = <Schema extends z.ZodType>(schema: Schema, description: string) => {
  const answer = json(schema, description);
  const csv = { [MEDIA_TYPE]: { schema: csvSchema } };
  // The type stays that of JSON, for the typed client.
  return { ...answer, content: { ...answer.content, ...csv } } as typeof answer;
};

export const isTable = ({ content }: { content: object }): boolean => MEDIA_TYPE in content;

export const formatParam = oneOf(
  ["csv", "excel"],
  "The response as CSV: exact (`csv`, the same as `Accept: text/csv`), or with semicolons, decimal commas and times " +
    "in Brasília, as Excel opens it in Brazil (`excel`).",
).optional();

/** The `q` of the most specific range that matches (RFC 9110, section 12.5.1). */
const qualityOf = (ranges: ReturnType<typeof parseAccept>, type: string): number => {
  const [group] = type.split("/");
  const candidates = [type, `${group}/*`, "*/*"];
  const matching = candidates.map((candidate) => ranges.find((one) => one.type.toLowerCase() === candidate));
  return matching.find((range) => range !== undefined)?.q ?? 0;
};

/** The format that the request asks for; undefined for JSON. `formato` wins over `Accept` (X1). */
export const formatOf = (c: Context, formato: Format | undefined): Format | undefined => {
  if (formato !== undefined) return formato;
  const ranges = parseAccept(c.req.header("Accept") ?? "");
  return qualityOf(ranges, MEDIA_TYPE) > qualityOf(ranges, "application/json") ? "csv" : undefined;
};
