import fc from "fast-check";

/** Microseconds since 1970. A Date has only milliseconds. */
export type Instant = bigint;

const SECOND = 1_000_000n;

/** Instants, in UTC, at which days begin in Brasília and mistakes are likely. */
const EDGES = [
  // Clocks moved forward by 6:28, which skipped this midnight.
  "1914-01-01T03:06:28Z",
  "1949-12-01T03:00:00Z",
  // A day with two midnights.
  "1950-04-16T02:00:00Z",
  "1950-04-16T03:00:00Z",
  // Summer time begins with a skipped midnight and ends with a repeated hour before midnight.
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
const NEAR = [
  ...[0n, 0n, 0n, 1n, -1n, -SECOND / 2n, HOUR, -HOUR, HOUR / 2n, -HOUR / 2n],
  ...[12n * HOUR, -12n * HOUR, 360n * HOUR],
];

/** An instant at or near an edge. There are few, so that rows share instants and ranges end on them. */
export const instant: fc.Arbitrary<Instant> = fc
  .tuple(fc.constantFrom(...EDGES), fc.constantFrom(...NEAR))
  .map(([edge, near]) => edge + near);

const DAY = 86_400_000;
/** About the midnight at which today began in Brasília. */
const today = BigInt(Math.floor((Date.now() - 3 * 3_600_000) / DAY) * DAY + 3 * 3_600_000) * 1000n;

/** Near today, and near the days that it is compared with. */
export const recentInstant: fc.Arbitrary<Instant> = fc
  .tuple(fc.constantFrom(0n, 7n, 14n, 30n, 31n, 365n), fc.constantFrom(...NEAR))
  .map(([days, near]) => today - days * 24n * HOUR + near);

/** An end of a range: an instant, or one microsecond before or after it. */
export const rangeEnd: fc.Arbitrary<Instant> = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: instant }, { weight: 1, arbitrary: recentInstant }),
    fc.constantFrom(0n, 1n, -1n),
  )
  .map(([at, delta]) => at + delta);

const OFFSETS = { Z: 0n, "-03:00": -3n, "-02:00": -2n, "+05:30": 5n, "+14:00": 14n, "-14:00": -14n };
export const offset = fc.constantFrom(...(Object.keys(OFFSETS) as (keyof typeof OFFSETS)[]));

/** Formats an instant as ISO 8601 with microseconds and an offset. */
export const formatInstant = (at: Instant, zone: keyof typeof OFFSETS = "Z"): string => {
  const local = at + OFFSETS[zone] * HOUR + (zone === "+05:30" ? HOUR / 2n : 0n);
  const micros = ((local % SECOND) + SECOND) % SECOND;
  const seconds = new Date(Number((local - micros) / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(micros).padStart(6, "0")}${zone}`;
};
