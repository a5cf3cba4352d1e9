import { useState } from "preact/hooks";
import { serviceNow } from "../../service-clock.ts";
import { usePanel } from "../context.ts";
import { ageOf } from "../jobs.ts";
import { rememberUnit } from "../last-unit.ts";
import { allUnits } from "../messages.ts";
import { navigate } from "../navigation.ts";
import { withView } from "../place.ts";
import type { Freshness } from "../reports.ts";
import { Initials } from "./initials.tsx";
import { MenuSheet } from "./menu-sheet.tsx";

/** All units, or one of them. It shows the title of the page. */
const UnitPicker = () => {
  const { units = [], rights, place, unitName } = usePanel();
  const { view } = place;
  const ids = units.flatMap(({ salon_id: id }) => (id === null ? [] : [id]));
  const choices = [
    ...(rights.units?.length === 1 ? [] : [{ id: "", name: allUnits(rights.units) }]),
    ...(view.unit && !ids.includes(view.unit) ? [view.unit, ...ids] : ids).map((id) => ({
      id,
      name: unitName(id),
    })),
  ];
  const choose = (unit: string) => {
    rememberUnit(unit);
    navigate(withView(location.search, { ...view, unit }));
  };
  return (
    <select
      class="unit"
      aria-label="Unidade"
      value={view.unit}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
};

/** The unit, the age of the data, and the menu. */
export const Header = ({ freshness, at }: { freshness: Freshness | undefined; at: number }) => {
  const { email } = usePanel();
  const [isOpen, setOpen] = useState(false);
  const elapsed = at === 0 ? 0 : (serviceNow() - at) / 1000;
  const age = freshness && ageOf(freshness, elapsed);
  return (
    <header class="top">
      <a class="skip" href="#conteudo">
        Ir para o conteúdo
      </a>
      <UnitPicker />
      <p class={`age ${age?.isLate ? "late" : ""}`} title={age?.title}>
        {age?.text ?? ""}
      </p>
      <button
        type="button"
        class="avatar"
        aria-label={`Menu de ${email}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Initials name={email} />
      </button>
      {isOpen && <MenuSheet onClose={() => setOpen(false)} />}
    </header>
  );
};
