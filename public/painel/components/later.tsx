import type { ComponentType } from "preact";
import { useEffect, useReducer, useState } from "preact/hooks";
import { EmptyState, Loading } from "./states.tsx";

type Load = () => Promise<ComponentType>;

/** Parts that were opened before are drawn at once, so that going back finds the scroll position and the focus. */
const loaded = new Map<Load, ComponentType>();

/** A part whose script is loaded when it is opened. A new version of the page has other scripts. */
export const Later = ({ load }: { load: Load }) => {
  const [hasFailed, setFailed] = useState(false);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const Part = loaded.get(load);
  useEffect(() => {
    load().then(
      (opened) => {
        loaded.set(load, opened);
        redraw(undefined);
      },
      () => setFailed(true),
    );
  }, [load]);
  if (hasFailed)
    return (
      <EmptyState title="Não foi possível abrir esta parte.">
        <p>Verifique sua internet, ou recarregue a página: o painel pode ter sido atualizado.</p>
        <button type="button" class="quiet" onClick={() => location.reload()}>
          Recarregar
        </button>
      </EmptyState>
    );
  return Part ? <Part /> : <Loading />;
};
