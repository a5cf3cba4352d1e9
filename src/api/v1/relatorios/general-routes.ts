import { tableResponse } from "../../../platform/http/csv.ts";
import { readRoute } from "../read-route.ts";
import { generalReport } from "./general-report.ts";
import { generalAnswer, generalFilters } from "./general-schemas.ts";
import { dimensionColumns, dimensionsOf } from "./question.ts";
import type { Source } from "./source.ts";
import { clientes } from "./sources/clientes.ts";
import { faturamento } from "./sources/faturamento.ts";
import { lancamentos } from "./sources/lancamentos.ts";
import { pagamentos } from "./sources/pagamentos.ts";
import { resultado } from "./sources/resultado.ts";
import { servicos } from "./sources/servicos.ts";
import { vendas } from "./sources/vendas.ts";
import { visitas } from "./sources/visitas.ts";

const routeOf = <const Name extends string>(source: Source<Name>) =>
  readRoute({
    path: `/${source.name}` as const,
    request: { query: generalFilters(source) },
    response: tableResponse(generalAnswer(source), "The report"),
    operationId: source.name,
    isReport: true,
    summary: source.summary,
    description: source.description,
    ...(source.needs && { needs: source.needs }),
    columns: ({ por }) =>
      Object.keys(dimensionColumns(dimensionsOf({ source, dimensions: Array.isArray(por) ? por : [] }))),
    read: generalReport(source),
  });

/** Each with its own type, for typed clients. */
export const generalRoutes = [
  routeOf(faturamento),
  routeOf(visitas),
  routeOf(clientes),
  routeOf(servicos),
  routeOf(vendas),
  routeOf(lancamentos),
  routeOf(pagamentos),
  routeOf(resultado),
] as const;
