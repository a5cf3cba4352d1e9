/**
 * One short text for an argument in all its tools, or in the one before the dot: the error to a wrong call
 * explains the rest (M6). Other arguments have the text of their route.
 */
export const ARGUMENT_TEXTS: Record<string, string> = {
  after_id: "Cursor: records with a greater `id`, ascending. Start with 0, then send `next_after_id`.",
  ativo: "Active, or not.",
  campos: "Fields, comma-separated.",
  cliente_id: "Only this client.",
  cliente_salon_id: "Only this client.",
  comparar: "Adds this range as `anterior`.",
  data: "The date of the range. It may lie ahead.",
  data_fim: "End, inclusive.",
  data_inicio: "Start: ISO 8601 with offset.",
  dia_semana: "Weekday: 1 is Monday.",
  estabelecimento_id: "A unit's `salon_id`.",
  forma_pagamento: "Exact payment method.",
  granularidade: "Length of a period.",
  hora_max: "Last hour.",
  hora_min: "First hour (0 to 23).",
  id_centro_custo: "Cost centre: of a unit, its `erp_centro_custo_id`.",
  job_name: "Only this job.",
  "listPagamentosErp.ordem": "Default: highest `id`. `vencimento`: earliest due date; not with `after_id`.",
  limite: "Maximum rows. Default: 100.",
  nome: "Part of the name, with its accents.",
  nome_conta_classificacao: "Exact account, as `pagamentos` with `por=conta` names it.",
  ordem: "A column, or `variacao`. Descending: `-` before it.",
  origem: "Salons or stores.",
  page: "Page number.",
  parcelas_min: "At least this many instalments.",
  per_page: "Records per page.",
  periodo: "Days in Brasília: hoje, semana, mes-passado, 30-dias, 2026, 2026-11, 2026-T4, 2026-S48.",
  pessoa: "Exact `Pessoa`.",
  produto_id: "Only this product.",
  profissional_salon_id: "Only this professional.",
  salon_id: "Only this `salon_id`.",
  sem_visita_desde: "Only clients without a visit since: ISO 8601 with offset.",
  sent_to_erp: "Sent to the ERP, or not yet.",
  sent_to_salon: "Sent to the salon system, or not yet.",
  servico: "Exact name.",
  situacao: "Pending (1) or paid (2).",
  status: "To count runs, count `completed` or `failed`.",
  "transacoesPorProfissional.limite": "Maximum rows.",
  valor_min: "At least this `valor`.",
  visitas_min: "Only rows with at least this many visits.",
};

/** Descriptions that are shorter than those of the routes, by tool (M6). */
export const TOOL_TEXTS: Record<string, string> = {
  listTransacoes:
    "Salon visits with their payments, latest `data_hora` first. Stores have no visits. For counts and " +
    "sums, use `visitas`. `Descontar do Profissional`: a professional took products, no sale to a " +
    "customer.",
  listLancamentos:
    "Commissions and debits registered in the salon system, by `synced_at`, each from an ERP payment. " +
    "Person and amount are in `raw_data`, which is long. Unsent entries have no `sent_at`. Highest `id` " +
    "first; with `after_id`, lowest first.",
  listPagamentosErp:
    "Payments of the ERP, paid and pending. For sums, use `pagamentos`. For overdue ones, send " +
    "`situacao=1`, yesterday as `data_fim` and `ordem=vencimento`. Highest `id` first; with `after_id`, " +
    "lowest first.",
  listProfissionais:
    "Professionals with their home units and their cost centres in the ERP, by name. For their visits, " +
    "use `transacoesPorProfissional`.",
  listEstabelecimentos:
    "Units that you may read, by name: salons, stores, and the office, which has no `salon_id`, visits or " +
    "sales. Elsewhere `estabelecimento_id` is a unit's `salon_id`, and `id_centro_custo` its " +
    "`erp_centro_custo_id`.",
  listProdutos:
    "Product catalogue of each salon and store that you may read, by name. It is synchronised on Sundays. " +
    "For sales, use `vendas`.",
  listVendasProduto:
    "Product sales lines of salons and stores, latest `data_hora` first. Days without sales are normal. A " +
    "range omits lines without `data_hora`. For sums, use `vendas`.",
  listJobsLog:
    "History of the jobs that load the data, latest first. A run has a row for its start and one for its " +
    "end. For the freshness of the data, use `frescor`.",
  resumo:
    "Totals of the units that you may read: visits; ledger entries by `synced_at`; and the jobs of the " +
    "last 24 hours, to which no filter applies. For revenue, use `faturamento`.",
  transacoesPorProfissional:
    "One row per professional and unit, highest `valor_total` first. A visit of two professionals counts " +
    "in full for each: never add up rows of different professionals. For what each one did, use " +
    "`servicos`.",
  transacoesPorFormaPagamento:
    "One row per payment method with its card fee, highest `valor_total` first. `null`: no payment " +
    "method.",
  naoMapeados:
    "Professionals in visits who have no cost centre in the ERP (a visit of two counts for each), and the " +
    "active units without one, to which no filter applies.",
  faturamento:
    "Revenue (Faturamento) is what customers paid: visits to salons without what professionals took, and " +
    "product sales of stores. `valor_total` is `valor_servicos` + `valor_produtos`. `ticket_medio` is of " +
    "salons. `meta` (goal of whole months) and `valor_com_meta` (what counts towards it) need `por` of " +
    "`mes` or `ano`, alone or with `unidade`. Rows add up, except averages.",
  visitas:
    "Visits to salons, each with its services and products. `valor_total` includes what professionals " +
    "took; for revenue, use `faturamento`. Instalments count in full on the day of the visit. `taxas` are " +
    "card fees in reais. `clientes_novos` came for the first time ever; `primeira_visita` is the first in " +
    "the range. Rows add up, except averages and `clientes`.",
  servicos:
    "Services done in visits. Each counts once, for the professional who did it: rows add up, except " +
    "`visitas`. Visits include their services: do not add both.",
  vendas:
    "Product lines of salons and stores. `quantidade` and `valor_total` are sales to customers; what " +
    "professionals took has measures of its own. Visits include salon lines: do not add both. Rows add " +
    "up, except `transacoes`. Products without sales have no row: compare with `listProdutos`.",
  lancamentos:
    "Ledger entries: commissions and debits, by `ValorBruto`. They are costs, no part of revenue. " +
    "`pendentes` are not sent to the salon system; what is not paid yet is in `pagamentos`. Rows add up.",
  pagamentos:
    "Payments in the ERP, paid or pending: what the chain pays. Rows add up. Overdue is pending and due " +
    "before today. There is no unit: see the cost centre.",
  frescor:
    "When each job last succeeded and failed, when each catalogue was synced, how far the data reaches, " +
    "the time and today's date in Brasília, and what this token may read (`direitos`).",
};
