// The records behind a figure: a list of the service, page by page.
import { Answered } from "./components/card.tsx";
import { DataTable } from "./components/data-table.tsx";
import { FileButtons } from "./components/file-buttons.tsx";
import { Icon } from "./components/icon.tsx";
import { Link } from "./components/links.tsx";
import { usePaymentsOf } from "./components/payments.tsx";
import { type Panel, useAnswer, usePanel } from "./context.ts";
import { counted, money, number } from "./format.ts";
import { isOfResult, LIST_TITLES, type List, listSearch } from "./links.ts";
import { placeSearch } from "./place.ts";
import { AMOUNT, numberOf, type Query, type SumReport } from "./record-columns.ts";
import { queryOf } from "./record-queries.tsx";
import { reportPath } from "./reports.ts";
import { sumOf } from "./series.ts";
import { type Sheet, sheetOf } from "./sheet.ts";
import { loadRecords, type Reading } from "./whole.ts";

const PER_PAGE = 50;
const FIELDS = ["data", "pagination"];

interface Page {
  data: unknown[];
  pagination: { page: number; total: number; total_pages: number };
}

const pathOf = ({ resource, filters, fields }: Query, how: Record<string, string>) =>
  `/v1/${resource}?${new URLSearchParams({ ...filters, campos: fields.join(","), ...how })}`;

const pagePath = (query: Query, page: number) =>
  pathOf(query, {
    ...(query.order && { ordem: query.order }),
    per_page: String(PER_PAGE),
    page: String(page),
  });

/** The file of a list: all records, as its pages are ordered, and their total. */
const loadSheet = async (query: Query, { answers }: Panel, reading: Reading): Promise<Sheet> => {
  const records = await loadRecords(answers.service, pathOf(query, { tudo: "true" }), reading);
  const total = sumOf(records, (row) => numberOf(query.amountOf(row)) ?? 0);
  const columns = query.columns.map((column) => (column.title === AMOUNT ? { ...column, total } : column));
  return sheetOf(query.file, columns, query.sorted(records));
};

const Pager = ({
  list,
  pagination: { page, total, total_pages: pages },
}: Pick<Page, "pagination"> & { list: List }) => {
  const { view } = usePanel().place;
  const to = (at: number, text: string) =>
    at < 1 || at > pages ? (
      <span class="off">{text}</span>
    ) : (
      <Link to={listSearch(view, { ...list, page: at })}>{text}</Link>
    );
  return (
    <nav class="pager" aria-label="Páginas">
      <p role="status">
        {counted(total, "registro", "registros")}
        {pages > 1 && ` · página ${number(page)} de ${number(pages)}`}
      </p>
      {pages > 1 && to(page - 1, "‹ Anterior")}
      {pages > 1 && to(page + 1, "Próxima ›")}
    </nav>
  );
};

/** What all records of the list add up to, as the figure that led here. */
const Sum = ({ query: { sum } }: { query: Query }) => {
  const { body, error } = useAnswer<SumReport>(reportPath(sum.report, sum.query), ["data", "totais"]);
  if (body === undefined) return error ? null : <span aria-busy="true"> · …</span>;
  const value = sum.in(body);
  return typeof value === "number" ? <span> · {money(value)}</span> : null;
};

const RecordsOf = ({ list }: { list: List }) => {
  const panel = usePanel();
  const { place } = panel;
  const query = queryOf(list, panel);
  const title = LIST_TITLES[list.name];
  const payments = usePaymentsOf(isOfResult(list) ? "" : list.unit);
  const instead = query.resource === "pagamentos-erp" ? payments.instead : undefined;
  const answer = useAnswer<Page>(instead ? undefined : pagePath(query, list.page), FIELDS);
  return (
    <section class="card records" aria-labelledby="records-title">
      <Link to={placeSearch(place.view, place.tab, place.part)} scroll="back" class="back">
        <Icon name="voltar" />
        Voltar
      </Link>
      <div class="titled">
        <h2 id="records-title">{title}</h2>
        {instead === undefined && (
          <div class="actions">
            <FileButtons
              label={title}
              load={(signal, onCount) => loadSheet(query, panel, { signal, onCount })}
            />
          </div>
        )}
      </div>
      <p class="more">
        {query.subtitle}
        {instead === undefined && <Sum query={query} />}
      </p>
      {instead ?? (
        <Answered answer={answer}>
          {({ data, pagination }) => (
            <div>
              <DataTable
                caption={title}
                columns={query.columns}
                rows={data}
                keyOf={(row) => String(data.indexOf(row))}
                empty="Nenhum registro."
              />
              <Pager list={list} pagination={pagination} />
            </div>
          )}
        </Answered>
      )}
    </section>
  );
};

/** The list in place of a tab. */
export const Records = () => {
  const { list } = usePanel();
  return list ? <RecordsOf list={list} /> : null;
};
