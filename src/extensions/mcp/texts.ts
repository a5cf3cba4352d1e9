/**
 * One short text for an argument in all its tools, or in the one before the dot: the error to a wrong call
 * explains the rest (M6). Other arguments have the text of their route. One sentence has no full stop.
 */
export const ARGUMENT_TEXTS: Record<string, string> = {
  after_id: "Cursor: 0, then `next_after_id`",
  ativo: "Active, or not",
  campos: "Only these fields",
  cliente_id: "Only this client",
  cliente_salon_id: "Only this client",
  "clientes.novos": "First visit in the range",
  "clientes.valor_min": "Spent at least this",
  comparar: "Adds a past range",
  da_unidade: "Of a unit in `resultado`",
  data: "Date of the range",
  data_fim: "Inclusive",
  data_inicio: "ISO 8601 with offset",
  dia_semana: "1: Monday",
  estabelecimento_id: "Unit's `salon_id`",
  explicar: "Explains the figures",
  "findLancamento.id": "Its `salon_id`",
  "findPagamentoErp.id": "Its `erp_id`",
  "fechamento.mes": "A month: 2026-10",
  "findTransacao.id": "Its `salon_id`",
  forma_pagamento: "Exact payment method",
  granularidade: "Length of a period",
  hora_max: "Last hour",
  hora_min: "First hour",
  id_centro_custo: "A cost centre's id",
  job_name: "Only this job",
  limite: "Maximum rows (100)",
  "listPagamentosErp.ordem": "`vencimento`: earliest due first",
  meses_min: "Visits in at least this many months",
  nome: "Part of the name, with its accents",
  nome_conta_classificacao: "Exact account name",
  novos: "Only first visits",
  ordem: "Column or `variacao`; `-`: descending",
  origem: "Salons or stores",
  page: "Page number",
  parcelas_min: "At least this many instalments",
  per_page: "Page size",
  periodo: "hoje, mes-passado, 30-dias, 2026-11, 2026-T4",
  pessoa: "Exact `Pessoa`",
  produto_id: "Only this product",
  profissional_salon_id: "Only this professional",
  retorno_dias: "Days to come back in, for `retorno` (60)",
  salon_id: "Only this `salon_id`",
  sem_visita_desde: "No visit since then",
  sent_to_erp: "Sent to the ERP",
  sent_to_salon: "Sent to the salon system",
  sem_unidade: "Of no unit",
  servico: "Exact name",
  situacao: "Pending (1) or paid (2)",
  so_produtos: "Bought products, had no service",
  status: "To count runs, count `completed` or `failed`",
  "transacoesPorProfissional.limite": "Maximum rows",
  valor_min: "At least this `valor`",
  visitas_max: "At most this many visits",
  visitas_min: "At least this many visits",
};

/** Descriptions that are shorter than those of the routes, by tool (M6). */
export const TOOL_TEXTS: Record<string, string> = {
  listTransacoes:
    "Salon visits, latest `data_hora` first. For counts and sums, use `visitas`. `Descontar do " +
    "Profissional`: a professional took products, no sale.",
  listLancamentos:
    "Commissions and debits, each from an ERP payment, by `synced_at`. Person and amount are in " +
    "`raw_data`. Highest `id` first.",
  listPagamentosErp:
    "ERP payments, paid and pending. For sums, use `pagamentos`. Overdue: `situacao=1`, yesterday as " +
    "`data_fim`, `ordem=vencimento`. Highest `id` first.",
  listProfissionais: "Professionals by name, with home units and ERP cost centres.",
  listEstabelecimentos:
    "Your units: salons, stores, and the office, which has no `salon_id`. `salon_id` is " +
    "`estabelecimento_id` elsewhere, `erp_centro_custo_id` is `id_centro_custo`.",
  listProdutos: "Products by name, synchronised on Sundays. For sales, use `vendas`.",
  listVendasProduto: "Product sales lines, latest `data_hora` first. For sums, use `vendas`.",
  listJobsLog: "Runs of the loading jobs, latest first: a row for the start, one for the end.",
  resumo:
    "Totals of visits; of ledger entries by `synced_at`; and, without filters, of jobs of the last 24 hours.",
  transacoesPorProfissional:
    "Visits by professional and unit, in full for each of its professionals; for what each did, use `servicos`. " +
    "Never add up professionals.",
  transacoesPorFormaPagamento:
    "Visits by payment method (`null`: none), with its card fee, highest `valor_total` first.",
  naoMapeados:
    "Professionals in visits, and active units regardless of filters, without a cost centre in the ERP.",
  faturamento:
    "Revenue (Faturamento) is what customers paid: visits to salons without what professionals took, and " +
    "sales of stores. `ticket_medio` is of salons. `meta` (goal of whole months) and `valor_com_meta` " +
    "(what counts towards it) need `por` of `mes` or `ano`, alone or with `unidade`. Rows add up, except " +
    "averages.",
  visitas:
    "Visits to salons, with services, products and what professionals took; for revenue, use " +
    "`faturamento`. `taxas` are card fees in reais. `clientes_novos` came for the first time ever. " +
    "`decididas`: visits whose `retorno_dias` are over; `voltaram`: those of them after which the client " +
    "came again in time; `retorno`: their share. Rows add up, except averages and `clientes`.",
  clientes:
    "Clients with visits in the range, and these visits, without visits that name no client. `unidade` is " +
    "that of the newest of them, `coorte` the month of the first visit ever. Rows add up, except " +
    "averages and dates. Lost regulars: `meses_min` with `sem_visita_desde`.",
  servicos:
    "Services done in visits, each once, for the professional who did it. Rows add up, except visits and " +
    "clients. For `retorno`, see `visitas`, which includes services: do not add both.",
  vendas:
    "Product lines of salons and stores: sales to customers, and apart, what professionals took. Visits " +
    "include salon lines: do not add both. Rows add up, except counts of transactions.",
  lancamentos:
    "Entries: only commissions and debits; for all that the chain pays, use `pagamentos`. `pendentes` " +
    "are not sent to the salon system. Rows add up.",
  pagamentos:
    "ERP payments: all that the chain pays. Rows add up. Overdue is pending and due before today. By " +
    "unit: see `resultado`.",
  resultado:
    "What is left: `faturamento` less `despesas`, ERP payments by the unit of their cost centre. A unit " +
    "to which no cost centre leads has `null`; payments of no unit have a row without one. Ledger " +
    "entries are part of them. Rows add up, except `margem` and `null`. `comparar` needs a range that is over.",
  frescor:
    "When each job last succeeded or failed, how far the data reaches, today in Brasília, and what you " +
    "may read (`direitos`).",
  findLancamento: "One ledger entry. Its `id` is not its `salon_id`.",
  findTransacao: "One visit, with its `raw_data`.",
  findPagamentoErp: "One ERP payment.",
  findProfissional: "One professional.",
  findEstabelecimento: "One unit.",
  painel:
    "The panel at once: revenue, goals, visits, clients, unsent, payments due, the ten best professionals. " +
    "Each part is a report, or `null` if refused.",
  fechamentos: "Each time that a month was closed, which signs its figures, or reopened, newest first.",
  fechamento:
    "A closed month: what its newest closing signed, what it is now, and `diferenca`: revenue and entries by " +
    "unit, payments by account. `alteracoes`: records written or removed since.",
};
