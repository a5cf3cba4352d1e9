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
                  "profissionais"."id" as "id",
                  "profissionais"."nome" as "nome",
                  "profissionais"."salon_id" as "salon_id",
                  "profissionais"."salon_estabelecimento_id" as "salon_estabelecimento_id",
                  "profissionais"."erp_centro_custo_id" as "erp_centro_custo_id",
                  "profissionais"."erp_unidade_negocio_id" as "erp_unidade_negocio_id",
                  "profissionais"."cpf" as "cpf",
                  "profissionais"."ativo" as "ativo",
                  "profissionais"."created_at" as "created_at",
                  "profissionais"."updated_at" as "updated_at"
                from
                  (
                    select
                      *
                    from
                      "profissionais"
                    where
                      (
                        "ativo" = :ativo
                        and "salon_estabelecimento_id" = :estabelecimento_id
                        and "salon_id" = :salon_id
                      )
                    order by
                      left(name_sort_key ("profissionais"."nome"), 64) collate "C",
                      (
                        case
                          when octet_length("profissionais"."nome") > 64 then substr(name_sort_key ("profissionais"."nome"), 64 + 1)
                          else ''
                        end
                      ) collate "C",
                      "profissionais"."nome" asc,
                      "profissionais"."id" asc
                    limit
                      :per_page::bigint
                  ) as "profissionais"
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
          "profissionais"
        where
          (
            "ativo" = :ativo
            and "salon_estabelecimento_id" = :estabelecimento_id
            and "salon_id" = :salon_id
          )
      ) as counted (total)
    offset
      0
  ) as finished
