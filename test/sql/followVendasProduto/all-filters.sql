select set_config('salon.settled_change', settled_change ('vendas_produto')::text, true)
;

select "link_value", body_if (body_fits or :per_page::integer = 1)
from (page_of_changes (vendas_produto, columns_of_vendas_produto ()) offset 0) as finished
