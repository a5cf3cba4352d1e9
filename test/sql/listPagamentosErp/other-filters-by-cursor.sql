select
  set_config('salon.settled_id', settled_id ('pagamentos_erp')::text, true)
;

select
  *,
  encode(sha256(convert_to(body, 'UTF8')), 'hex') as tag
from
  (
    select
      case
        when octet_length(body) <= 4194304
        or :per_page::integer = 1 then body
      end as body,
      link_value
    from
      (
        select
          '{"data":[' || (
            coalesce(items, '') || (
              '],"pagination":{"per_page":' || :per_page::integer || ',"next_after_id":' || coalesce(next::text, 'null') || ',"has_more":' || (next is not null)::text || '}}'
            )
          ) as body,
          next
        from
          (
            select
              string_agg(item, ',') filter (
                where
                  number <= :per_page::integer
              ) as items,
              case
                when count(*) > :per_page::integer then max(id) filter (
                  where
                    number <= :per_page::integer
                )
              end as next
            from
              (
                select
                  "pagamentos_erp"."id" as id,
                  row_number() over (
                    order by
                      "pagamentos_erp"."id"
                  ) as number,
                  row_to_json(record)::text as item
                from
                  (
                    select
                      "pagamentos_erp".*
                    from
                      (
                        with
                          blocks as materialized (
                            select
                              block,
                              sum(records) as records,
                              sum(sum(records)) over (
                                order by
                                  block asc
                              ) - sum(records) as before
                            from
                              (
                                select
                                  "block",
                                  records as "records"
                                from
                                  "pagamentos_erp_rollup"
                                where
                                  (
                                    grain = 'month'
                                    and (
                                      "situacao" = :situacao
                                      and "id_centro_custo" = :id_centro_custo
                                      and "nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
                                    )
                                    and starts_on > '-infinity'
                                    and starts_on >= date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date
                                    and starts_on < date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date
                                  )
                                union all
                                select
                                  "block",
                                  case
                                    when ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) <= date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date then records
                                    else - records
                                  end as "records"
                                from
                                  "pagamentos_erp_rollup"
                                where
                                  (
                                    grain = 'day'
                                    and (
                                      "situacao" = :situacao
                                      and "id_centro_custo" = :id_centro_custo
                                      and "nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
                                    )
                                    and starts_on >= least(
                                      date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date,
                                      ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0)
                                    )
                                    and starts_on < greatest(
                                      date_trunc('month', (((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0) + 15)::timestamp)::date,
                                      ((:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date + 0)
                                    )
                                  )
                                union all
                                select
                                  "block",
                                  case
                                    when date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date <= ((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) then records
                                    else - records
                                  end as "records"
                                from
                                  "pagamentos_erp_rollup"
                                where
                                  (
                                    grain = 'day'
                                    and (
                                      "situacao" = :situacao
                                      and "id_centro_custo" = :id_centro_custo
                                      and "nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
                                    )
                                    and starts_on >= least(
                                      date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date,
                                      ((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1)
                                    )
                                    and starts_on < greatest(
                                      date_trunc('month', (((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1) + 15)::timestamp)::date,
                                      ((:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date + 1)
                                    )
                                  )
                              ) as parts
                            group by
                              block
                            having
                              sum(records) > 0
                          )
                        select
                          id
                        from
                          "pagamentos_erp_rollup_source"
                        where
                          (
                            (
                              "situacao" = :situacao
                              and "id_centro_custo" = :id_centro_custo
                              and "nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
                            )
                            and at >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                            and at > '-infinity'
                            and at <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
                            and id > :after_id
                            and id <= current_setting('salon.settled_id')::bigint
                            and id >= (
                              select
                                min(block)
                              from
                                blocks
                              where
                                block >= :after_id::bigint / 16384
                            ) * 16384
                            and id < (
                              select
                                coalesce(
                                  (
                                    select
                                      min(block)
                                    from
                                      blocks
                                    where
                                      block > :after_id::bigint / 16384
                                      and before + records >= :per_page::integer + 1 + (
                                        select
                                          coalesce(sum(records), 0)
                                        from
                                          blocks
                                        where
                                          block <= :after_id::bigint / 16384
                                      )
                                  ),
                                  max(block)
                                ) + 1
                              from
                                blocks
                            ) * 16384
                          )
                        order by
                          id
                        limit
                          :per_page::integer + 1
                      ) as page_ids
                      join "pagamentos_erp" using (id)
                    order by
                      "pagamentos_erp"."id" asc
                  ) as "pagamentos_erp"
                  cross join lateral (
                    select
                      "pagamentos_erp"."id" as "id",
                      "pagamentos_erp"."erp_id" as "erp_id",
                      "pagamentos_erp"."id_centro_custo" as "id_centro_custo",
                      "pagamentos_erp"."situacao" as "situacao",
                      "pagamentos_erp"."situacao" = 2 as "pago",
                      "pagamentos_erp"."nome_conta_classificacao" as "nome_conta_classificacao",
                      "pagamentos_erp"."id_plano_conta_classificacao" as "id_plano_conta_classificacao",
                      "pagamentos_erp"."valor"::text as "valor",
                      "pagamentos_erp"."data_vencimento" as "data_vencimento",
                      "pagamentos_erp"."data_pagamento" as "data_pagamento",
                      "pagamentos_erp"."descricao" as "descricao",
                      "pagamentos_erp"."raw_data" as "raw_data",
                      "pagamentos_erp"."synced_at" as "synced_at",
                      "pagamentos_erp"."updated_at" as "updated_at"
                  ) as record
              ) as numbered
          ) as page_items
        offset
          0
      ) as page (body, link_value)
    offset
      0
  ) as finished
