import type { ComponentChildren } from "preact";
import { Segmented } from "../../components/segmented.tsx";
import { EmptyState } from "../../components/states.tsx";
import { usePanel } from "../../context.ts";
import { placeSearch } from "../../place.ts";
import { areMonthsOver } from "../../ranges.ts";
import { CohortsPart } from "./cohorts-part.tsx";
import { ClientsCard, NewClientsCard } from "./new-clients.tsx";
import { NewReturnCard } from "./new-return.tsx";
import { OpenClient } from "./open-client.tsx";
import { RegularsPart } from "./regulars.tsx";

const PARTS = [
  { part: "clientes", label: "Novos" },
  { part: "assiduos", label: "Assíduos" },
  { part: "retorno", label: "Retorno" },
];

/** What a reader without personal data sees: counts of finished months (R24). */
const CountsOnly = () => {
  const { place, dataUntil } = usePanel();
  return (
    <>
      {place.part !== "clientes" ? null : areMonthsOver(place.view, dataUntil) ? (
        <ClientsCard view={place.view} />
      ) : (
        <EmptyState title="Clientes são contados em meses encerrados.">
          <p class="more">Escolha datas de um ou mais meses inteiros que já terminaram.</p>
        </EmptyState>
      )}
      <EmptyState title="Quem voltou e quem sumiu são dados pessoais.">
        <p class="more">
          Seu acesso não inclui dados de clientes. Peça a quem cuida do sistema na sua empresa.
        </p>
      </EmptyState>
    </>
  );
};

/** The parts about clients, or what a reader without personal data may see of them. */
const OfClients = ({ children }: { children: ComponentChildren }) => {
  const { place, rights } = usePanel();
  if (!rights.personalData) return <CountsOnly />;
  return (
    <>
      <Segmented
        label="Partes de Clientes"
        options={PARTS.map(({ part, label }) => ({
          label,
          to: placeSearch(place.view, "mais", part),
          isCurrent: part === place.part,
        }))}
      />
      {children}
      <OpenClient />
    </>
  );
};

/** New and returning clients of the period, and whether new ones come back. */
export const ClientsPart = () => {
  const { view } = usePanel().place;
  return (
    <OfClients>
      <NewClientsCard view={view} />
      <NewReturnCard view={view} />
    </OfClients>
  );
};

export const LostPart = () => (
  <OfClients>
    <RegularsPart />
  </OfClients>
);

export const ReturnPart = () => (
  <OfClients>
    <CohortsPart />
  </OfClients>
);
