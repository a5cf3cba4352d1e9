select set_config('salon.settled_change', settled_change ('lancamentos')::text, true)
;

select "link_value", body_if (body_fits or :per_page::integer = 1)
from (page_of_changes (lancamentos, columns_of_lancamentos ()) offset 0) as finished
