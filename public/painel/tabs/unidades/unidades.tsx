import { Answered } from "../../components/card.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { EmptyState } from "../../components/states.tsx";
import { usePanel } from "../../context.ts";
import { NOT_BEGUN } from "../../messages.ts";
import { placeSearch } from "../../place.ts";
import { isFuture, type View } from "../../view.ts";
import { Goals } from "./goals.tsx";
import { PairCard } from "./pair.tsx";
import { useUnits } from "./revenue.ts";
import { StoresCard } from "./stores-card.tsx";
import { UnitPage } from "./unit.tsx";
import { UnitsTable } from "./units-table.tsx";

const AllUnits = ({ view, isPair }: { view: View; isPair: boolean }) => {
  const { revenue, goals, ...pair } = useUnits(view, isPair);
  return (
    <div class="unidades">
      <Segmented
        label="Unidades"
        options={[
          { label: "Todas", to: placeSearch(view, "unidades"), isCurrent: !isPair },
          { label: "Comparar duas", to: placeSearch(view, "unidades", "comparar"), isCurrent: isPair },
        ]}
      />
      <Answered answer={revenue}>
        {(report) =>
          isPair ? (
            <PairCard report={report} view={view} {...pair} />
          ) : (
            <>
              <Goals goals={goals} view={view} />
              <UnitsTable report={report} goals={goals} view={view} />
              <StoresCard view={view} />
            </>
          )
        }
      </Answered>
    </div>
  );
};

/** All units, two of them side by side, or the chosen one. */
export const Unidades = () => {
  const { view, part } = usePanel().place;
  if (isFuture(view)) return <EmptyState title={NOT_BEGUN} />;
  return view.unit ? (
    <UnitPage key={view.unit} view={view} />
  ) : (
    <AllUnits view={view} isPair={part === "comparar"} />
  );
};
