/** What a user may read (A11). Also claims of the access token. */
export interface Rights {
  /** The `salon_id` of each unit, sorted; null for every unit. */
  units: readonly string[] | null;
  personalData: boolean;
  payments: boolean;
}

/** A right that a route may need as a whole. */
export type Right = "payments" | "personalData";

/** The default. Also for the service's own statements: accounts and the watch. */
export const UNRESTRICTED: Rights = { units: null, personalData: true, payments: true };
