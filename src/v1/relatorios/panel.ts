import { sql } from "drizzle-orm";
import { listed, objectOf } from "../../db/bodies.ts";
import { number } from "../../db/conditions.ts";
import { overTime } from "./periods.ts";
import { summary, visitsByPaymentForm, visitsByProfessional, visitsByUnit } from "./queries.ts";
import { salesByProduct } from "./sales.ts";
import type { Painel } from "./schemas.ts";

/** How many rows the two longest reports have in it. */
const SHOWN = number(10);

/** Six reports as each is answered by itself, in one statement: of one snapshot (R7). */
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
