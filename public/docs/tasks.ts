// The questions on the first page, each with the request that answers it. Tests send every one to the service.

export type Field = {
  name: string;
  /** Empty: the parameter is not sent. */
  value: string;
  /** What this value says, in English: names and values are Portuguese. */
  meaning: string;
};
export type Task = {
  title: string;
  path: string;
  fields: Field[];
  /** The right without which the request is refused. */
  needs?: "payments" | "personalData";
};

const field = (name: string, value: string, meaning: string): Field => ({ name, value, meaning });
const thisMonth = field("periodo", "mes", "This month, until today");
const thirtyDays = field("periodo", "30-dias", "Thirty days, with today");
const byUnit = field("por", "unidade", "One row for each unit");
const byMonth = field("por", "mes", "One row for each month");
const highestFirst = field("ordem", "-valor_total", "Highest amount first");

export const TASKS: Task[] = [
  {
    title: "Revenue by unit this month, against the same days of last month",
    path: "/v1/relatorios/faturamento",
    fields: [
      byUnit,
      field("medidas", "valor_total,visitas", "The columns: revenue, visits"),
      thisMonth,
      field("comparar", "mes-anterior", "The same days of last month, in every row"),
    ],
  },
  {
    title: "Revenue per day, against last year",
    path: "/v1/relatorios/faturamento",
    fields: [
      field("por", "dia", "One row for each day"),
      field("medidas", "valor_total", "The column: revenue"),
      thisMonth,
      field("comparar", "ano-anterior", "The same days of last year, in every row"),
    ],
  },
  {
    title: "What is overdue, and what is due soon",
    path: "/v1/relatorios/pagamentos",
    fields: [
      field("por", "faixa", "One row for each time of payment; vencida is overdue"),
      field("medidas", "pagamentos,valor_total", "The columns: number of bills, amount"),
      field("situacao", "1", "Only bills that are not paid"),
    ],
    needs: "payments",
  },
  {
    title: "The ten professionals who produced most",
    path: "/v1/relatorios/servicos",
    fields: [
      field("por", "profissional", "One row for each professional; null: services that name none"),
      field("medidas", "valor_total,servicos", "The columns: amount, number of services"),
      thirtyDays,
      highestFirst,
      field("limite", "10", "At most ten rows; linhas counts all"),
    ],
  },
  {
    title: "What the ERP has not received",
    path: "/v1/relatorios/visitas",
    fields: [
      byUnit,
      field("medidas", "pendentes,valor_pendente", "The columns: visits that were not sent, their amount"),
      field("ordem", "-valor_pendente", "Highest amount first"),
    ],
  },
  {
    title: "New clients by month",
    path: "/v1/relatorios/visitas",
    fields: [
      byMonth,
      field("medidas", "clientes_novos,clientes", "The columns: first visits of a client, all clients"),
      field("periodo", "ano", "This year, until today"),
    ],
    needs: "personalData",
  },
  {
    title: "What is left by unit, last month",
    path: "/v1/relatorios/resultado",
    fields: [
      byUnit,
      field(
        "medidas",
        "faturamento,despesas,resultado,margem",
        "The columns: revenue, bills, what is left, its share",
      ),
      field("periodo", "mes-passado", "Last month"),
    ],
    needs: "payments",
  },
  {
    title: "Sales by product",
    path: "/v1/relatorios/vendas",
    fields: [
      field("por", "produto", "One row for each product"),
      field("medidas", "valor_total,quantidade", "The columns: amount, units sold to customers"),
      thirtyDays,
      highestFirst,
      field("limite", "10", "At most ten rows; linhas counts all"),
    ],
  },
  {
    title: "All visits of yesterday, as CSV",
    path: "/v1/transacoes",
    fields: [
      field("tudo", "true", "The whole list in one answer, not a page"),
      field("periodo", "ontem", "Yesterday"),
      field("formato", "csv", "CSV. Without it: a JSON object on each line"),
    ],
  },
  {
    title: "What has changed since my last copy",
    path: "/v1/alteracoes/transacoes",
    fields: [
      field("per_page", "20", "Records on a page"),
      field("after", "", "The next_after of your last page. Empty: from the beginning"),
    ],
  },
];

/** The tasks that a reader may run (A11). */
export const tasksFor = (rights: Partial<Record<"payments" | "personalData", boolean>> | undefined): Task[] =>
  TASKS.filter(({ needs }) => needs === undefined || rights?.[needs] === true);

/** The request: its path, and the parameters that have a value. Commas stay readable. */
export const requestOf = (path: string, fields: Pick<Field, "name" | "value">[]): string => {
  const query = fields
    .filter(({ value }) => value !== "")
    .map(({ name, value }) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`);
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
};
