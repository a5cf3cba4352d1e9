import { sql } from "drizzle-orm";
import { numberLiteral } from "../../db/conditions.ts";
import { listed, objectOf } from "../../db/json-sql.ts";
import { overTime } from "./periods.ts";
import { summary, visitsByPaymentForm, visitsByProfessional, visitsByUnit } from "./queries.ts";
import { salesByProduct } from "./sales.ts";
import type { Painel } from "./schemas.ts";

/** Maximum rows of the two longest reports. */
const SHOWN = numberLiteral(10);

/** Runs six reports in one statement, so that all read the same snapshot (R7). */
export const painel = overTime<Painel>((periods, given) =>
  objectOf({
    resumo: summary(given),
    por_periodo: listed(periods),
    por_forma_pagamento: listed(visitsByPaymentForm(given)),
    por_profissional: listed(sql`${visitsByProfessional(given)} limit ${SHOWN}`),
    por_estabelecimento: listed(visitsByUnit(given)),
    vendas_por_produto: listed(salesByProduct({ ...given, limite: SHOWN })),
  }),
);
