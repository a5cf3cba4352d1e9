import { type ClosedMonth, changedUnits, revenueIn, useClosing } from "../closings.ts";
import { useAnswer, usePanel } from "../context.ts";
import { counted, date, money, signedMoney } from "../format.ts";
import { isInvalid } from "../jobs.ts";
import { placeSearch } from "../place.ts";
import { dayOf, type View } from "../view.ts";
import { Link } from "./links.tsx";
import { Loading } from "./states.tsx";

interface Change {
  /** Null for one that was removed. */
  registro: { salon_id: string; estabelecimento_id: string; data_hora: string; total: string } | null;
}

type Gender = "o" | "a";
const NOUNS: Record<ClosedMonth["alteracoes"][number]["lista"], [one: string, many: string, Gender]> = {
  transacoes: ["atendimento", "atendimentos", "o"],
  "vendas-produto": ["linha de venda", "linhas de venda", "a"],
  lancamentos: ["lançamento", "lançamentos", "o"],
  "pagamentos-erp": ["conta", "contas", "a"],
};

/** What was written since, in one sentence a list. */
const Counts = ({ alteracoes }: ClosedMonth) => (
  <ul class="more">
    {alteracoes.flatMap(({ lista, gravados, removidos }) => {
      const [one, many, end] = NOUNS[lista];
      if (gravados === null)
        return [<li key={lista}>{`Não se sabe mais quais ${many} foram gravad${end}s.`}</li>];
      if (gravados + (removidos ?? 0) === 0) return [];
      const removed = removidos
        ? `; de qualquer mês, ${counted(removidos, `removid${end}`, `removid${end}s`)}`
        : "";
      return [
        <li key={lista}>{`Gravad${end}s depois: ${counted(gravados, one, many)} deste mês${removed}.`}</li>,
      ];
    })}
  </ul>
);

/** The visits of the month that were written since, from the first page of the feed. */
const Visits = ({ body, view }: { body: ClosedMonth; view: View }) => {
  const { unitName } = usePanel();
  const since = body.alteracoes.find(({ lista }) => lista === "transacoes")?.desde;
  const path = since && `${since}&per_page=200&campos=salon_id,estabelecimento_id,data_hora,total`;
  const { body: page } = useAnswer<{ data: Change[]; pagination: { has_more: boolean } }>(path ?? undefined, [
    "data",
  ]);
  const visits = (page?.data ?? []).flatMap(({ registro }) =>
    registro &&
    !isInvalid(registro.data_hora) &&
    dayOf(Date.parse(registro.data_hora)).startsWith(body.mes) &&
    (view.unit === "" || view.unit === registro.estabelecimento_id)
      ? [registro]
      : [],
  );
  if (path && page === undefined) return <Loading />;
  return visits.length === 0 && !page?.pagination.has_more ? null : (
    <>
      <h3>Atendimentos gravados depois do fechamento</h3>
      <ul class="changed">
        {visits.map(({ salon_id, estabelecimento_id, data_hora, total }) => (
          <li key={salon_id}>
            <span>{`${date(data_hora)} · ${unitName(estabelecimento_id)}`}</span>
            <span class="value">{money(Number(total))}</span>
          </li>
        ))}
      </ul>
      {page?.pagination.has_more && (
        <p class="more">Há mais alterações: estes são os atendimentos entre as primeiras 200.</p>
      )}
    </>
  );
};

/** What changed in a closed month: revenue as signed and now, by unit, and the records behind it. */
export const ClosingChanges = () => {
  const { place, unitName } = usePanel();
  const { view } = place;
  const closing = useClosing(view);
  if (closing === undefined || closing === "loading") return <Loading />;
  const { body } = closing;
  const { assinado, atual } = revenueIn(body, view);
  return (
    <div class="closing-changes">
      <p>{`No fechamento, ${money(assinado.faturamento)}. Agora, ${money(atual.faturamento)}.`}</p>
      <ul class="changed">
        {changedUnits(body, view).map(({ estabelecimento_id: id, diferenca }) => (
          <li key={id}>
            {view.unit === id ? (
              unitName(id)
            ) : (
              <Link to={placeSearch({ ...view, unit: id }, "unidades")}>{unitName(id)}</Link>
            )}
            <span class="value">{signedMoney(diferenca.faturamento)}</span>
          </li>
        ))}
      </ul>
      {view.unit === "" && <Counts {...body} />}
      <Visits body={body} view={view} />
    </div>
  );
};
