import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { parseAccept } from "hono/utils/accept";
import type { Format, SentText } from "../../core/database.ts";
import { withMetadata } from "../../core/schema-metadata.ts";
import { oneOf, querySchema } from "./params.ts";
import { jsonResponse, type Sending, sendFinishedText } from "./responses.ts";

const MEDIA_TYPE = "text/csv";
export const CSV_CONTENT_TYPE = `${MEDIA_TYPE}; charset=utf-8; header=present`;

/**
 * A 200 whose `data` are rows: JSON, or CSV if the request asks for it (X1). The document lists JSON only:
 * with two media types, generated clients could not tell which one they get.
 */
export const tableResponse = <Schema extends z.ZodType>(schema: Schema, description: string) => {
  withMetadata(schema, { isTable: true });
  return jsonResponse(schema, `${description}. As CSV if the request asks for it: see \`formato\`.`);
};

export const FORMAT_TEXT =
  "The response as CSV (RFC 4180): exact (`csv`, the same as `Accept: text/csv`), or with semicolons, " +
  "decimal commas and times in Brasília, as Excel opens it in Brazil (`excel`). The first record has the " +
  "names of the columns: the fields in the schema's order, `raw_data` and `servicos` only if `campos` " +
  "names them. Read the header `Link` for other pages.";

const formatParam = oneOf(["csv", "excel"], FORMAT_TEXT).optional();

/** The `q` of the most specific range that matches (RFC 9110, section 12.5.1). */
const qualityOf = (ranges: ReturnType<typeof parseAccept>, type: string): number => {
  const [group] = type.split("/");
  const candidates = [type, `${group}/*`, "*/*"];
  const matching = candidates.map((candidate) => ranges.find((one) => one.type.toLowerCase() === candidate));
  return matching.find((range) => range !== undefined)?.q ?? 0;
};

/** The format that the request asks for; undefined for JSON. */
export const formatOf = (c: Context, formato: Format | undefined): Format | undefined => {
  const ranges = parseAccept(c.req.header("Accept") ?? "");
  const prefersCsv = qualityOf(ranges, MEDIA_TYPE) > qualityOf(ranges, "application/json");
  return formato ?? (prefersCsv ? "csv" : undefined);
};

/** Says that the answer is a file, named by the path. */
export const setFileName = (c: Context, extension: "csv" | "ndjson"): void =>
  c.header("Content-Disposition", `attachment; filename="${c.req.path.split("/").at(-1)}.${extension}"`);

/** Sends a table in the format that the request asks for. */
export const sendTable = <T>(c: Context, text: SentText<T>, format: Format | undefined, sending: Sending) => {
  c.header("Vary", "Accept", { append: true });
  if (format === undefined) return sendFinishedText(c, text, sending);
  setFileName(c, "csv");
  return sendFinishedText(c, text, { ...sending, contentType: CSV_CONTENT_TYPE });
};

/** Adds `formato` to the parameters. */
export const withFormat = <R extends { query?: unknown }>(request: R): R => {
  const query = (request.query ?? querySchema({})) as z.ZodObject;
  return { ...request, query: query.safeExtend({ formato: formatParam }) };
};
