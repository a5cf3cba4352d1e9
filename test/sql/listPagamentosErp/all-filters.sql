select
  case
    when body_fits
    or :per_page::bigint = 1 then body
  end as body,
  "link_value",
  sha256_of (
    case
      when body_fits
      or :per_page::bigint = 1 then body
      else left(body, 1)
    end
  ) as tag
from
  (
    select
      '{"data":[' || (
        coalesce(
          (
            select
              string_agg(row_to_json(record)::text, ',')
            from
              (
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
                from
                  (
                    select
                      *
                    from
                      "pagamentos_erp"
                    where
                      (
                        (
                          "situacao" = :situacao
                          and "id_centro_custo" = :id_centro_custo
                          and "nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
                        )
                        and (
                          "pagamentos_erp"."data_pagamento" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
                          and "pagamentos_erp"."data_pagamento" > '-infinity'
                          and "pagamentos_erp"."data_pagamento" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
                          and "pagamentos_erp"."valor" >= :valor_min::numeric
                          and "pagamentos_erp"."valor" < 'NaN'
                        )
                      )
                    order by
                      case
                        when isfinite("pagamentos_erp"."data_vencimento") then "pagamentos_erp"."data_vencimento"
                      end,
                      "pagamentos_erp"."id" asc
                    limit
                      :per_page::bigint
                  ) as "pagamentos_erp"
              ) as record
          ),
          ''
        ) || (
          '],"pagination":{"page":' || :page || ',"per_page":' || :per_page::bigint || ',"total":' || total || ',"total_pages":' || (total + :per_page::bigint - 1) / :per_page::bigint || '}}'
        )
      ) as body,
      total as link_value
    from
      (
        select
          count(*)
        from
          "pagamentos_erp"
        where
          (
            (
              "situacao" = :situacao
              and "id_centro_custo" = :id_centro_custo
              and "nome_conta_classificacao" = any (:nome_conta_classificacao::text[])
            )
            and (
              "pagamentos_erp"."data_pagamento" >= (:data_inicio::timestamptz at time zone 'America/Sao_Paulo')::date
              and "pagamentos_erp"."data_pagamento" > '-infinity'
              and "pagamentos_erp"."data_pagamento" <= (:data_fim::timestamptz at time zone 'America/Sao_Paulo')::date
              and "pagamentos_erp"."valor" >= :valor_min::numeric
              and "pagamentos_erp"."valor" < 'NaN'
            )
          )
      ) as counted (total)
    offset
      0
  ) as finished
