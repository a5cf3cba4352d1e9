import { sql } from "drizzle-orm";
import { numberLiteral } from "../../db/conditions.ts";
import { dataObject, jsonObject } from "../../db/json-sql.ts";
import { reportOverTime } from "./periods.ts";
import { summary, visitsByPaymentMethod, visitsByProfessional, visitsByUnit } from "./queries.ts";
import { salesByProduct } from "./sales.ts";
import type { Painel } from "./schemas.ts";

/** Maximum rows of the two longest reports. */
const ROW_LIMIT = numberLiteral(10);

/** Runs six reports in one statement, so that all read the same snapshot (R7). */
export const painel = reportOverTime<Painel>((periods, given, scope) =>
  jsonObject({
    resumo: summary(given, scope),
    por_periodo: dataObject(periods),
    por_forma_pagamento: dataObject(visitsByPaymentMethod(given, scope)),
    por_profissional: dataObject(sql`${visitsByProfessional(given, scope)} limit ${ROW_LIMIT}`),
    por_estabelecimento: dataObject(visitsByUnit(given, scope)),
    vendas_por_produto: dataObject(salesByProduct({ ...given, limite: ROW_LIMIT }, scope)),
  }),
);
