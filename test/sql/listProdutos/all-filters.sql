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
                  "produtos"."salon_id" as "salon_id",
                  "produtos"."estabelecimento_id" as "estabelecimento_id",
                  "produtos"."nome" as "nome",
                  "produtos"."raw_data" as "raw_data",
                  "produtos"."synced_at" as "synced_at"
                from
                  (
                    select
                      *
                    from
                      "produtos"
                    where
                      (
                        (
                          "estabelecimento_id" = :estabelecimento_id
                          and "salon_id" = :salon_id
                        )
                        and "produtos"."nome" ~ any (:nome::text[])
                      )
                    order by
                      left(name_sort_key ("produtos"."nome"), 64) collate "C",
                      (
                        case
                          when octet_length("produtos"."nome") > 64 then substr(name_sort_key ("produtos"."nome"), 64 + 1)
                          else ''
                        end
                      ) collate "C",
                      "produtos"."nome" asc,
                      "produtos"."estabelecimento_id" asc,
                      "produtos"."salon_id" asc
                    limit
                      :per_page::bigint
                  ) as "produtos"
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
          "produtos"
        where
          (
            (
              "estabelecimento_id" = :estabelecimento_id
              and "salon_id" = :salon_id
            )
            and "produtos"."nome" ~ any (:nome::text[])
          )
      ) as counted (total)
    offset
      0
  ) as finished
