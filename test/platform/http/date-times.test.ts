// @module-tag server
import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { dateRange } from "../../../src/platform/http/params.ts";
import { sql } from "../../support/worker/api.ts";

const digits = (n: number) => String(n).padStart(2, "0");
const upTo = (max: number, min = 0) => fc.integer({ min, max });

/** An offset as clients write it and as Postgres reads it. A space is a `+` of a query string. */
const offset = fc.oneof(
  fc.constantFrom("Z", "z").map((text) => ({ text, postgres: "+00:00" })),
  fc
    .record({
      sign: fc.constantFrom("+", "-", " "),
      hours: upTo(14),
      minutes: upTo(59),
      form: fc.constantFrom("hours", "basic", "extended"),
    })
    .map(({ sign, hours, minutes, form }) => {
      const hour = digits(hours);
      const minute = digits(hours === 14 || form === "hours" ? 0 : minutes);
      const text = { hours: hour, basic: `${hour}${minute}`, extended: `${hour}:${minute}` }[form];
      return { text: `${sign}${text}`, postgres: `${sign === "-" ? "-" : "+"}${hour}:${minute}` };
    }),
);

const day = fc.date({
  min: new Date("1900-01-01"),
  max: new Date("2200-12-31T23:59:59Z"),
  noInvalidDate: true,
});
const second = fc.oneof(upTo(59), fc.constantFrom(59, 60));
const fraction = fc.option(fc.stringMatching(/^(\d{1,9}|9{6,9}|0{5}[01]\d{0,3})$/), { nil: "" });

/** A date-time, in a form that Postgres reads, and its microseconds. */
const dateTime = fc
  .record({ day, t: fc.constantFrom("T", "t"), seconds: fc.option(fc.record({ second, fraction })), offset })
  .map(({ day, t, seconds, offset }) => {
    const [date = "", time = ""] = day.toISOString().split(/[T.]/);
    const minute = time.slice(0, 5);
    const { second, fraction } = seconds ?? { second: 0, fraction: "" };
    const written = seconds ? `:${digits(second)}${fraction && `.${fraction}`}` : "";
    return {
      text: `${date}${t}${minute}${written}${offset.text}`,
      postgres: `${date} ${minute}:${digits(second)}${offset.postgres}`,
      micros: Number(fraction.padEnd(6, "0").slice(0, 6)),
    };
  });

it("a date-time in every form of RFC 3339 and ISO 8601 is the instant that Postgres reads (I3)", async () => {
  const samples = fc.sample(dateTime, {
    numRuns: Math.max(4000, inject("fuzzRuns")),
    seed: inject("fuzzSeed"),
  });
  const rows = await sql.query(
    `select to_char((postgres + micros * interval '1 microsecond') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as expected
     from unnest($1::timestamptz[], $2::int[]) with ordinality as given (postgres, micros, n) order by n`,
    [samples.map(({ postgres }) => postgres), samples.map(({ micros }) => micros)],
  );
  const { data_inicio, data_fim } = dateRange("data_hora");
  const differing = samples.flatMap(({ text }, n) => {
    const read = [data_inicio, data_fim].map((end) => end.safeParse(text).data);
    return read.every((instant) => instant === rows[n]?.expected) ? [] : [{ text, read, ...rows[n] }];
  });
  expect(differing.slice(0, 5)).toEqual([]);
});
