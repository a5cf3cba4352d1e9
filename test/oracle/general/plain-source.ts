// What the general reports are compared with: each source as plain SQL over its tables, row by row. It states the rules
// of docs/contract.md (R20) independently and reads no rollup, view or function of the service.

/** Who asks, and for what. The SQL of rows and names may depend on it. */
export interface Reading {
  /** The units of the reader; null for all. */
  ownUnits: readonly string[] | null;
  /** The units whose rows count: the requested one, or those of the reader; null for all. */
  units: readonly string[] | null;
  /** Whether ids of professionals that are objects are null. */
  isMasked: boolean;
  /** The value of the parameter `data`. */
  data?: string | undefined;
  /** The ends of the range as SQL. */
  from?: string | undefined;
  to?: string | undefined;
  medidas: string[];
  por: string[];
  filters: Record<string, string>;
  /** The day of the data instant, as SQL. */
  dataDay: string;
  isTotal: boolean;
  /** How far the range moved back, as SQL, if it is the earlier one. */
  shift?: string | undefined;
}

export interface PlainDimension {
  /** The columns that identify a row, over the rows of the source. */
  keys: Record<string, string | ((reading: Reading) => string)>;
  /** Names that are looked up by the keys of `answer`. */
  labels?: Record<string, (reading: Reading) => string>;
  unit?: "day" | "week" | "month" | "quarter" | "year";
  isCycle?: true;
  isPersonal?: true;
  /** The order of its values, by which rows come first. */
  order?: (key: string) => string;
}

export interface PlainMeasure {
  /** An aggregate over the rows of the source. */
  sql: string | ((reading: Reading) => string);
  /** The value if there are no rows, or SQL of it over the keys of the row. */
  empty: "0" | "null" | ((reading: Reading) => string);
  /** Whether it must be asked for. */
  isExtra?: true;
  isDate?: true;
  /** Whether it may show which visits are of one client (R24). */
  linksVisits?: true;
  /** Whether it depends on the goals of months (B1). */
  isOfGoals?: true;
  /** Whether it depends on visits after the range (R26). */
  looksAhead?: true;
}

export interface PlainFilter {
  values: string[];
  condition: (value: string, reading: Reading) => string;
  /** Whether rows without a date do not match. */
  isOfTime?: true;
  isPersonal?: true;
  needsClient?: true;
  /** Whether it needs a measure of return (R26). */
  needsReturn?: true;
  needsRange?: true;
}

export interface PlainSource {
  /** A select of the rows: with their `at`, or with their `day` if it is a date, and the unit as `estabelecimento_id`. */
  rows: (reading: Reading) => string;
  isDate: (data: string | undefined) => boolean;
  /** Whether the dates may lie ahead, so that comparisons go up to the end of the range. */
  isAhead: (data: string | undefined) => boolean;
  /** The values of the parameter `data`, the default first. */
  dates?: string[];
  hasUnits: boolean;
  dimensions: Record<string, PlainDimension>;
  measures: Record<string, PlainMeasure>;
  filters: Record<string, PlainFilter>;
  /** Whether rows with `is_exempt` match any range. */
  hasExemptRows?: (medidas: string[]) => boolean;
  needs?: "payments" | "personalData";
  /** Whether it is compared only over a range that the data has passed. */
  isComparedWhenOver?: true;
}

/** A source whose rows have a time in the past, and a unit. */
export const OF_INSTANTS: Pick<PlainSource, "isDate" | "isAhead" | "hasUnits"> = {
  isDate: () => false,
  isAhead: () => false,
  hasUnits: true,
};

export const TZ = "'America/Sao_Paulo'";
const sqlText = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** The condition that a column is one of the units. */
export const inUnits = (units: readonly string[] | null, column: string) =>
  units === null ? "true" : `${column} in (${units.map(sqlText).join()})`;

export const count = (condition = "true"): PlainMeasure => ({
  sql: `count(*) filter (where ${condition})`,
  empty: "0",
});
export const money = (value: string, condition = "true"): PlainMeasure => ({
  sql: `round(coalesce(sum(${value}) filter (where ${condition}), 0), 2)`,
  empty: "0",
});

/** NaN and infinite values count as 0. */
export const finite = (column: string) =>
  `case when ${column} in ('NaN', 'Infinity', '-Infinity') then 0 else coalesce(${column}, 0) end`;

export const column = (name: string): PlainDimension => ({ keys: { [name]: name } });
const calendar = (name: string, unit: NonNullable<PlainDimension["unit"]>): PlainDimension => ({
  keys: { [name]: `date_trunc('${unit}', counted_on::timestamp)::date` },
  unit,
});

export const CALENDAR: Record<string, PlainDimension> = {
  dia: calendar("dia", "day"),
  semana: calendar("semana", "week"),
  mes: calendar("mes", "month"),
  trimestre: calendar("trimestre", "quarter"),
  ano: calendar("ano", "year"),
};

const WEEKDAY = "case to_char(local, 'D') when '1' then 7 else to_char(local, 'D')::int - 1 end";
const HOUR = "to_char(local, 'HH24')::int";
export const CYCLES: Record<string, PlainDimension> = {
  dia_semana: { keys: { dia_semana: WEEKDAY }, isCycle: true },
  hora: { keys: { hora: HOUR }, isCycle: true },
};
export const CYCLE_FILTERS: Record<string, PlainFilter> = {
  dia_semana: {
    values: ["1", "6", "7"],
    condition: (value) => `(${WEEKDAY}) = ${value}`,
    isOfTime: true,
  },
  hora_min: { values: ["0", "9", "12", "23"], condition: (value) => `${HOUR} >= ${value}`, isOfTime: true },
  hora_max: { values: ["0", "12", "15", "23"], condition: (value) => `${HOUR} <= ${value}`, isOfTime: true },
};

export const UNIT: PlainDimension = {
  ...column("estabelecimento_id"),
  labels: {
    unidade_nome: () => "(select nome from estabelecimentos e where e.salon_id = answer.estabelecimento_id)",
  },
};

/** Active ones first, then the lowest id; those of the row's unit before them, if rows have a unit (V5). */
export const PROFESSIONAL: PlainDimension = {
  keys: {
    profissional_salon_id: ({ isMasked }) =>
      isMasked
        ? `case when left(profissional_id, 1) not in ('{', '[') then profissional_id end`
        : "profissional_id",
  },
  labels: {
    profissional: ({
      por,
    }) => `(select nome from profissionais p where p.salon_id = answer.profissional_salon_id order by
      ${por.includes("unidade") ? "coalesce(p.salon_estabelecimento_id = answer.estabelecimento_id, false) desc," : ""} p.ativo desc, p.id limit 1)`,
  },
};

/** A filter that finds what people wrote in NFC and in NFD (I4). */
export const written = (name: string, values: string[]): PlainFilter => ({
  values,
  condition: (value) => `normalize(${name}) = normalize(${sqlText(value)})`,
});
export const equal = (name: string, values: string[]): PlainFilter => ({
  values,
  condition: (value) => `${name} = ${sqlText(value)}`,
});
