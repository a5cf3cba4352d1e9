import { salonId } from "../../http/path-ids.ts";
import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { findLancamento, listLancamentos } from "./queries.ts";
import { Lancamento, LancamentoPage, ListLancamentos } from "./schemas.ts";

export const lancamentosRoutes = createRouter().openapiRoutes([
  readRoute({
    path: "/",
    request: { query: ListLancamentos },
    answer: json(LancamentoPage, "One page"),
    operationId: "listLancamentos",
    summary: "List ledger entries",
    description:
      "Commissions and debits registered in the salon system, each originating from an ERP payment; who and how much stands " +
      "in `raw_data`, which makes them long. To count them, ask for one and read `pagination.total`. Without `after_id`: " +
      "pages, newest id first. With `after_id`: by cursor, ascending by id.",
    read: listLancamentos,
  }),
  readRoute({
    path: "/{id}",
    request: { params: salonId("L1") },
    answer: json(Lancamento, "The entry"),
    operationId: "findLancamento",
    summary: "One ledger entry",
    description:
      "The ledger entry with this `salon_id`; its `id` is the number that cursor and change feed go by.",
    read: findLancamento,
  }),
]);
