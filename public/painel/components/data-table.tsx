import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Value } from "../sheet.ts";
import { FileButtons } from "./file-buttons.tsx";

/** One column, on the screen, on a phone and in the file. */
export interface Column<Row> {
  title: string;
  /** Its value: what the file holds, and what the rows are sorted by. */
  value: (row: Row) => Value;
  /** What the screen shows instead of the value as text. */
  cell?: (row: Row) => ComponentChildren;
  /** In the row of totals, in the file and on the screen. */
  total?: Value;
  /** How the total is shown. */
  totalText?: string;
  isNumber?: boolean;
  /** Beside the name of the row on a phone; the others stand below it. */
  isMain?: boolean;
  /** Only in the file. */
  isHidden?: boolean;
}

interface DataTableProps<Row> {
  caption: string;
  /** The name of the file, without its extension. Without it, there is no file. */
  file?: string;
  /** The first column names the row. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Rows shown at first. */
  shown?: number;
  isSortable?: boolean;
  empty: string;
  /** The rows of the file, if the screen shows one page of them. */
  loadRows?: (signal: AbortSignal) => Promise<readonly Row[]>;
}

interface Order {
  column: number;
  isDescending: boolean;
}

const compare = (a: Value, b: Value) => {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === "string" && typeof b === "string" ? a.localeCompare(b, "pt-BR") : Number(a) - Number(b);
};

const sorted = <Row,>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | undefined) => {
  const column = order && columns[order.column];
  if (column === undefined) return rows;
  const sign = order?.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [column.value(a), column.value(b)];
    // What has no value is last either way.
    return left === null || right === null ? compare(left, right) : sign * compare(left, right);
  });
};

const text = (value: Value) => (value === null ? "—" : String(value));

const SortSelect = <Row,>({
  columns,
  order,
  onChange,
}: {
  columns: readonly Column<Row>[];
  order: Order | undefined;
  onChange: (order: Order | undefined) => void;
}) => (
  <label class="sort">
    Ordem{" "}
    <select
      value={order ? `${order.column}${order.isDescending ? "d" : "a"}` : ""}
      onChange={({ currentTarget: { value } }) =>
        onChange(
          value ? { column: Number.parseInt(value, 10), isDescending: value.endsWith("d") } : undefined,
        )
      }
    >
      <option value="">padrão</option>
      {columns.map(({ title, isNumber }, column) =>
        (isNumber ? ["d", "a"] : ["a"]).map((direction) => (
          <option key={`${title}${direction}`} value={`${column}${direction}`}>
            {isNumber ? `${title}: ${direction === "d" ? "maior" : "menor"} primeiro` : title}
          </option>
        )),
      )}
    </select>
  </label>
);

/** The name of a column; in a sortable table a button. The first press sorts numbers from the highest. */
const Head = <Row,>({
  column,
  order,
  onSort,
}: {
  column: Column<Row>;
  order: "ascending" | "descending" | undefined;
  onSort: (() => void) | undefined;
}) => (
  <th scope="col" class={column.isNumber ? "number" : undefined} aria-sort={order}>
    {onSort ? (
      <button type="button" onClick={onSort}>
        {column.title}
        <span aria-hidden="true">{order ? (order === "descending" ? " ↓" : " ↑") : ""}</span>
      </button>
    ) : (
      column.title
    )}
  </th>
);

const classOf = ({ isNumber, isMain }: Column<never>) =>
  [isNumber && "number", isMain && "main"].filter(Boolean).join(" ") || undefined;

/** A table. On a phone, a row is its name with the main columns beside it and the others below. */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { caption, file, rows, keyOf, shown = Number.POSITIVE_INFINITY, isSortable = false, empty } = props;
  const [order, setOrder] = useState<Order | undefined>();
  const [isWhole, setWhole] = useState(false);
  const columns = props.columns.filter(({ isHidden }) => !isHidden);
  const [first, ...others] = columns;
  if (rows.length === 0 || first === undefined) return <p class="nothing">{empty}</p>;
  const ordered = sorted(rows, columns, order);
  const hasTotals = columns.some(({ total }) => total !== undefined);
  const sheetOf = (all: readonly Row[]) => ({
    name: file ?? "",
    columns: props.columns.map(({ title }) => title),
    rows: [
      ...all.map((row) => props.columns.map(({ value }) => value(row))),
      ...(hasTotals ? [props.columns.map(({ total = null }, index) => (index === 0 ? "Total" : total))] : []),
    ],
  });
  const sortBy = (column: number) => () =>
    setOrder({
      column,
      isDescending: order?.column === column ? !order.isDescending : columns[column]?.isNumber === true,
    });
  const body = (
    <>
      <table class="data">
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <Head
                key={column.title}
                column={column}
                order={
                  order?.column === index ? (order.isDescending ? "descending" : "ascending") : undefined
                }
                onSort={isSortable ? sortBy(index) : undefined}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.map((row, index) => (
            <tr key={keyOf(row)} class={index >= shown && !isWhole ? "extra" : undefined}>
              <th scope="row">{(first.cell ?? (() => text(first.value(row))))(row)}</th>
              {others.map((column) => (
                <td key={column.title} class={classOf(column as Column<never>)} data-title={column.title}>
                  {column.cell ? column.cell(row) : text(column.value(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {hasTotals && (
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              {others.map((column) => (
                <td key={column.title} class={classOf(column as Column<never>)} data-title={column.title}>
                  {column.total === undefined ? "" : (column.totalText ?? text(column.total))}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
      <div class="table-tools">
        {rows.length > shown && !isWhole && (
          <button type="button" class="quiet" onClick={() => setWhole(true)}>
            Ver todas as {rows.length} linhas
          </button>
        )}
        {file !== undefined && (
          <FileButtons
            label={caption}
            load={async (signal) =>
              sheetOf(props.loadRows ? sorted(await props.loadRows(signal), columns, order) : ordered)
            }
          />
        )}
      </div>
    </>
  );
  return (
    <div class="table">
      {isSortable && <SortSelect columns={columns} order={order} onChange={setOrder} />}
      {body}
    </div>
  );
};
