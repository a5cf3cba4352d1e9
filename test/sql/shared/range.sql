select columns
from "table"
where
  (
    grain = 'month'
    and filter
    and starts_on > '-infinity'
    and starts_on >= month_of (day_of (:data_inicio::timestamptz))
    and starts_on < month_of (day_of (after (:data_fim)))
  )
union all
select
  records * sign_of (month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz)) as columns
from "table"
where
  (
    grain = 'day'
    and filter
    and is_between (starts_on, month_of (day_of (:data_inicio::timestamptz)), day_of (:data_inicio::timestamptz))
  )
union all
select
  1 * sign_of (brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz) as columns
from "table_source"
where
  (
    filter
    and is_between (at, brasilia_midnight (day_of (:data_inicio::timestamptz)), :data_inicio::timestamptz)
  )
union all
select records * sign_of (day_of (after (:data_fim)), month_of (day_of (after (:data_fim)))) as columns
from "table"
where
  (
    grain = 'day'
    and filter
    and is_between (starts_on, month_of (day_of (after (:data_fim))), day_of (after (:data_fim)))
  )
union all
select 1 * sign_of (after (:data_fim), brasilia_midnight (day_of (after (:data_fim)))) as columns
from "table_source"
where (filter and is_between (at, brasilia_midnight (day_of (after (:data_fim))), after (:data_fim)))
