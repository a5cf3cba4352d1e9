import { EmptyState } from "../../components/states.tsx";
import { usePanel } from "../../context.ts";
import { addDays, dayOf, elapsedDays, type View } from "../../view.ts";
import { AbsentCard } from "./absent-clients.tsx";
import { ClientsCard, NewClientsCard } from "./new-clients.tsx";

/** Without the right to personal data, clients are counted in whole months that the data has passed (R24). */
const isOfMonths = (view: View, dataUntil: number | undefined) => {
  const { from, to } = elapsedDays(view);
  const reached = dataUntil === undefined ? view.clock.today : dayOf(dataUntil);
  return from.endsWith("-01") && addDays(to, 1).endsWith("-01") && to < reached;
};

/** New and returning clients of the view, and those who have not come back. */
export const ClientsPart = () => {
  const { place, rights, dataUntil } = usePanel();
  const { view } = place;
  if (!rights.personalData)
    return (
      <>
        {isOfMonths(view, dataUntil) ? (
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
