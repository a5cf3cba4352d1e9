select set_config('salon.settled_change', settled_change ('pagamentos_erp')::text, true)
;

select "link_value", body_if (body_fits or :per_page::integer = 1)
from (page_of_changes (pagamentos_erp, columns_of_pagamentos_erp ()) offset 0) as finished
