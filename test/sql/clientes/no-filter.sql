select "first", "last", "refusal", "matched_facts", body_if (body_fits)
from (
  with
    grouped as materialized (
      select
        true as is_total,
        coalesce(sum(records), 0) as "clientes", coalesce(sum("clientes"."visitas"), 0) as "visitas",
        coalesce(round(sum("clientes"."valor"), 2), 0.00) as "valor_total",
        round(sum("clientes"."valor") / nullif(sum("clientes"."visitas"), 0), 2) as "ticket_medio",
        round(sum("clientes"."valor") / nullif(sum(records), 0), 2) as "valor_por_cliente",
        round(sum("clientes"."visitas") / nullif(sum(records), 0), 2) as "visitas_por_cliente",
        coalesce(sum(records), 0) as records
      from (
        select "clientes".*
        from (
          select 1 as "records", "clientes"."visitas" as "visitas", "clientes"."valor" as "valor"
          from (
            select visits.*
            from (
              select cliente_salon_id, count(*) as "visitas", sum(total) as "valor"
              from (
                select
                  *,
                  lag(id) over (
                    partition by cliente_salon_id
                    order by at desc, id desc
                  ) is null as is_newest,
                  coalesce(
                    lead(day) over (
                      partition by cliente_salon_id
                      order by at desc, id desc
                    ) < date_trunc('month', (day)::timestamp)::date,
                    true
                  ) as is_first_of_month
                from (
                  select
                    id, "visitas_facts"."cliente_salon_id" collate "C" as cliente_salon_id,
                    estabelecimento_id, at, day, total
                  from "visitas_facts"
                  where cliente_salon_id is not null
                ) as unordered
              ) as ordered
              group by cliente_salon_id
            ) as visits
          ) as "clientes"
        ) as "clientes"
      ) as "clientes"
    ),
    totals (
      "clientes" desc,
      "clientes", "visitas", "valor_total", "ticket_medio", "valor_por_cliente", "visitas_por_cliente"
    )
  offset 0
) as finished
