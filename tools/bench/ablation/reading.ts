import type { Statement } from "../../../src/core/database.ts";
import type * as service from "../../../src/db/connect.ts";
import { asked, rowOf } from "./driver.ts";

let row: unknown;

/** Replaces `src/db/connect.ts`: sends every statement, but parses only the first answer. */
export const openDatabase: typeof service.openDatabase =
  (url) =>
  async <Row>(statement: Statement) => {
    const answer = await asked(url, statement);
    row ??= rowOf(answer);
    return row as Row;
  };
