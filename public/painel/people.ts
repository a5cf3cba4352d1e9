// Professionals, one row a person: what they are called, and the units where they worked.

import { professionalName } from "./messages.ts";
import type { OfUnit, Professional, Report } from "./reports.ts";

/** The services of each professional by unit. */
export type Places = Report<OfUnit & Professional, { servicos: number }>;

interface Named {
  name: string;
  /** The units of the period, or of the earlier one without services in the period. The first has most services. */
  units: string[];
}

/**
 * What a professional is called, and where they worked. A unit may have registered the same id by another name: that
 * name stands beside the unit.
 */
export const namesIn = (
  { data }: Pick<Places, "data">,
  unitName: (id: string) => string,
): ((person: Professional & { servicos: number }) => Named) => {
  const byPerson = new Map<string | null, Places["data"]>();
  for (const row of data) {
    const id = row.profissional_salon_id;
    byPerson.set(id, [...(byPerson.get(id) ?? []), row]);
  }
  return (person) => {
    const all = byPerson.get(person.profissional_salon_id) ?? [];
    const working = all.filter(({ servicos }) => servicos > 0);
    const rows = (working.length > 0 ? working : all).toSorted((a, b) => b.servicos - a.servicos);
    const [first, ...others] = new Set(rows.map(professionalName));
    const name = first !== undefined && others.length === 0 ? first : professionalName(person);
    // The service may have left rows out.
    const isCut = working.reduce((sum, { servicos }) => sum + servicos, 0) < person.servicos;
    const units = rows.map((row) => {
      const own = professionalName(row);
      return unitName(row.estabelecimento_id) + (own === name ? "" : ` (como ${own})`);
    });
    return { name, units: [...units, ...(isCut ? ["outras unidades"] : [])] };
  };
};

/** Whether it is a person: services without one lead no ranking. */
export const isKnown = ({ profissional_salon_id: id }: Professional): boolean => id !== null;

/** Services without a professional come last, and after them who has none in the period. */
export const ranked = <Row extends Professional & { servicos: number }>(rows: readonly Row[]): Row[] => {
  const working = rows.filter(({ servicos }) => servicos > 0);
  return [
    ...working.filter(isKnown),
    ...working.filter((row) => !isKnown(row)),
    ...rows.filter(({ servicos }) => servicos === 0),
  ];
};

/** Salão Jardins e mais 2: the unit with most services, and the number of the others. */
export const unitsText = ([first = "", ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} e mais ${others.length}`;
