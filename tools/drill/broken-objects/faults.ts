export const OBJECT_FAULTS = [
  "erroring",
  "overloaded",
  "reset",
  "late",
  "hanging",
  "reply lost once",
  "reply lost",
] as const;
type ObjectFault = (typeof OBJECT_FAULTS)[number];

export const KV_FAULTS = ["failing", "slow", "stale"] as const;
type KvFault = (typeof KV_FAULTS)[number];

/** The active faults, by binding. */
export interface Faults {
  COUNTERS?: ObjectFault;
  SESSIONS?: ObjectFault;
  LOGINS?: ObjectFault;
  HINTS?: KvFault;
}
