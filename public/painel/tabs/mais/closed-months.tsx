import { type Closing, changeText, useClosedMonth, useClosings } from "../../closings.ts";
import { Answered, Card } from "../../components/card.tsx";
import { Link } from "../../components/links.tsx";
import { usePanel } from "../../context.ts";
import { date, monthName, signedMoney } from "../../format.ts";
import { placeSearch } from "../../place.ts";
import { lastOfMonth, type View } from "../../view.ts";

/** Each closed month is a request: the older ones show their change on their own page. */
const SHOWN = 3;
/** Shown until the answer arrives. */
const PENDING = "…";

/** The newest row of each month: a later one replaces it. */
const newestOf = (closings: readonly Closing[]): Closing[] => {
  const months = new Map<string, Closing>();
  for (const closing of closings) if (!months.has(closing.mes)) months.set(closing.mes, closing);
  return [...months.values()].toSorted((a, b) => (a.mes < b.mes ? 1 : -1));
};

/** What the revenue changed by since; of older months, where to see it. */
const useChange = ({ mes, tipo }: Closing, view: View, isAsked: boolean): string => {
  const isClosed = tipo === "fechamento";
  const { body, error } = useClosedMonth(isAsked && isClosed ? mes : undefined);
  if (!isClosed) return "";
  if (!isAsked) return "ver";
  if (body === undefined) return error ? "—" : PENDING;
  return changeText(body, view, signedMoney) ?? "sem mudança";
};

const Month = ({ closing, view, isAsked }: { closing: Closing; view: View; isAsked: boolean }) => {
  const { mes, tipo, registrado_em } = closing;
  const change = useChange(closing, view, isAsked);
  const from = `${mes}-01`;
  const month = { ...view, period: "datas" as const, from, to: lastOfMonth(from) };
  return (
    <li>
      <span class="what">
        <Link to={placeSearch(month, "unidades")} class="name">
          {monthName(from, view.clock.today)}
        </Link>
        <span class="more">
          {tipo === "fechamento" ? "Fechado" : "Reaberto"} em {date(registrado_em)}
        </span>
      </span>
      <span class="value" aria-busy={change === PENDING}>
        {change}
      </span>
    </li>
  );
};

/** Which months are closed, and what each changed by since (F2). */
export const ClosedMonths = () => {
  const { view } = usePanel().place;
  return (
    <Card title="Meses fechados" actions={<span class="more">mudança do faturamento desde então</span>}>
      <Answered answer={useClosings()}>
        {({ data }) => {
          const months = newestOf(data);
          return months.length === 0 ? (
            <p class="nothing">Nenhum mês foi fechado.</p>
          ) : (
            <ul class="plain returns">
              {months.map((closing, index) => (
                <Month key={closing.mes} closing={closing} view={view} isAsked={index < SHOWN} />
              ))}
            </ul>
          );
        }}
      </Answered>
    </Card>
  );
};
