import { one, pageOrCursor } from "../../db/bodies.ts";
import { selectionOf } from "../../db/selection.ts";
import { Lancamento, type LancamentoPage, type ListLancamentos } from "./schemas.ts";
import { lancamentosRollup, lancamentos as t } from "./table.ts";

export const lancamento = selectionOf(t, Lancamento, {});

/** The range is over `synced_at` (L2). */
export const listLancamentos = pageOrCursor<typeof ListLancamentos, typeof LancamentoPage>(
  lancamento,
  ({ estabelecimento_id, sent_to_salon, ...range }) => ({
    rollup: lancamentosRollup,
    filters: { estabelecimento_id, sent_to_salon },
    range,
  }),
);

export const findLancamento = one(lancamento, t.salon_id);
