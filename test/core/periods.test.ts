// @module-tag server
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import {
  COMPARISONS,
  earlierRange,
  formatRange,
  type InstantRange,
  isWholeMonths,
  Period,
  parsePeriod,
  RELATIVE_PERIODS,
  untilDayEnd,
} from "../../src/core/periods.ts";
import { sql } from "../support/worker/api.ts";

const IN_FULL = { mayLieAhead: true };
const BRASILIA = "at time zone 'America/Sao_Paulo'";
/** Writes an instant as the service does. */
const text = (instant: string) => `to_char((${instant}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Local times, in UTC, at which days, months, years and summer times begin or end, and the first and last years. */
const LOCAL_EDGES = [
  "1900-01-01T00:00:00Z",
  "1914-01-01T00:00:00Z",
  "1931-10-03T11:00:00Z",
  "1950-04-16T00:00:00Z",
  "1963-12-09T00:00:00Z",
  "2017-10-15T00:00:00Z",
  "2018-02-18T00:00:00Z",
  "2018-11-04T00:00:00Z",
  "2019-02-17T00:00:00Z",
  "2020-02-29T00:00:00Z",
  "2023-03-01T00:00:00Z",
  "2024-02-29T00:00:00Z",
  "2024-03-01T00:00:00Z",
  "2026-12-31T00:00:00Z",
  "2027-01-01T00:00:00Z",
  "2100-03-01T00:00:00Z",
  "2200-12-31T00:00:00Z",
];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const between = (from: string, to: string) => fc.integer({ min: Date.parse(from), max: Date.parse(to) });

/** Epoch milliseconds near an edge, at any time of one of its days, or anywhere. */
const moment = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...LOCAL_EDGES),
      fc.constantFrom(0, 1, -1, 2 * HOUR, 3 * HOUR, HOUR / 2, -HOUR / 2, 3 * HOUR - 1, DAY, -DAY),
      fc.constantFrom(0, 3 * HOUR, 2 * HOUR, DAY - 1),
    )
    .map(([edge, near, more]) => Date.parse(edge) + near + more),
  between("1931-01-01", "2020-01-01"),
  between("1902-01-01", "2200-12-30"),
);

const RUNS = Math.max(4000, inject("fuzzRuns"));
const sampleOf = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.sample(arbitrary, { numRuns: RUNS, seed: inject("fuzzSeed") });

/** The ranges of these periods at these times, from date arithmetic of Postgres. */
const expectedRanges = async (asked: { name: string; mayLieAhead: boolean; now: number }[]) => {
  const rows = await sql.query(
    `select ${text("brasilia_midnight(first)")} as data_inicio,
       ${text("brasilia_midnight(case when not whole and name !~ '^prox' and first <= today then least(last, today) else last end + 1) - interval '1 microsecond'")} as data_fim
     from (
       select *, case when name ~ '^(semana|.{4}-S)' then first + 6
           when name ~ '^(mes|.{4}-[0-9]{2}$)' then (first + interval '1 month')::date - 1
           when name ~ '^(trimestre|.{4}-T)' then (first + interval '3 months')::date - 1
           when name ~ '^(ano|....$)' and name <> 'hoje' then (first + interval '1 year')::date - 1
           when name ~ '^[0-9]+-dias' then today when name ~ '^prox' then today + substring(name from '[0-9]+')::int - 1
           else first end as last
       from (
         select n, name, whole, today,
           case name when 'hoje' then today when 'ontem' then today - 1
             when '7-dias' then today - 6 when '30-dias' then today - 29 when '90-dias' then today - 89
             when 'proximos-7-dias' then today when 'proximos-30-dias' then today
             when 'semana' then date_trunc('week', now)::date when 'semana-passada' then date_trunc('week', now)::date - 7
             when 'mes' then date_trunc('month', now)::date when 'mes-passado' then (date_trunc('month', now) - interval '1 month')::date
             when 'trimestre' then date_trunc('quarter', now)::date when 'trimestre-passado' then (date_trunc('quarter', now) - interval '3 months')::date
             when 'ano' then date_trunc('year', now)::date when 'ano-passado' then (date_trunc('year', now) - interval '1 year')::date
             else case when name ~ 'T' then make_date(left(name, 4)::int, right(name, 1)::int * 3 - 2, 1)
               when name ~ 'S' then to_date(name, 'IYYY-"S"IW')
               else (name || substr('-01-01', length(name) - 3))::date end end as first
         from (select n, name, whole, now, now::date as today
           from (select n, name, whole, to_timestamp(ms / 1000.0) ${BRASILIA} as now
             from unnest($1::text[], $2::boolean[], $3::float8[]) with ordinality as asked (name, whole, ms, n)) as asked) as asked
       ) as starts
     ) as days order by n`,
    [asked.map(({ name }) => name), asked.map(({ mayLieAhead }) => mayLieAhead), asked.map(({ now }) => now)],
  );
  return rows as InstantRange[];
};

/** SQL for the first instant of the day of a local time, or of the first of two midnights. */
const firstInstant = (local: string) => `(select min(at)
    from unnest(array[interval '-1 hour', '0']) as near, lateral (select ${local}::date::timestamp ${BRASILIA} + near as at) as nearby
    where (at ${BRASILIA})::date = ${local}::date)`;

/** The ranges to compare with, from local timestamps of Postgres. */
const expectedEarlier = async (asked: ({ kind: string; reached?: string } & InstantRange)[]) => {
  const moved = (
    local: string,
  ) => `case kind when 'anterior' then ${local} - (asked_till::date - since::date + 1) * interval '1 day'
    when 'semana-anterior' then ${local} - interval '7 days' when 'mes-anterior' then ${local} - interval '1 month' else ${local} - interval '1 year' end`;
  // Of two instants with the same local time, Postgres takes one. The other is an hour before or after it.
  const instant = (
    local: string,
    hour: string,
  ) => `case when ${local}_is_first then ${firstInstant(local)} else (select ${hour === "1 hour" ? "max" : "min"}(at)
    from unnest(array[${local} ${BRASILIA}, ${local} ${BRASILIA} + interval '${hour}']) as at
    where at ${BRASILIA} = ${local} or at = ${local} ${BRASILIA}) end`;
  const rows = await sql.query(
    `select ${text("since")} as data_inicio, ${text("greatest(since - interval '1 microsecond', case when not is_empty then till end)")} as data_fim
     from (select n, is_empty, ${instant("since", "-1 hour")} as since, ${instant("till", "1 hour")} as till from (
       select n, is_empty, since_is_first, till_is_first, ${moved("since")} as since, case
         when not is_cut and kind in ('mes-anterior', 'ano-anterior') and extract(day from since) = 1 and extract(day from till + interval '1 day') = 1
           then date_trunc('month', ${moved("till")}) + interval '1 month -1 day' + till::time
         else ${moved("till")} end as till
       from (select n, kind, is_cut, is_empty, asked_till, since_is_first, till_is_first,
           case when since_is_first then since::date::timestamp else since end as since, case when till_is_first then till::date::timestamp else till end as till
         from (select *, data_inicio = ${firstInstant("since")} as since_is_first, data_fim = ${firstInstant("till")} as till_is_first
           from (select n, kind, is_cut, is_cut and reached <= data_inicio as is_empty, data_inicio, data_inicio ${BRASILIA} as since, asked_fim ${BRASILIA} as asked_till,
               case when is_cut then reached else asked_fim end as data_fim, case when is_cut then reached else asked_fim end ${BRASILIA} as till
             from (select *, coalesce(reached < asked_fim, false) as is_cut
               from unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[]) with ordinality as asked (kind, data_inicio, asked_fim, reached, n)
             ) as asked) as asked) as asked
       ) as asked
     ) as moved) as moved order by n`,
    [
      asked.map(({ kind }) => kind),
      asked.map(({ data_inicio }) => data_inicio),
      asked.map(({ data_fim }) => data_fim),
      asked.map(({ reached }) => reached ?? null),
    ],
  );
  return rows as InstantRange[];
};

/** The ranges to compare with, from the functions that statements use. */
const movedEarlier = async (asked: ({ kind: string; reached?: string } & InstantRange)[]) => {
  const rows = await sql.query(
    `select ${text("earlier_start(kind, since, till)")} as data_inicio, ${text("earlier_end(kind, since, till, reached)")} as data_fim
     from unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[]) with ordinality as asked (kind, since, till, reached, n)
     order by n`,
    [
      asked.map(({ kind }) => kind),
      asked.map(({ data_inicio }) => data_inicio),
      asked.map(({ data_fim }) => data_fim),
      asked.map(({ reached }) => reached ?? null),
    ],
  );
  return rows as InstantRange[];
};

/** Whether ranges are whole months, and their ends where one within the last second of a day is that day's. */
const expectedMonths = async (asked: InstantRange[]) => {
  const dayEnd = "brasilia_midnight(till::date + 1)";
  const rows = await sql.query(
    `select first and day_end is not null and extract(day from till::date + 1) = 1 as is_whole, ${text("coalesce(day_end, data_fim)")} as until
     from (
       select n, data_fim, till, extract(day from since) = 1 and data_inicio = brasilia_midnight(since::date) as first,
         case when data_fim >= ${dayEnd} - interval '1 second' then ${dayEnd} - interval '1 microsecond' end as day_end
       from (select *, data_inicio ${BRASILIA} as since, data_fim ${BRASILIA} as till
         from unnest($1::timestamptz[], $2::timestamptz[]) with ordinality as asked (data_inicio, data_fim, n)) as asked
     ) as asked order by n`,
    [asked.map(({ data_inicio }) => data_inicio), asked.map(({ data_fim }) => data_fim)],
  );
  return rows as { is_whole: boolean; until: string }[];
};

const withMicros = (ms: number, micros: string) => `${new Date(ms).toISOString().slice(0, 19)}.${micros}Z`;

/** Compares answer by answer, and shows the question of one that differs. */
const expectEqual = <Q, A>(questions: Q[], actual: A[], expected: A[]) => {
  expect(expected).toHaveLength(questions.length);
  const differing = questions.flatMap((question, n) =>
    JSON.stringify(actual[n]) === JSON.stringify(expected[n])
      ? []
      : [{ question, actual: actual[n], expected: expected[n] }],
  );
  expect(differing.slice(0, 5)).toEqual([]);
};

describe("a named period", () => {
  const calendar = moment.chain((ms) => {
    const date = new Date(ms).toISOString();
    const year = date.slice(0, 4);
    return fc.oneof(
      fc.constantFrom(4, 7, 10).map((length) => date.slice(0, length)),
      fc.integer({ min: 1, max: 4 }).map((quarter) => `${year}-T${quarter}`),
      fc.integer({ min: 1, max: 53 }).map((week) => `${year}-S${String(week).padStart(2, "0")}`),
    );
  });
  const question = fc.record({
    name: fc.oneof(fc.constantFrom(...RELATIVE_PERIODS), calendar),
    mayLieAhead: fc.boolean(),
    now: moment,
  });

  it("is the range of its days in Brasília, and ends with today unless it is whole (I7)", async () => {
    const questions = sampleOf(question).filter(({ name }) => parsePeriod(name) !== undefined);
    expect(questions.length).toBeGreaterThan(RUNS * 0.9);
    const actual = questions.map((asked) => new Period(asked.name).resolve(asked.now, asked));
    expectEqual(questions, actual, await expectedRanges(questions));
  });

  it("begins each day since 1900 when Postgres does, also in the years of summer time (I7)", async () => {
    const days = await sql.query(
      `select to_char(day, 'YYYY-MM-DD') as name, ${text("brasilia_midnight(day::date)")} as starts
       from generate_series(timestamp '1900-01-01', timestamp '2030-01-01', '1 day') as day`,
    );
    expect(days.length).toBeGreaterThan(47_000);
    const actual = days.map(({ name }) => new Period(name).resolve(0, IN_FULL).data_inicio);
    expectEqual(
      days,
      actual,
      days.map(({ starts }) => starts),
    );
  });

  it("names the weeks of ISO 8601, 52 or 53 a year (I7)", async () => {
    const rows = await sql.query(
      `select year, extract(week from make_date(year, 12, 28))::int as weeks from generate_series(1900, 2200) as year`,
    );
    const names = (year: number, weeks: number) =>
      Array.from({ length: weeks }, (_, n) => `${year}-S${String(n + 1).padStart(2, "0")}`);
    const expected = rows.flatMap(({ year, weeks }) => names(year, weeks));
    const actual = rows.flatMap(({ year }) =>
      ["S00", ...names(year, 99).map((name) => name.slice(5))]
        .map((week) => `${year}-${week}`)
        .filter((name) => parsePeriod(name) !== undefined),
    );
    expect(actual).toEqual(expected);
    expect(actual.filter((name) => name.endsWith("53")).length).toBeGreaterThan(50);
  });

  it.each([
    ["2018-12", "2018-11-30T23:00:00-03:00", "2018-12-31T22:59:59.999999-03:00"],
    ["2018-11-04", "2018-11-04T00:00:00-03:00", "2018-11-04T22:59:59.999999-03:00"],
    ["1900", "1900-01-01T00:06:28-03:00", "1901-01-01T00:06:27.999999-03:00"],
    ["2200-12-31", "2200-12-31T00:00:00-03:00", "2200-12-31T23:59:59.999999-03:00"],
  ])("%s is written with the offset -03:00: %s to %s (I7)", (name, start, end) => {
    expect(formatRange(new Period(name).resolve(0, IN_FULL))).toEqual([start, end]);
  });

  it.each([
    "",
    "HOJE",
    "8-dias",
    "proximos-90-dias",
    "2026-T0",
    "2026-T5",
    "2026-t4",
    "2026-T",
    "2026-T04",
    "2025-S53",
    "2026-S54",
    "2026-S00",
    "2026-S1",
    "2201-S01",
    "1899-T4",
    "1899",
    "2201",
    "2201-01-01",
    "0099",
    "20260",
    "2026-00",
    "2026-13",
    "2026-1",
    "2026-02-29",
    "2026-02-30",
    "2100-02-29",
    "2026-11-31",
    "2026-11-00",
    "2026-11-01T00:00:00Z",
    "+002026",
    "２０２６",
    "constructor",
    "__proto__",
  ])("is not %j (I7)", (name) => {
    expect(parsePeriod(name)).toBeUndefined();
  });
});

describe("the range to compare with", () => {
  const micros = fc.constantFrom("000000", "999999", "000001");
  const end = fc.tuple(moment, micros).map(([ms, fraction]) => withMicros(ms, fraction));
  const anyRange = fc
    .tuple(end, end)
    .map(([a, b]) => (a < b ? { data_inicio: a, data_fim: b } : { data_inicio: b, data_fim: a }));
  /** Ranges of whole months and days, and short ranges. */
  const wholeDays = fc
    .tuple(moment, fc.constantFrom(7, 7, 10), fc.constantFrom(0, 0, 1, 6, 30, 90))
    .map(([ms, length, days]) =>
      [ms, ms + days * DAY].map((at) =>
        parsePeriod(new Date(at).toISOString().slice(0, length))?.resolve(0, IN_FULL),
      ),
    )
    .filter((days): days is [InstantRange, InstantRange] => !days.includes(undefined))
    .map(([first, last]) => ({ data_inicio: first.data_inicio, data_fim: last.data_fim }));
  const short = fc
    .tuple(moment, fc.integer({ min: 0, max: 3 * DAY }), micros)
    .map(([ms, length, fraction]) => ({
      data_inicio: withMicros(ms, "000000"),
      data_fim: withMicros(ms + length, fraction),
    }));

  /** Ranges with an end that is the first instant of a day, near changes of the clocks. */
  const dayStarts = fc
    .tuple(
      fc.constantFrom(...LOCAL_EDGES),
      fc.integer({ min: -1, max: 32 }),
      fc.integer({ min: 0, max: 32 }),
      end,
    )
    .map(([edge, later, days, other]) => {
      const startOf = (at: number) =>
        parsePeriod(new Date(at).toISOString().slice(0, 10))?.resolve(0, IN_FULL).data_inicio ?? other;
      const first = Date.parse(edge) + later * DAY;
      return [startOf(first), startOf(first + days * DAY), other].sort();
    })
    .chain((all) => fc.subarray(all, { minLength: 2, maxLength: 2 }))
    .map(([data_inicio = "", data_fim = ""]) => ({ data_inicio, data_fim }));

  const question = fc
    .record({
      kind: fc.constantFrom(...COMPARISONS),
      range: fc.oneof(anyRange, wholeDays, wholeDays, short, dayStarts, dayStarts),
    })
    .map(({ kind, range }) => ({ kind, ...range }));

  it("is moved by the calendar and the clock of Brasília, and whole days start whole (R10, R23)", async () => {
    const questions = sampleOf(question);
    const actual = questions.map(({ kind, ...range }) => earlierRange(kind, range));
    const expected = await expectedEarlier(questions);
    const isForward = (_: unknown, n: number) =>
      (actual[n]?.data_inicio ?? "") <= (actual[n]?.data_fim ?? "");
    expectEqual(questions.filter(isForward), actual.filter(isForward), expected.filter(isForward));
    expectEqual(questions, await movedEarlier(questions), expected);
  });

  it("ends when the data instant is moved, if the range ends after it (R23)", async () => {
    const near = fc.constantFrom(0, 0, 1, -1, 59_999, -59_999, HOUR, -HOUR, DAY, -DAY);
    const questions = sampleOf(
      fc.record({ asked: question, part: fc.constantFrom(0, 0, 0.1, 0.5, 0.9, 1, 1), near, micros }),
    ).map(({ asked, part, near, micros }) => {
      const [start, end] = [Date.parse(asked.data_inicio), Date.parse(asked.data_fim)];
      return { ...asked, reached: withMicros(Math.round(start + part * (end - start)) + near, micros) };
    });
    const actual = await movedEarlier(questions);
    expectEqual(questions, actual, await expectedEarlier(questions));
    const whole = questions.map(({ kind, reached: _, ...range }) => earlierRange(kind, range));
    const differing = actual.filter(({ data_fim }, n) => data_fim !== whole[n]?.data_fim);
    expect(differing.length).toBeGreaterThan(RUNS / 4);
    expect(actual.filter(({ data_inicio, data_fim }) => data_fim < data_inicio).length).toBeGreaterThan(
      RUNS / 20,
    );
  });

  it.each([
    // The month so far, and the days to come of an explicit range.
    ["mes-anterior", "mes", "2026-11-25T11:18:00", "2026-10-01T00:00:00", "2026-10-25T11:18:00"],
    ["ano-anterior", "mes", "2026-11-25T11:18:00", "2025-11-01T00:00:00", "2025-11-25T11:18:00"],
    ["anterior", "mes", "2026-11-25T11:18:00", "2026-10-07T00:00:00", "2026-10-31T11:18:00"],
    ["semana-anterior", "semana", "2026-11-25T11:18:00", "2026-11-16T00:00:00", "2026-11-18T11:18:00"],
    ["anterior", "proximos-7-dias", "2026-11-25T11:18:00", "2026-11-18T00:00:00", "2026-11-18T11:18:00"],
    // The month's last day so far: October's 31st is not part of it, and February has no 31st.
    ["mes-anterior", "mes", "2026-11-30T11:18:00", "2026-10-01T00:00:00", "2026-10-30T11:18:00"],
    ["mes-anterior", "mes", "2026-03-31T11:18:00", "2026-02-01T00:00:00", "2026-02-28T11:18:00"],
    // Over before the data instant.
    ["mes-anterior", "2026-09", "2026-11-25T11:18:00", "2026-08-01T00:00:00", "2026-08-31T23:59:59.999999"],
    // Nothing is left of a range that starts at the data instant or after it.
    ["mes-anterior", "2026-12", "2026-11-25T11:18:00", "2026-11-01T00:00:00", "2026-10-31T23:59:59.999999"],
    ["anterior", "hoje", "2026-11-25T00:00:00", "2026-11-24T00:00:00", "2026-11-23T23:59:59.999999"],
  ] as const)("%s of %s, with data until %s, is %s to %s (R23)", async (kind, name, at, start, end) => {
    const reached = `${at}-03:00`;
    const [range] = await movedEarlier([
      { kind, reached, ...new Period(name).resolve(Date.parse(reached), { mayLieAhead: false }) },
    ]);
    expect(range && formatRange(range)).toEqual([`${start}-03:00`, `${end}-03:00`]);
  });

  it("ends before it starts if the moved data instant is earlier than the moved start (R23)", async () => {
    const range = { data_inicio: "2026-03-30T13:00:00Z", data_fim: "2026-04-01T13:00:00Z" };
    const asked = { kind: "mes-anterior", reached: "2026-03-31T11:00:00Z", ...range };
    expect(await movedEarlier([asked])).toEqual([
      { data_inicio: "2026-02-28T13:00:00.000000Z", data_fim: "2026-02-28T12:59:59.999999Z" },
    ]);
  });

  it("is whole months from the first instant of a month to the last second of one (R24)", async () => {
    const ranges = sampleOf(
      fc.record({ asked: question, fraction: fc.constantFrom("000000", "590000", "999999", undefined) }),
    ).map(({ asked: { data_inicio, data_fim }, fraction }) => ({
      data_inicio,
      data_fim: fraction === undefined ? data_fim : `${data_fim.slice(0, 20)}${fraction}Z`,
    }));
    const actual = ranges.map((range) => ({
      is_whole: isWholeMonths(range),
      until: untilDayEnd(range.data_fim),
    }));
    const expected = await expectedMonths(ranges);
    expectEqual(ranges, actual, expected);
    expect(expected.filter(({ is_whole }) => is_whole).length).toBeGreaterThan(RUNS / 50);
    expect(expected.filter(({ until }, n) => until !== ranges[n]?.data_fim).length).toBeGreaterThan(
      RUNS / 50,
    );
  });

  it.each([
    // 28 days of February and 31 of January.
    ["mes-anterior", "2026-02", "2026-01-01T00:00:00-03:00", "2026-01-31T23:59:59.999999-03:00"],
    ["ano-anterior", "2024-02", "2023-02-01T00:00:00-03:00", "2023-02-28T23:59:59.999999-03:00"],
    ["ano-anterior", "2025-02", "2024-02-01T00:00:00-03:00", "2024-02-29T23:59:59.999999-03:00"],
    ["mes-anterior", "2026-03-31", "2026-02-28T00:00:00-03:00", "2026-02-28T23:59:59.999999-03:00"],
    ["semana-anterior", "2026-03-03", "2026-02-24T00:00:00-03:00", "2026-02-24T23:59:59.999999-03:00"],
    ["anterior", "2026-03", "2026-01-29T00:00:00-03:00", "2026-02-28T23:59:59.999999-03:00"],
    // The midnight of 4 November 2018 was skipped, and the last hour of 17 February 2018 came twice.
    ["semana-anterior", "2018-11-11", "2018-11-04T00:00:00-03:00", "2018-11-04T22:59:59.999999-03:00"],
    ["semana-anterior", "2018-02-24", "2018-02-16T23:00:00-03:00", "2018-02-17T23:59:59.999999-03:00"],
    // A day that began at 01:00 is compared with a whole day.
    ["anterior", "2018-11-04", "2018-11-03T00:00:00-03:00", "2018-11-03T23:59:59.999999-03:00"],
    ["semana-anterior", "2018-11-04", "2018-10-28T00:00:00-03:00", "2018-10-28T23:59:59.999999-03:00"],
    ["mes-anterior", "2018-11-04", "2018-10-04T00:00:00-03:00", "2018-10-04T23:59:59.999999-03:00"],
    ["ano-anterior", "2018-11-04", "2017-11-03T23:00:00-03:00", "2017-11-04T22:59:59.999999-03:00"],
    // The year 1914 began at 00:06:28.
    ["anterior", "1914-01-01", "1913-12-31T00:06:28-03:00", "1914-01-01T00:06:27.999999-03:00"],
  ] as const)("%s of %s is %s to %s (R10, R23)", (kind, name, start, end) => {
    expect(formatRange(earlierRange(kind, new Period(name).resolve(0, IN_FULL)))).toEqual([start, end]);
  });

  it.each([
    // A range until the first instant of a day, and one that ends a microsecond later.
    ["semana-anterior", "2018-11-04T03:00:00.000000Z", "2018-10-28T03:00:00.000000Z"],
    ["semana-anterior", "2018-11-04T03:00:00.000001Z", "2018-10-28T04:00:00.000001Z"],
    // 16 April 1950 had two midnights: its first instant is the first of them.
    ["semana-anterior", "1950-04-23T03:00:00.000000Z", "1950-04-16T02:00:00.000000Z"],
    ["semana-anterior", "1950-04-23T03:00:00.000001Z", "1950-04-16T03:00:00.000001Z"],
  ] as const)("%s of a range until %s ends %s (R23)", (kind, data_fim, expected) => {
    const data_inicio = new Date(Date.parse(data_fim) - 3 * DAY).toISOString().replace("Z", "000Z");
    expect(earlierRange(kind, { data_inicio, data_fim }).data_fim).toBe(expected);
  });
});
