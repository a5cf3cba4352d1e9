import { Segmented } from "../../components/segmented.tsx";
import { usePanel } from "../../context.ts";
import { placeSearch } from "../../place.ts";
import { Comissoes } from "./comissoes.tsx";
import { Contas } from "./contas.tsx";
import { Envio } from "./envio.tsx";
import { Taxas } from "./taxas.tsx";

const PARTS = [
  { part: "contas", label: "Contas", Content: Contas },
  { part: "taxas", label: "Taxas", Content: Taxas },
  { part: "envio", label: "Envio", Content: Envio },
  { part: "comissoes", label: "Comissões", Content: Comissoes },
] as const;

/** What is to be paid, what cards cost, what is not in the ERP, and commissions. */
export const Financeiro = () => {
  const { view, part } = usePanel().place;
  const { part: current, Content } = PARTS.find((known) => known.part === part) ?? PARTS[0];
  return (
    <div class="parts">
      <Segmented
        label="Partes de Financeiro"
        options={PARTS.map((each) => ({
          label: each.label,
          to: placeSearch(view, "financeiro", each === PARTS[0] ? "" : each.part),
          isCurrent: each.part === current,
        }))}
      />
      <Content />
    </div>
  );
};
