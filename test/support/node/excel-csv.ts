import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { csvTable } from "../../../src/platform/db/csv-sql.ts";
import { connected } from "../../../tools/warehouse/databases.ts";

/** The file for Excel that the service writes of one column, `valor`. */
export const excelCsv = (url: string, kind: "text" | "number" | "date-time", values: SQL): Promise<string> =>
  connected(url, async (db) => {
    const table = csvTable({ valor: kind }, sql`select valor from ${values} as given(valor)`, "excel");
    const { sql: text, params } = new PgDialect().sqlToQuery(sql`select ${table} as body`);
    return (await db.query<{ body: string }>(text, params)).rows[0]?.body ?? "";
  });

/** The same of texts. */
export const excelCsvOf = (url: string, texts: string[]): Promise<string> =>
  excelCsv(url, "text", sql`unnest(${sql.param(texts)}::text[])`);
