/** Units that closed before the first row of the others: an index in time order walks past every other unit first. */
export const CLOSED_UNITS = ["777", "778"];

/** The statements that add rows of the closed units to each list that is limited to units. */
export const closedUnits = (rows: number): string[] => {
  const unit = `(array['${CLOSED_UNITS.join("','")}'])[1 + n % ${CLOSED_UNITS.length}]`;
  const before = (column: string, table: string) =>
    `(select min(${column}) from ${table}) - n * interval '1 minute'`;
  return [
    `transacoes (id, salon_id, estabelecimento_id, total, data_hora, raw_data)
       select -n, 'CLOSED' || n, ${unit}, 10, ${before("data_hora", "transacoes")}, '{}'`,
    `lancamentos (id, salon_id, estabelecimento_id, synced_at, raw_data)
       select -n, 'CLOSED' || n, ${unit}, ${before("synced_at", "lancamentos")}, '{}'`,
    `vendas_produto (origem, transacao_id, estabelecimento_id, data_hora)
       select 'salao', 'CLOSED' || n, ${unit}, ${before("data_hora", "vendas_produto")}`,
  ].map((insert) => `insert into ${insert} from generate_series(1, ${rows}) as n`);
};
