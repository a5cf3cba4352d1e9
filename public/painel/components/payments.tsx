import type { VNode } from "preact";
import { usePanel } from "../context.ts";
import { costCentreOf } from "../units.ts";
import { EmptyState, Loading } from "./states.tsx";

interface Payments {
  /** The cost centre of the unit; undefined for all. */
  costCentre?: string | undefined;
  /** What is shown in place of the payments. */
  instead?: VNode;
}

/** Whose payments are shown for a unit: those of its cost centre. */
export const usePaymentsOf = (unit: string): Payments => {
  const { rights, units, unitName } = usePanel();
  if (!rights.payments)
    return {
      instead: (
        <EmptyState title="Você não tem acesso aos pagamentos.">
          <p class="more">Quem administra os usuários do painel pode dar esse acesso.</p>
        </EmptyState>
      ),
    };
  if (unit && units === undefined) return { instead: <Loading /> };
  const costCentre = costCentreOf(units ?? [], unit);
  if (costCentre !== null) return { costCentre };
  return {
    instead: (
      <EmptyState title={`${unitName(unit)} não tem pagamentos próprios.`}>
        <p class="more">
          Esta unidade não tem centro de custo no ERP. Escolha todas as unidades para ver os pagamentos da
          rede.
        </p>
      </EmptyState>
    ),
  };
};
