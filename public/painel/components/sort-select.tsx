import type { Value } from "../sheet.ts";

/** What can be sorted: columns, by the title of one. */
interface Titled {
  title: string;
  isNumber?: boolean;
  isUnsorted?: boolean;
}

export interface Order {
  title: string;
  isDescending: boolean;
}

const compare = (a: Value, b: Value) => {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === "string" && typeof b === "string" ? a.localeCompare(b, "pt-BR") : Number(a) - Number(b);
};

/** The rows in an order; as they are if none of the columns has its title. */
export const sorted = <Row,>(
  rows: readonly Row[],
  columns: readonly (Titled & { value: (row: Row) => Value; rank?: (row: Row) => Value })[],
  order: Order | undefined,
): readonly Row[] => {
  const column = columns.find(({ title }) => title === order?.title);
  if (column === undefined) return rows;
  const sign = order?.isDescending ? -1 : 1;
  const { rank = column.value } = column;
  return rows.toSorted((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    // What has no value is last either way.
    return left === null || right === null ? compare(left, right) : sign * compare(left, right);
  });
};

/** The order after a press on a column's name. The first press sorts numbers from the highest. */
export const pressed = ({ title, isNumber = false }: Titled, order: Order | undefined): Order => ({
  title,
  isDescending: order?.title === title ? !order.isDescending : isNumber,
});

interface SortSelectProps {
  columns: readonly Titled[];
  /** The order until the reader chooses one, in words. */
  given: string;
  order: Order | undefined;
  onChange: (order: Order | undefined) => void;
}

/** The order of a table whose column names are not shown, as on a phone. */
export const SortSelect = ({ columns, given, order, onChange }: SortSelectProps) => (
  <label class="sort">
    Ordem{" "}
    <select
      value={order ? `${order.isDescending ? "d" : "a"}${order.title}` : ""}
      onChange={({ currentTarget: { value } }) =>
        onChange(value ? { title: value.slice(1), isDescending: value.startsWith("d") } : undefined)
      }
    >
      <option value="">{given}</option>
      {columns
        .filter(({ isUnsorted }) => !isUnsorted)
        .map(({ title, isNumber }) =>
          (isNumber ? ["d", "a"] : ["a"]).map((direction) => (
            <option key={`${direction}${title}`} value={`${direction}${title}`}>
              {isNumber ? `${title}: ${direction === "d" ? "maior" : "menor"} primeiro` : title}
            </option>
          )),
        )}
    </select>
  </label>
);
