import { tableResponse } from "../../../platform/http/csv.ts";
import { fieldsParam, querySchema } from "../../../platform/http/params.ts";
import { salonId } from "../../../platform/http/path-ids.ts";
import { jsonResponse } from "../../../platform/http/responses.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { readRoute } from "../read-route.ts";
import { findLancamento, listLancamentos } from "./queries.ts";
import { Lancamento, LancamentoPage, ListLancamentos } from "./schemas.ts";

export const lancamentosRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListLancamentos },
    response: tableResponse(LancamentoPage, "One page"),
    operationId: "listLancamentos",
    summary: "List ledger entries",
    description:
      "Returns commissions and debits registered in the salon system. Each originates from an ERP " +
      "payment. The person and the amount are in `raw_data`, which is long. An entry waits from " +
      "`synced_at` until `sent_at`, which is `null` until then. To count entries, send `per_page=1` and " +
      "read `pagination.total`. Highest `id` first; with `after_id`, lowest first.",
    ...listLancamentos,
  }),
  readRoute({
    path: "/{id}",
    request: { params: salonId("L1"), query: querySchema(fieldsParam(Lancamento)) },
    response: jsonResponse(Lancamento, "The entry"),
    operationId: "findLancamento",
    summary: "Get a ledger entry",
    description:
      "Returns one ledger entry by its `salon_id`. Its `id` is a different number: the one in cursors " +
      "and change feeds.",
    read: findLancamento,
  }),
]);
