/** What may happen to a call of an object. */
export const OBJECT_FAULTS = [
  "erroring",
  "overloaded",
  "reset",
  "late",
  "reply lost once",
  "reply lost",
] as const;
export type ObjectFault = (typeof OBJECT_FAULTS)[number];

export const KV_FAULTS = ["failing", "slow", "stale"] as const;
export type KvFault = (typeof KV_FAULTS)[number];

/** What is broken now, by binding. */
export interface Faults {
  COUNTERS?: ObjectFault;
  SESSIONS?: ObjectFault;
  LOGINS?: ObjectFault;
  HINTS?: KvFault;
}
