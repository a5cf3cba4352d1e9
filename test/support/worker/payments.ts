import { sql } from "./api.ts";

interface Payment {
  account?: string | null;
  status?: number;
  value?: string | null;
  due?: string | null;
  paid?: string | null;
}

/** Inserts payments of one cost centre, with ids from `firstId` on. */
export const paymentsOf = (centre: string, firstId: number) => {
  let last = firstId;
  return {
    pay: ({ account = "Aluguel", status = 1, value = "10", due = "1955-05-05", paid = null }: Payment) => {
      last += 1;
      return sql`insert into pagamentos_erp (erp_id, id_centro_custo, situacao, nome_conta_classificacao, valor, data_vencimento, data_pagamento, raw_data)
        values (${last}, ${centre}, ${status}, ${account}, ${value}, ${due}, ${paid}, '{}')`;
    },
    clear: () => sql`delete from pagamentos_erp where id_centro_custo = ${centre}`,
  };
};

/** A day in Brasília. */
export const dayFromToday = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toLocaleDateString("sv", { timeZone: "America/Sao_Paulo" });
