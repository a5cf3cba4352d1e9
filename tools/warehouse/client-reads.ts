/**
 * SQL for the accesses of clients, as `id` and `client`: those that name the client, and the reads of the client's visits
 * and of the ledger entries of these.
 * @param clients SQL for a column `client` with their ids
 */
export const accessesOf = (clients: string): string => `
  with who as materialized (${clients}), visit as materialized (
    select client, salon_id from transacoes join who on client = cliente_salon_id
  ), record as materialized (
    select client, '/v1/transacoes/:id' as route, salon_id as record_id from visit
    union all
    select client, '/v1/lancamentos/:id', entry.salon_id
    from lancamentos as entry
    join visit on visit.salon_id = entry.raw_data ->> 'Transacao'
  )
  select acessos.id, client from acessos join who on lower(btrim(cliente_id)) = lower(btrim(client))
  union
  select acessos.id, client from acessos join record using (route, record_id)`;
