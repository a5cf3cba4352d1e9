'table' as lista,
'/v1/alteracoes/table?after=table.' || signed.epoch || '.' || position || '.' || position as desde,
(
  select count(*)
  from "facts" join "table_changes" as changed using (id)
  where (days and change > position)
) as gravados,
(select count(*) from "table_changes" where change > position and removed_at is not null) as removidos
from (values (true)) as one
left join (
  select marker ->> 'epoch' as epoch, (marker ->> 'position')::bigint as position
  from (select (select marcadores::json from signed) -> 'table' as marker) as stored
) as signed on exists (
  select
  from change_feeds
  where
    list = 'table'
    and change_feeds.epoch = signed.epoch
    and position between oldest_kept_change and coalesce(pg_sequence_last_value ('table_change_seq'::regclass), 0)
)
