import type pg from "pg";
import { UsageError } from "../arguments.ts";

/** The options that name rights (A11), as typed. */
export interface RightsOptions {
  units?: string | undefined;
  "personal-data"?: string | undefined;
  payments?: string | undefined;
}

/** The rights that the options name. `units` is null for every unit; undefined keeps what was there. */
export interface NamedRights {
  units?: string[] | null;
  personalData?: boolean;
  payments?: boolean;
}

/** The columns of a user or a token. */
export interface RightsRow {
  units: string[] | null;
  personal_data: boolean;
  payments: boolean;
}

const yesOrNo = (isAllowed: boolean) => (isAllowed ? "yes" : "no");

/** The rights as one line for a person. */
export const describeRights = ({ units, personal_data, payments }: RightsRow): string =>
  `units ${units?.join(",") ?? "all"}, personal data ${yesOrNo(personal_data)}, payments ${yesOrNo(payments)}`;

const readUnits = async (db: pg.Client, typed: string): Promise<string[] | null> => {
  if (typed === "all") return null;
  const units = [...new Set(typed.split(",").map((unit) => unit.trim()))]
    .filter((unit) => unit !== "")
    .sort();
  const { rows } = await db.query<{ salon_id: string; nome: string }>(
    "select salon_id, nome from estabelecimentos where salon_id <> '' order by salon_id",
  );
  const unknown = units.find((unit) => !rows.some(({ salon_id }) => salon_id === unit));
  if (units.length > 0 && unknown === undefined) return units;
  const list = rows.map(({ salon_id, nome }) => `  ${salon_id}  ${nome}`).join("\n");
  const problem = unknown === undefined ? "is empty" : `names "${unknown}", which does not exist`;
  throw new UsageError(
    `--units ${problem}. Write all, or ids separated by commas. The business units are:\n${list || "  (none)"}`,
  );
};

const readFlag = (name: string, typed: string | undefined): boolean | undefined => {
  if (typed === undefined) return undefined;
  if (typed !== "yes" && typed !== "no") throw new UsageError(`--${name} must be yes or no; got "${typed}".`);
  return typed === "yes";
};

/** Reads the options. A list of units takes the payments away, because a payment has no unit (A11). */
export const readRights = async (db: pg.Client, options: RightsOptions): Promise<NamedRights> => {
  const personalData = readFlag("personal-data", options["personal-data"]);
  const units = options.units === undefined ? undefined : await readUnits(db, options.units);
  const payments = readFlag("payments", options.payments) ?? (Array.isArray(units) ? false : undefined);
  return {
    ...(units !== undefined && { units }),
    ...(personalData !== undefined && { personalData }),
    ...(payments !== undefined && { payments }),
  };
};

/** Whether the units change, then the values of the columns; null keeps the old one of a flag. */
const parametersOf = ({ units, personalData, payments }: NamedRights) => [
  units !== undefined,
  units ?? null,
  personalData ?? null,
  payments ?? null,
];

/**
 * Sets the rights that are named and keeps the others. Ends the user's sessions and agent tokens.
 * @param email in lower case
 * @returns the rights, or undefined if there is no such user
 */
export const limitUser = async (
  db: pg.Client,
  email: string,
  rights: NamedRights,
): Promise<RightsRow | undefined> => {
  const { rows } = await db.query<RightsRow>(
    `update users set units = case when $2::boolean then $3::text[] else units end,
       personal_data = coalesce($4, personal_data), payments = coalesce($5, payments),
       session_number = session_number + 1, updated_at = now()
     where email = $1 returning units, personal_data, payments`,
    [email, ...parametersOf(rights)],
  );
  return rows[0];
};

export const rightsOfUser = async (db: pg.Client, email: string): Promise<RightsRow | undefined> =>
  (await db.query<RightsRow>("select units, personal_data, payments from users where email = $1", [email]))
    .rows[0];

/** @throws UsageError if a token would have more rights than its user */
export const assertNotWider = (email: string, user: RightsRow, token: NamedRights): void => {
  const { units } = token;
  const isWider =
    (user.units !== null && (units === null || units?.some((unit) => !user.units?.includes(unit)))) ||
    (token.personalData === true && !user.personal_data) ||
    (token.payments === true && !user.payments);
  if (isWider)
    throw new UsageError(
      `A token cannot have more rights than its user. ${email} has: ${describeRights(user)}.`,
    );
};

/** The rights of a token with these options. Call `assertNotWider` first. */
export const narrowed = (user: RightsRow, { units, personalData, payments }: NamedRights): RightsRow => ({
  units: units ?? user.units,
  personal_data: user.personal_data && personalData !== false,
  payments: user.payments && payments !== false,
});
