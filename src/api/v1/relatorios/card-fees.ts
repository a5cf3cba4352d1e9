import { type Column, type SQL, sql } from "drizzle-orm";
import { taxasCartao } from "./table.ts";

/** One object of all fees: a subquery for each payment method would run for each row. A fee of NaN is no fee (R20). */
const fees = sql`
  select jsonb_object_agg(${taxasCartao.forma_pagamento}, ${taxasCartao.taxa_cobrada_profissional})
  from ${taxasCartao}
  where ${taxasCartao.taxa_cobrada_profissional} <> 'NaN'`;

/** The fee of a payment method, as a share of what was paid with it. */
export const feeOf = (method: Column): SQL => sql`((${fees}) ->> ${method})::numeric`;
