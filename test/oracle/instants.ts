import fc from "fast-check";

/** A point in time in microseconds since 1970: what Postgres holds and a Date does not. */
export type Instant = bigint;

const SECOND = 1_000_000n;

/** Where days begin in Brasília and answers go wrong, in UTC. */
const EDGES = [
  // The clock was set forward by 6:28 at a midnight that never was.
  "1914-01-01T03:06:28Z",
  "1949-12-01T03:00:00Z",
  // The day whose midnight comes twice.
  "1950-04-16T02:00:00Z",
  "1950-04-16T03:00:00Z",
  // Summer time: begins at a midnight that never is, ends with an hour before midnight that comes twice.
  "2017-10-15T03:00:00Z",
  "2018-02-18T02:00:00Z",
  "2018-02-18T03:00:00Z",
  "2018-11-04T03:00:00Z",
  "2018-11-05T02:00:00Z",
  "2019-02-17T02:00:00Z",
  "2019-02-17T03:00:00Z",
  "2019-02-18T03:00:00Z",
  // Month ends, year ends, leap days.
  "2024-02-29T03:00:00Z",
  "2024-03-01T03:00:00Z",
  "2024-12-31T03:00:00Z",
  "2025-01-01T03:00:00Z",
  "2025-01-15T15:00:00Z",
  "2025-02-01T03:00:00Z",
  "2025-03-01T03:00:00Z",
  "2100-02-28T03:00:00Z",
  "2100-03-01T03:00:00Z",
  "2200-12-01T03:00:00Z",
].map((text) => BigInt(Date.parse(text)) * 1000n);

const HOUR = 3600n * SECOND;
const NEAR = [0n, 0n, 0n, 1n, -1n, HOUR, -HOUR, HOUR / 2n, -HOUR / 2n, 12n * HOUR, -12n * HOUR, 360n * HOUR];

/** An instant at an edge or near it: few enough that many are the same, and that ranges end on them. */
export const instant: fc.Arbitrary<Instant> = fc
  .tuple(fc.constantFrom(...EDGES), fc.constantFrom(...NEAR))
  .map(([edge, near]) => edge + near);

/** The same, or a microsecond beside it: an end of a range. */
export const end: fc.Arbitrary<Instant> = fc
  .tuple(instant, fc.constantFrom(0n, 1n, -1n))
  .map(([at, beside]) => at + beside);

const OFFSETS = { Z: 0n, "-03:00": -3n, "-02:00": -2n, "+05:30": 5n, "+14:00": 14n, "-14:00": -14n };
export const offset = fc.constantFrom(...(Object.keys(OFFSETS) as (keyof typeof OFFSETS)[]));

/** ISO 8601 with microseconds and the offset. */
export const write = (at: Instant, zone: keyof typeof OFFSETS = "Z"): string => {
  const local = at + OFFSETS[zone] * HOUR + (zone === "+05:30" ? HOUR / 2n : 0n);
  const micros = ((local % SECOND) + SECOND) % SECOND;
  const seconds = new Date(Number((local - micros) / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(micros).padStart(6, "0")}${zone}`;
};
