import type { Statement } from "../../../src/core/database.ts";
import type * as service from "../../../src/db/connect.ts";
import { asked, rowOf } from "./driver.ts";

let row: unknown;

/** Instead of `src/db/connect.ts`: each answer is waited for, and only the first is read. */
export const openDatabase: typeof service.openDatabase =
  (url) =>
  async <Row>(statement: Statement) => {
    const answer = await asked(url, statement);
    row ??= rowOf(answer);
    return row as Row;
  };
