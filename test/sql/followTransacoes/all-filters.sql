select set_config('salon.settled_change', settled_change ('transacoes')::text, true)
;

select "link_value", body_if (body_fits or :per_page::integer = 1)
from (with professionals () page_of_changes (transacoes, columns_of_transacoes ()) offset 0) as finished
