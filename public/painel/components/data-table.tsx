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
  /** On a phone, this column is beside the name of the row, and the others are behind a tap. */
  isMain?: boolean;
  /** On a phone, this column is below the name of the row. */
  isBelow?: boolean;
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
  /** The order of the rows, in words. With it, the reader can choose another. */
  order?: string;
  empty: string;
  /** If the rows are not all: what the row of totals is called, and all rows for the file. */
  cut?: CutRows<Row> | undefined;
}

export interface CutRows<Row> {
  totalName: string;
  load(panel: Panel, signal: AbortSignal): Promise<readonly Row[]>;
}

const text = (value: Value) => (value === null ? "—" : String(value));

const classesOf = (classes: Record<string, boolean | undefined>) =>
  Object.keys(classes)
    .filter((name) => classes[name])
    .join(" ") || undefined;

/** The rows that are open on a phone, by place and key: going back finds them. */
const openLines = new Set<string>();

interface LineProps<Row> {
  /** Its place in `openLines`. */
  id: string;
  columns: readonly Column<Row>[];
  order: Order | undefined;
  name: string;
  contentOf: (column: Column<Row>, at: number) => ComponentChildren;
  isExtra?: boolean;
}

/** A row. On a phone, its name, the main columns, and the one that it is sorted by; the others behind a tap. */
const Line = <Row,>({ id, columns, order, name, contentOf, isExtra = false }: LineProps<Row>) => {
  const [isOpen, setOpen] = useState(openLines.has(id));
  const toggle = () => {
    if (isOpen) openLines.delete(id);
    else openLines.add(id);
    setOpen(!isOpen);
  };
  return (
    <tr role="row" class={classesOf({ extra: isExtra, open: isOpen })}>
      {columns.map((column, at) => {
        const { title, isNumber, isMain, isBelow } = column;
        return at === 0 ? (
          <th key={title} role="rowheader" scope="row" aria-colindex={1}>
            {contentOf(column, at)}
            {columns.slice(1).some((other) => !(other.isMain || other.isBelow)) && (
              <button
                type="button"
                class="row-more"
                aria-expanded={isOpen}
                aria-label={`Mais de ${name}`}
                onClick={toggle}
              />
            )}
          </th>
        ) : (
          <td
            key={title}
            role="cell"
            aria-colindex={at + 1}
            class={classesOf({
              number: isNumber,
              main: isMain,
              below: isBelow,
              chosen: title === order?.title,
            })}
            data-title={title}
          >
            {contentOf(column, at)}
          </td>
        );
      })}
    </tr>
  );
};

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
      {columns.map((column, at) => {
        const isSorted = order?.title === column.title;
        const direction = isSorted ? (order.isDescending ? "descending" : "ascending") : undefined;
        return (
          <th
            key={column.title}
            role="columnheader"
            scope="col"
            aria-colindex={at + 1}
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
  place: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  order: Order | undefined;
  keyOf: (row: Row) => string;
  /** Rows from this one on are only printed. */
  shown: number;
}

const Rows = <Row,>({ place, columns, rows, order, keyOf, shown }: RowsProps<Row>) => (
  <tbody role="rowgroup">
    {rows.map((row, index) => (
      <Line
        key={keyOf(row)}
        id={`${place} ${keyOf(row)}`}
        columns={columns}
        order={order}
        name={columns[0] ? text(columns[0].value(row)) : ""}
        contentOf={({ cell, value }) => (cell ? cell(row) : text(value(row)))}
        isExtra={index >= shown}
      />
    ))}
  </tbody>
);

interface TotalsProps<Row> {
  place: string;
  name: string;
  columns: readonly Column<Row>[];
  order: Order | undefined;
}

const Totals = <Row,>({ place, name, columns, order }: TotalsProps<Row>) => (
  <tfoot role="rowgroup">
    <Line
      id={place}
      columns={columns}
      order={order}
      name={name}
      contentOf={({ total, totalCell }, at) => {
        if (at === 0) return name;
        return total === undefined ? "" : (totalCell ?? text(total));
      }}
    />
  </tfoot>
);

const hasTotals = (columns: readonly { total?: Value }[]) => columns.some(({ total }) => total !== undefined);

/** The orders that the user chose, by place: going back finds them. */
const orders = new Map<string, Order | undefined>();

/** A table. On a phone, a row is its name with the main columns beside it, and opens its page or the other columns. */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { caption, file, rows, keyOf, cut, shown = Number.POSITIVE_INFINITY } = props;
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
      {props.order && <SortSelect columns={columns} given={props.order} order={order} onChange={sortBy} />}
      <table class="data" role="table" aria-colcount={columns.length}>
        <caption class="sr-only">{caption}</caption>
        <Head
          columns={columns}
          order={order}
          onSort={props.order ? (column) => sortBy(pressed(column, order)) : undefined}
        />
        <Rows
          place={place}
          columns={columns}
          rows={ordered}
          order={order}
          keyOf={keyOf}
          shown={isCut ? shown : rows.length}
        />
        {hasTotals(columns) && (
          <Totals place={place} name={cut?.totalName ?? "Total"} columns={columns} order={order} />
        )}
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
