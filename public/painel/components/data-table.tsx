import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Panel, usePanel } from "../context.ts";
import { number } from "../format.ts";
import { type Format, sheetOf, type Value } from "../sheet.ts";
import { FileButtons } from "./file-buttons.tsx";
import { type Order, pressed, SortSelect, sorted } from "./sort-select.tsx";

/** One column, on the screen, on a phone and in the file. */
export interface Column<Row> {
  title: string;
  /** Its value: what the file holds, and what the rows are sorted by unless it has a rank. */
  value: (row: Row) => Value;
  /** What the rows are sorted by; null is last in either direction. */
  rank?: (row: Row) => Value;
  /** What the screen shows instead of the value as text. */
  cell?: (row: Row) => ComponentChildren;
  /** In the row of totals, in the file and on the screen. */
  total?: Value;
  /** What the screen shows instead of the total as text. */
  totalCell?: ComponentChildren;
  isNumber?: boolean;
  /** How the file shows its values. */
  format?: Format;
  /** On a phone, this column is beside the name of the row, and the others are below it. */
  isMain?: boolean;
  /** Only in the file. */
  isHidden?: boolean;
  /** In a sortable table, the rows are not sorted by this column. */
  isUnsorted?: boolean;
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
  /** If the rows are not all: what the row of totals is called, and all rows for the file. */
  cut?: CutRows<Row> | undefined;
}

export interface CutRows<Row> {
  totalName: string;
  load(panel: Panel, signal: AbortSignal): Promise<readonly Row[]>;
}

const text = (value: Value) => (value === null ? "—" : String(value));

const classOf = ({ isNumber, isMain }: Pick<Column<never>, "isNumber" | "isMain">) =>
  [isNumber && "number", isMain && "main"].filter(Boolean).join(" ") || undefined;

interface HeadProps<Row> {
  columns: readonly Column<Row>[];
  order: Order | undefined;
  /** In a sortable table, the names of the columns are buttons. */
  onSort: ((column: Column<Row>) => void) | undefined;
}

// The roles are explicit here and below: where the table is narrow, its style makes its parts blocks.
const Head = <Row,>({ columns, order, onSort }: HeadProps<Row>) => (
  <thead role="rowgroup">
    <tr role="row">
      {columns.map((column) => {
        const isSorted = order?.title === column.title;
        const direction = isSorted ? (order.isDescending ? "descending" : "ascending") : undefined;
        return (
          <th
            key={column.title}
            role="columnheader"
            scope="col"
            class={column.isNumber ? "number" : undefined}
            aria-sort={direction}
          >
            {onSort && !column.isUnsorted ? (
              <button type="button" onClick={() => onSort(column)}>
                {column.title}
                <span aria-hidden="true">{direction ? (direction === "descending" ? " ↓" : " ↑") : ""}</span>
              </button>
            ) : (
              column.title
            )}
          </th>
        );
      })}
    </tr>
  </thead>
);

interface RowsProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Rows from this one on are only printed. */
  shown: number;
}

const Rows = <Row,>({ columns, rows, keyOf, shown }: RowsProps<Row>) => (
  <tbody role="rowgroup">
    {rows.map((row, index) => (
      <tr key={keyOf(row)} role="row" class={index >= shown ? "extra" : undefined}>
        {columns.map((column, at) => {
          const { title, cell, value } = column;
          const content = cell ? cell(row) : text(value(row));
          return at === 0 ? (
            <th key={title} role="rowheader" scope="row">
              {content}
            </th>
          ) : (
            <td key={title} role="cell" class={classOf(column)} data-title={title}>
              {content}
            </td>
          );
        })}
      </tr>
    ))}
  </tbody>
);

interface TotalsProps<Row> {
  name: string;
  columns: readonly Column<Row>[];
}

const Totals = <Row,>({ name, columns: [, ...others] }: TotalsProps<Row>) => (
  <tfoot role="rowgroup">
    <tr role="row">
      <th role="rowheader" scope="row">
        {name}
      </th>
      {others.map((column) => (
        <td key={column.title} role="cell" class={classOf(column)} data-title={column.title}>
          {column.total === undefined ? "" : (column.totalCell ?? text(column.total))}
        </td>
      ))}
    </tr>
  </tfoot>
);

const hasTotals = (columns: readonly { total?: Value }[]) => columns.some(({ total }) => total !== undefined);

/** The orders that the user chose, by place: going back finds them. */
const orders = new Map<string, Order | undefined>();

/** A table. On a phone, a row is its name with the main columns beside it and the others below. */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { caption, file, rows, keyOf, cut, shown = Number.POSITIVE_INFINITY, isSortable = false } = props;
  const panel = usePanel();
  const place = `${location.search} ${caption}`;
  const [order, setOrder] = useState(orders.get(place));
  const sortBy = (next: Order | undefined) => {
    orders.set(place, next);
    setOrder(next);
  };
  const [isWhole, setWhole] = useState(false);
  const columns = props.columns.filter(({ isHidden }) => !isHidden);
  if (rows.length === 0) return <p class="nothing">{props.empty}</p>;
  const ordered = sorted(rows, columns, order);
  const isCut = rows.length > shown && !isWhole;
  const load = async (signal: AbortSignal) => {
    const all = cut ? sorted(await cut.load(panel, signal), columns, order) : ordered;
    return sheetOf(file ?? "", props.columns, all);
  };
  return (
    <div class="table">
      {isSortable && <SortSelect columns={columns} order={order} onChange={sortBy} />}
      <table class="data" role="table">
        <caption class="sr-only">{caption}</caption>
        <Head
          columns={columns}
          order={order}
          onSort={isSortable ? (column) => sortBy(pressed(column, order)) : undefined}
        />
        <Rows columns={columns} rows={ordered} keyOf={keyOf} shown={isCut ? shown : rows.length} />
        {hasTotals(columns) && <Totals name={cut?.totalName ?? "Total"} columns={columns} />}
      </table>
      <div class="table-tools">
        {isCut && (
          <button type="button" class="quiet" onClick={() => setWhole(true)}>
            Ver {cut === undefined ? "todas as" : "as"} {number(rows.length)} linhas
          </button>
        )}
        {file !== undefined && <FileButtons label={caption} load={load} />}
      </div>
    </div>
  );
};
