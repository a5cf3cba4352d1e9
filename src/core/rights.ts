/** What a user may read (A11). Also claims of the access token. */
export interface Rights {
  /** The `salon_id` of each unit, in order; null for every unit. */
  units: readonly string[] | null;
  personalData: boolean;
  payments: boolean;
}

/** The default. Also for statements that read no data of the warehouse. */
export const UNRESTRICTED: Rights = { units: null, personalData: true, payments: true };
