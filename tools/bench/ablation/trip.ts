import type { Statement } from "../../../src/core/database.ts";
import type * as service from "../../../src/db/connect.ts";
import { asked, rowOf } from "./driver.ts";

let row: unknown;

/** Instead of `src/db/connect.ts`: the database is asked once, and never again. */
export const openDatabase: typeof service.openDatabase =
  (url) =>
  async <Row>(statement: Statement) => {
    row ??= rowOf(await asked(url, statement));
    return row as Row;
  };
