import { isNothing } from "../comparison.ts";
import { navigate } from "../navigation.ts";
import { earlierName } from "../period-names.ts";
import { withView } from "../place.ts";
import type { EarlierRange } from "../reports.ts";
import type { Compared, View } from "../view.ts";

const NAMES: Record<Compared, string> = {
  anterior: "período anterior",
  ano: "mesmo período do ano passado",
  nada: "não comparar",
};

const NOTHING = "sem comparação: ainda não há dados deste período";

/** What the figures are compared with, by its name, and the choice of another. */
export const CompareSelect = ({ view, earlier }: { view: View; earlier: EarlierRange | undefined }) => {
  const chosen =
    earlier === undefined
      ? NAMES[view.compared]
      : isNothing(earlier)
        ? NOTHING
        : `vs. ${earlierName(earlier, view)}`;
  return (
    <select
      class="compare"
      aria-label="Comparar com"
      value={view.compared}
      onChange={({ currentTarget }) =>
        navigate(withView(location.search, { ...view, compared: currentTarget.value as Compared }))
      }
    >
      {(Object.keys(NAMES) as Compared[]).map((kind) => (
        <option key={kind} value={kind}>
          {kind === view.compared ? chosen : NAMES[kind]}
        </option>
      ))}
    </select>
  );
};
