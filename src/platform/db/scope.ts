import { type SQL, sql } from "drizzle-orm";
import { Refusal } from "../../core/errors.ts";
import type { Rights } from "../../core/rights.ts";

/** What a column equals, as the right side of `column = …`; undefined if it may have any value. */
export class AnyOf {
  readonly value: SQL | undefined;
  readonly areSeveral: boolean;
  readonly skipsIndex: boolean;

  constructor(value: SQL | undefined, { areSeveral = false, skipsIndex = false } = {}) {
    this.value = value;
    this.areSeveral = areSeveral;
    this.skipsIndex = skipsIndex;
  }
}

/** The units that a statement reads. */
export class Units extends AnyOf {
  /** Keeps several units out of an index that begins with a range: Postgres 15 would scan the range for each unit. */
  withoutIndex(): Units {
    return this.areSeveral ? new Units(this.value, { areSeveral: true, skipsIndex: true }) : this;
  }
}

/** For tables whose rows belong to no unit, and for readers who may read every unit. */
export const ANY_UNIT = new Units(undefined);

/** The rights of a request, as SQL. Only `statement` makes one, so that no query is written without them (A11). */
export interface Scope {
  /** The unit that was asked for, or those of the rights. */
  units: Units;
  /** Those of the rights, whichever unit was asked for. */
  ownUnits: Units;
  hidesPersonalData: boolean;
  /** Errors of jobs may name records of any unit. */
  hidesJobErrors: boolean;
  /** Names the rights in the markers of change feeds; undefined without restrictions. */
  rightsTag: SQL | undefined;
}

/** The parameters of a scope. `unidade` is the single unit to read; `unidades` are the units of the rights. */
interface ScopeParameters {
  unidade?: string;
  unidades?: string[];
  rightsTag?: string;
}

/** A short name for rights. Equal rights have equal names. FNV-1a, because it is no secret and needs no `await`. */
const rightsTagOf = ({ units, personalData, payments }: Rights): string => {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(JSON.stringify([units, personalData, payments])))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
};

const isRestricted = ({ units, personalData, payments }: Rights): boolean =>
  units !== null || !personalData || !payments;

/**
 * The parameters for the rights and the unit that was asked for. A single unit is a filter by that unit.
 * @throws Refusal 403 for a unit outside the rights
 */
export const scopeParameters = (rights: Rights, requested: string | undefined): ScopeParameters => {
  const { units } = rights;
  if (requested !== undefined && units !== null && !units.includes(requested)) {
    const list = units.map((unit) => JSON.stringify(unit)).join(", ");
    throw new Refusal(
      403,
      `This token may not read this business unit. Send one of these as \`estabelecimento_id\`, or omit it: ${list}.`,
    );
  }
  const single = requested ?? (units?.length === 1 ? units[0] : undefined);
  return {
    ...(single !== undefined && { unidade: single }),
    ...(units !== null && { unidades: [...units] }),
    ...(isRestricted(rights) && { rightsTag: rightsTagOf(rights) }),
  };
};

export const scopeOf = (rights: Rights, { unidade, unidades, rightsTag }: ScopeParameters): Scope => {
  const list = sql`any(${sql.placeholder("unidades")}::text[])`;
  const ownUnits = unidades === undefined ? ANY_UNIT : new Units(list, { areSeveral: true });
  const single = sql`${sql.placeholder("unidade")}`;
  return {
    units: unidade === undefined ? ownUnits : new Units(single),
    ownUnits,
    hidesPersonalData: !rights.personalData,
    hidesJobErrors: !rights.personalData || rights.units !== null,
    rightsTag: rightsTag === undefined ? undefined : sql`${sql.placeholder("rightsTag")}`,
  };
};
