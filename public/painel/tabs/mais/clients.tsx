import { EmptyState } from "../../components/states.tsx";
import { usePanel } from "../../context.ts";
import { areMonthsOver } from "../../ranges.ts";
import { AbsentCard } from "./absent-clients.tsx";
import { ClientsCard, NewClientsCard } from "./new-clients.tsx";

/** New and returning clients of the view, and those who have not come back. */
export const ClientsPart = () => {
  const { place, rights, dataUntil } = usePanel();
  const { view } = place;
  if (!rights.personalData)
    return (
      <>
        {areMonthsOver(view, dataUntil) ? (
          <ClientsCard view={view} />
        ) : (
          <EmptyState title="Clientes são contados em meses encerrados.">
            <p class="more">Escolha datas de um ou mais meses inteiros que já terminaram.</p>
          </EmptyState>
        )}
        <EmptyState title="A lista de quem não voltou tem dados pessoais.">
          <p class="more">
            Seu acesso não inclui dados de clientes. Peça a quem cuida do sistema na sua empresa.
          </p>
        </EmptyState>
      </>
    );
  return (
    <>
      <NewClientsCard view={view} />
      <AbsentCard view={view} />
    </>
  );
};
