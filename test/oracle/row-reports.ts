import type pg from "pg";
import type { Question } from "./questions.ts";
import { SALES_AND_PAYMENTS } from "./sales-and-payments.ts";
import { SERVICES } from "./services.ts";

/** The reports of rows that no other file of the oracle describes. */
export const ROW_REPORTS = { ...SALES_AND_PAYMENTS, ...SERVICES };

/** The expected body of one of these reports. */
export const expectedRowReport = async (
  db: pg.Client,
  report: string,
  question: Question,
): Promise<unknown> => {
  const rows = ROW_REPORTS[report]?.rows(question);
  const { rows: records } = await db.query(
    `select to_json(report)::text as record from (${rows}) as report order by place`,
  );
  return {
    data: records.map(({ record }) => {
      const { place, ...fields } = JSON.parse(record);
      return fields;
    }),
  };
};
