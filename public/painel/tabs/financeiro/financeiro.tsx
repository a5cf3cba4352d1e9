import type { Rights } from "../../../tokens.ts";
import { Segmented } from "../../components/segmented.tsx";
import { usePanel } from "../../context.ts";
import { placeSearch } from "../../place.ts";
import { Contas } from "./contas.tsx";
import { Envio } from "./envio.tsx";
import { Pessoas } from "./pessoas.tsx";
import { Resultado } from "./resultado.tsx";
import { Taxas } from "./taxas.tsx";

const everyone = () => true;
const ofPayments = ({ payments }: Rights) => payments;
const PARTS = [
  { part: "resultado", label: "Resultado", Content: Resultado, isFor: ofPayments },
  { part: "contas", label: "Contas", Content: Contas, isFor: ofPayments },
  { part: "taxas", label: "Taxas", Content: Taxas, isFor: everyone },
  { part: "envio", label: "Envio", Content: Envio, isFor: everyone },
  {
    part: "pessoas",
    label: "Pessoas",
    Content: Pessoas,
    isFor: ({ personalData }: Rights) => personalData,
  },
];

/** What is left, what is to be paid, what cards cost, what is not in the ERP, and the ledger by person. */
export const Financeiro = () => {
  const { place, rights } = usePanel();
  const { view, part } = place;
  // A part that the user may not read is not offered. Its address says so.
  const own = PARTS.filter(({ isFor }) => isFor(rights));
  const [first] = own;
  const { part: current, Content } = PARTS.find((known) => known.part === part) ?? first ?? {};
  return (
    <div class="parts">
      <Segmented
        label="Partes de Financeiro"
        options={own.map((each) => ({
          label: each.label,
          to: placeSearch(view, "financeiro", each === first ? "" : each.part),
          isCurrent: each.part === current,
        }))}
      />
      {Content && <Content />}
    </div>
  );
};
