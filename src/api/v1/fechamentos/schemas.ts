import { z } from "@hono/zod-openapi";
import { Refusal } from "../../../core/errors.ts";
import { type InstantRange, monthRange } from "../../../core/periods.ts";
import { pageOf, pageParams } from "../../../platform/http/page-schemas.ts";
import { fieldsParam, querySchema } from "../../../platform/http/params.ts";
import { instant, int, record, string } from "../fields.ts";
import { amount, count } from "../relatorios/fields.ts";
import { PAYMENT_FIGURES, UNIT_FIGURES } from "./figures.ts";
import { TIPOS } from "./table.ts";

const UNLESS_ALL_RIGHTS = "`null` unless you may read everything";

const mes = () => string("2026-10", "The month, `AAAA-MM`");
const versao = () => int(1, "1 for the first closing of the month, one more for each row after it");
const usuario = () =>
  string("ana", `The operating-system user who ran the command; ${UNLESS_ALL_RIGHTS}`).nullable();
const nota = () => string("Enviado ao contador", `The note of the closing; ${UNLESS_ALL_RIGHTS}`).nullable();
const HASH = "1f3870be274f6c49b3e31a0c6728957f1f3870be274f6c49b3e31a0c6728957f";
const hash = () =>
  string(
    HASH,
    `SHA-256 of month, time, figures, markers and \`hash_anterior\`; ${UNLESS_ALL_RIGHTS}`,
  ).nullable();
const hashAnterior = () =>
  string(
    HASH,
    "`hash` of the row before this one, of any month; `null` for the first one, and unless you may read everything",
  ).nullable();

const signature = {
  registrado_em: instant(),
  versao_servico: string("1.0.0+9f3c2ab", "The version that the figures were calculated with"),
  usuario: usuario(),
  nota: nota(),
  hash: hash(),
  hash_anterior: hashAnterior(),
};

export const Fechamento = record("Fechamento", {
  id: int(1),
  mes: mes(),
  versao: versao(),
  tipo: z.enum(TIPOS).openapi({
    description: "`fechamento`: the month was closed; `reabertura`: its closing no longer counts",
    example: "fechamento",
  }),
  ...signature,
});

export const FechamentoPage = pageOf(Fechamento).openapi("FechamentoPage");

export const ListFechamentos = querySchema({ ...pageParams, ...fieldsParam(Fechamento) });

const DESCRIPTIONS: Record<(typeof UNIT_FIGURES)[number] | (typeof PAYMENT_FIGURES)[number], string> = {
  faturamento: "Revenue, as `valor_total` of the report `faturamento`",
  visitas: "Number of visits",
  valor_servicos: "Revenue without products",
  valor_produtos: "Products sold",
  lancamentos: "Number of ledger entries due in the month",
  valor_lancamentos: "Sum of these entries",
  pagamentos: "Number of payments due in the month",
  valor: "Sum of these payments",
};

const isCount = (name: string) => ["visitas", "lancamentos", "pagamentos"].includes(name);

const figuresOf = <Name extends keyof typeof DESCRIPTIONS>(component: string, names: readonly Name[]) => {
  const fields = names.map((name) => [
    name,
    isCount(name) ? count(DESCRIPTIONS[name], 210) : amount(`${DESCRIPTIONS[name]}, in reais`, 12340.5),
  ]);
  return record(component, Object.fromEntries(fields) as Record<Name, z.ZodNumber>);
};

/** The signed figures, the present ones, and what changed. */
const threefold = <Figures extends z.ZodType>(figures: Figures) => ({
  assinado: figures,
  atual: figures,
  diferenca: figures,
});

const UnitFigures = figuresOf("ValoresDaUnidade", UNIT_FIGURES);
const PaymentFigures = figuresOf("ValoresDePagamentos", PAYMENT_FIGURES);

/** What was written in a list since the closing. */
const FeedChanges = record("AlteracoesDesdeFechamento", {
  lista: z.enum(["transacoes", "vendas-produto", "lancamentos", "pagamentos-erp"]).openapi({
    description: "The list that changed",
    example: "transacoes",
  }),
  desde: string(
    "/v1/alteracoes/transacoes?after=transacoes.5f3a9c0d1e2b.1250.1250",
    "URL of the changes since the closing. `null`, like both numbers, if they can no longer be known: the change " +
      "feed started over, or old removals were deleted from it",
  ).nullable(),
  gravados: count(
    "Number of records that are now of this month and were inserted or updated since. One that left the month is " +
      "not counted: `diferenca` shows it",
    3,
  ).nullable(),
  removidos: count(
    "Number of records of any month that were removed since, also those inserted since; `null` for readers of some " +
      "units",
    0,
  ).nullable(),
});

export const FechamentoDoMes = record("FechamentoDoMes", {
  mes: mes(),
  versao: versao(),
  reaberto: z.boolean().openapi({
    description: "Whether the month was reopened since this closing, so that the closing no longer counts",
    example: false,
  }),
  ...signature,
  totais: z
    .object(threefold(UnitFigures))
    .openapi({ description: "Sums of `unidades`. `diferenca` is `atual` less `assinado`" }),
  unidades: z.array(
    record("UnidadeFechada", {
      estabelecimento_id: string("101", "`salon_id` of the business unit"),
      unidade_nome: string("Salão Jardins", "`null` if it is not registered").nullable(),
      ...threefold(UnitFigures),
    }),
  ),
  pagamentos: z
    .array(
      record("PagamentosFechados", {
        nome_conta_classificacao: string(
          "Aluguel",
          "Account classification; `null` for payments without one",
        ).nullable(),
        situacao: int(1, "1 = pending, 2 = paid"),
        ...threefold(PaymentFigures),
      }),
    )
    .nullable()
    .openapi({
      description: "Payments of the whole chain by account and status; `null` without the right to payments",
    }),
  alteracoes: z.array(FeedChanges).openapi({
    description: "What was written since the closing; without `pagamentos-erp` if you may not read payments",
  }),
});

export type FechamentoDoMes = z.output<typeof FechamentoDoMes>;

/** A month and its two ends. */
export type MonthQuery = InstantRange & { mes: string };

/** The path parameter `{mes}`. Text that names no month is a 404, like a month that was never closed (I2). */
export const monthPath = z.object({
  mes: z
    .string()
    .transform((mes): MonthQuery => {
      const range = monthRange(mes);
      if (range === undefined) throw notClosed(mes);
      return { mes, ...range };
    })
    .openapi({
      param: { name: "mes", in: "path" },
      type: "string",
      description: "A closed month, `AAAA-MM`.",
      example: "2026-10",
    }),
});

export const notClosed = (mes: string) =>
  new Refusal(
    404,
    `The month ${JSON.stringify(mes.slice(0, 64))} was never closed. Send one that the list of closings has.`,
  );
