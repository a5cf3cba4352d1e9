import { neon } from "@neondatabase/serverless";
import { count, desc } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
// The driver is configured for loopback where the service configures it.
import "../../../src/db/connect.ts";
import { lancamentos as l } from "../../../src/v1/lancamentos/table.ts";

/** A page of 200 ledger entries by row mapping in the Worker: Drizzle's rows to objects to JSON, and nothing else. */
export default {
  async fetch(_: Request, env: { DATABASE_URL: string }): Promise<Response> {
    const db = drizzle(neon(env.DATABASE_URL));
    const [rows, [total]] = await db.batch([
      db.select().from(l).orderBy(desc(l.id)).limit(200),
      db.select({ n: count() }).from(l),
    ]);
    const data = rows.map((row) => ({
      ...row,
      synced_at: new Date(row.synced_at).toISOString(),
      sent_at: row.sent_at && new Date(row.sent_at).toISOString(),
    }));
    return Response.json({ data, pagination: { page: 1, per_page: 200, total: total?.n } });
  },
};
