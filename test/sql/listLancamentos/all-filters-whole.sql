select set_config('salon.settled_id', settled_id ('lancamentos')::text, true)
;

select
  '' || body as body,
  records, last, (select min(id) from "lancamentos" where id > upto and id <= last) as following
from (
  select *, current_setting('salon.settled_id')::bigint as last
  from (
    select
      coalesce(string_agg(line, '') filter (where fits), '') as body,
      count(*) filter (where fits) as records,
      case
        when count(*) = :size::int
        or not bool_and(fits) then max(id) filter (where fits)
        else :to::bigint
      end as upto
    from (
      select
        id, line, row_number() over by_id = 1
        or sum(octet_length(line)) over by_id <= 4194304 as fits
      from (
        select part_id as id, row_to_json(record)::text || E' ' as line
        from (
          select "lancamentos".*, part_ids.id as part_id
          from (
            select id
            from "lancamentos_rollup_source"
            where
              (
                ("estabelecimento_id" = :estabelecimento_id and "sent_to_salon" = :sent_to_salon)
                and at >= :data_inicio
                and at > '-infinity'
                and at <= :data_fim
                and id > :after::bigint
                and id <= :to::bigint
                and id <= current_setting('salon.settled_id')::bigint
              )
            order by id
            limit :size::int
          ) as part_ids,
          lateral (select * from "lancamentos" where id = part_ids.id limit 1) as "lancamentos"
        ) as "lancamentos"
        cross join lateral (select columns_of_lancamentos ()) as record
        order by part_id
        offset 0
      ) as lines
      window by_id as (order by id rows unbounded preceding)
    ) as measured
  ) as part
  offset 0
) as reached
