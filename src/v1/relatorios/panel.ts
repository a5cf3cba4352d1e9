import { sql } from "drizzle-orm";
import { listed, object, objectOf } from "../../db/bodies.ts";
import { number } from "../../db/conditions.ts";
import type { Db } from "../../ground/database.ts";
import type { Granularity } from "./measures.ts";
import { overTime, TOO_MANY_PERIODS } from "./periods.ts";
import { summary, visitsByPaymentForm, visitsByProfessional, visitsByUnit } from "./queries.ts";
import { salesByProduct } from "./sales.ts";
import type { Painel, PainelFilters, ReportFilters } from "./schemas.ts";

/** How many rows the two longest reports have in it. */
const SHOWN = number(10);

/** Six reports as each is answered by itself, in one statement: of one snapshot (R7). */
const byGranularity = (granularidade: Granularity) =>
  object<ReportFilters, Painel>(
    (given) => {
      const { shared, few, rows } = overTime(granularidade, given);
      const body = objectOf({
        resumo: summary(given),
        por_periodo: listed(rows),
        por_forma_pagamento: listed(visitsByPaymentForm(given)),
        por_profissional: listed(sql`${visitsByProfessional(given)} limit ${SHOWN}`),
        por_estabelecimento: listed(visitsByUnit(given)),
        vendas_por_produto: listed(salesByProduct({ ...given, limite: SHOWN })),
      });
      return sql`with ${shared} select case when ${few} then ${body} end as body`;
    },
    { refusal: TOO_MANY_PERIODS },
  );
const panels = { dia: byGranularity("dia"), mes: byGranularity("mes") };

export const painel = (db: Db, { granularidade, ...filters }: PainelFilters) =>
  panels[granularidade](db, filters);
