import { plainSql } from "../plain-tables.ts";
import { sql } from "./api.ts";

/** Answers a question by plain SQL. @param now the instant of `clock`, which names ranges, as an ISO 8601 date-time */
export const solveAt = (now: string, query: string) => sql.query(plainSql(now, query));
