import { findFechamento } from "../../src/api/v1/fechamentos/queries.ts";
import type { MonthQuery } from "../../src/api/v1/fechamentos/schemas.ts";
import { monthRange } from "../../src/core/periods.ts";
import { closeMonth } from "../warehouse/closings.ts";
import { elapsed, type Figure, inTurn, plain, withinMs } from "./figures.ts";
import { asApi, statementOf, timed } from "./timed.ts";

/** Shows what a closing costs to make, to read and to keep (F2). */

const TIMES = 40;

/** Closes the last finished month of a warehouse again. @returns its figures */
export const measureClosings = (url: string): Promise<Figure[]> =>
  asApi(url, async (db) => {
    const { rows } = await db.query(
      "select to_char(date_trunc('month', now() at time zone 'America/Sao_Paulo') - interval '1 day', 'YYYY-MM') as mes",
    );
    const { mes } = rows[0];
    await db.query(
      "insert into jobs_log (queue, job_name, status, created_at) values ('sync', 'sync-transacoes', 'completed', now())",
    );
    const closing = await elapsed(() => closeMonth(db, mes));
    const month: MonthQuery = { mes, ...monthRange(mes) } as MonthQuery;
    const run = {
      on: db,
      statement: await statementOf((to, request) => findFechamento(to, request, { mes: month })),
    };
    const { us } = await inTurn(TIMES, { us: () => timed(run) });
    const { rows: sizes } = await db.query(
      "select max(pg_column_size(fechamentos.*)) as stored, max(octet_length(valores)) as signed from fechamentos",
    );
    const { stored, signed } = sizes[0];
    return [
      withinMs("/v1/fechamentos/{mes}, the last month", us, 60),
      plain("closing it, with loaders waiting", `${Math.round(closing)} ms`),
      {
        measure: "a year of closings",
        value: `${Math.round((12 * stored) / 1024)} KiB`,
        bar: "≤ 1024 KiB",
        isMet: 12 * stored <= 1024 ** 2,
        detail: `one: ${signed} bytes of figures, ${stored} as stored`,
      },
    ];
  });
