import type { Statement } from "../../../src/core/database.ts";
import type * as service from "../../../src/db/connect.ts";
import { asked, rowOf } from "./driver.ts";

let row: unknown;

/** Replaces `src/db/connect.ts`: queries the database once and reuses the row. */
export const openDatabase: typeof service.openDatabase =
  (url) =>
  async <Row>(statement: Statement) => {
    row ??= rowOf(await asked(url, statement));
    return row as Row;
  };
