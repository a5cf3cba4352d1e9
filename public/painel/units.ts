// The units that the user may read: their names and their cost centres.
import type { Unit } from "./reports.ts";

/** The trimmed name, or the fallback if it is blank. */
export const nameOr = (name: string | null | undefined, fallback: string): string => name?.trim() || fallback;

const labelOf = ({ salon_id, nome, ativo }: Unit) =>
  `${nameOr(nome, `Unidade ${salon_id}`)}${ativo ? "" : " (inativa)"}`;

/** The name of a unit. A unit that is not known yet has its id as a name. */
export const unitNameIn = (units: readonly Unit[] | undefined, id: string): string => {
  const unit = units?.find(({ salon_id }) => salon_id === id);
  return unit ? labelOf(unit) : `Unidade ${id}`;
};

/** The cost centre of a unit; undefined without a unit, null if the unit has none. */
export const costCentreOf = (units: readonly Unit[], id: string): string | null | undefined => {
  if (!id) return undefined;
  const centre = units.find(({ salon_id }) => salon_id === id)?.erp_centro_custo_id ?? null;
  return centre === null ? null : String(centre);
};

/** The name of a cost centre: that of its unit. */
export const centreNameIn = (units: readonly Unit[] | undefined, id: string | null): string =>
  id === null
    ? "Sem centro de custo"
    : nameOr(units?.find((unit) => String(unit.erp_centro_custo_id) === id)?.nome, `Centro de custo ${id}`);
