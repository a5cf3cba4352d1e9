import fc from "fast-check";
import { dayFromToday, LONG_TEXTS } from "../values.ts";

/** Due dates as texts: valid ones, with and without a time, and what is no date. */
const dueDates: unknown[] = [
  ...["2018-02-17", "2018-02-18", "2018-11-04", "2019-02-17", "2024-02-29", "2024-03-01T00:00:00"],
  ...["2024-12-31", "2025-01-01", "2025-01-15", "0001-01-01", "9999-12-31"],
  ...["2023-02-29", "2024-13-01", "2024-04-31", "0000-01-01", "2024-1-1", "infinity", "", 20240101, null],
  ...[-31, -7, 0, 0, 1, 7].map(dayFromToday),
];

/** The payload of a ledger entry. */
export const entryPayload = fc.record(
  {
    DataVencimento: fc.constantFrom(...dueDates),
    Pessoa: fc.constantFrom<unknown>("Ana", "Íris", "Íris".normalize("NFD"), "", null, 7, {}, ...LONG_TEXTS),
    CentroCusto: fc.constantFrom<unknown>("Salão Jardins", "Loja Centro", "", null, 7101),
    ValorBruto: fc.constantFrom<unknown>(1.1, 80, 0.005, -10, 0, 1e300, "80", "NaN", null, true, [80]),
  },
  { requiredKeys: [] },
);
