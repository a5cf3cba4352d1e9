import { Delta } from "../../components/delta.tsx";
import { Kpi } from "../../components/kpi.tsx";
import { Link } from "../../components/links.tsx";
import { counted, money, number } from "../../format.ts";
import { OF_SALONS } from "../../messages.ts";
import { placeSearch } from "../../place.ts";
import type { PanelBody } from "../../reports.ts";
import { beginsLate } from "../../series.ts";
import { nameOr } from "../../units.ts";
import type { View } from "../../view.ts";

const clientsText = ({
  clientes,
  clientes_novos: newClients,
}: {
  clientes: number;
  clientes_novos: number;
}) => `${counted(newClients, "novo", "novos")} · ${counted(clientes - newClients, "voltou", "voltaram")}`;

/** Who sold: a store has none of the figures of salons. */
const sellersOf = ({ faturamento: { data } }: PanelBody) => ({
  hasStores: data.some(({ origem }) => origem === "loja"),
  hasOnlyStores: data.length > 0 && data.every(({ origem }) => origem === "loja"),
});

/** Visits, ticket, clients and card fees: of salons. */
export const Figures = ({ body, view }: { body: PanelBody; view: View }) => {
  const { hasStores, hasOnlyStores } = sellersOf(body);
  if (hasOnlyStores) return <p class="more">{OF_SALONS}</p>;
  const { totais: visits } = body.faturamento;
  const { anterior: before } = visits;
  const clients = body.clientes?.totais;
  const fees = body.visitas_por_forma_pagamento.data;
  const highest = fees.toSorted((a, b) => b.taxas - a.taxas)[0];
  const isUnfair = beginsLate(body.faturamento_anterior);
  const ofSalons = hasStores ? " dos salões" : "";
  const hasFees = highest !== undefined && highest.taxas > 0;
  return (
    <div class="figures">
      <h2 class="sr-only">Resumo</h2>
      <Kpi title="Atendimentos" value={number(visits.visitas)}>
        {before && <Delta now={visits.visitas} before={before.visitas} format={number} isUnfair={isUnfair} />}
      </Kpi>
      <Kpi
        title={`Ticket médio${ofSalons}`}
        value={visits.ticket_medio === null ? "—" : money(visits.ticket_medio)}
      >
        {before && (
          <Delta now={visits.ticket_medio} before={before.ticket_medio} format={money} isUnfair={isUnfair} />
        )}
      </Kpi>
      <Kpi title={`Clientes${ofSalons}`} value={clients ? number(clients.clientes) : "—"}>
        {clients?.anterior && (
          <>
            <Delta
              now={clients.clientes}
              before={clients.anterior.clientes}
              format={number}
              isUnfair={isUnfair}
            />{" "}
            <br />
          </>
        )}
        {clients ? clientsText(clients) : "contados em meses inteiros"}
      </Kpi>
      <Kpi title="Taxas de cartão" value={money(body.visitas_por_forma_pagamento.totais.taxas)}>
        {hasFees ? (
          <Link to={placeSearch(view, "financeiro", "taxas")} scroll="top">
            {nameOr(highest.forma_pagamento, "Não informada")}: {money(highest.taxas)}
          </Link>
        ) : (
          "nenhuma taxa no período"
        )}
        {hasStores && " · sem as lojas"}
      </Kpi>
    </div>
  );
};
