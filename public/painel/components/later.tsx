import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { EmptyState, Loading } from "./states.tsx";

/** A part whose script is loaded when it is opened. A new version of the page has other scripts. */
export const Later = ({ load }: { load: () => Promise<ComponentType> }) => {
  const [part, setPart] = useState<{ Part?: ComponentType; hasFailed?: true }>({});
  useEffect(() => {
    load().then(
      (Part) => setPart({ Part }),
      () => setPart({ hasFailed: true }),
    );
  }, [load]);
  if (part.hasFailed)
    return (
      <EmptyState title="Não foi possível abrir esta parte.">
        <p>Verifique sua internet, ou recarregue a página: o painel pode ter sido atualizado.</p>
        <button type="button" class="quiet" onClick={() => location.reload()}>
          Recarregar
        </button>
      </EmptyState>
    );
  return part.Part ? <part.Part /> : <Loading />;
};
