import { useState } from "preact/hooks";
import { usePanel } from "../context.ts";
import { followsPeriod } from "../links.ts";
import { navigate } from "../navigation.ts";
import { withView } from "../place.ts";
import { type Period, readView, searchOf, type View } from "../view.ts";
import { Link } from "./links.tsx";
import { Sheet } from "./sheet.tsx";

type Named = { period: Period; label: string };

const SHORT: readonly Named[] = [
  { period: "hoje", label: "Hoje" },
  { period: "7-dias", label: "7 dias" },
  { period: "mes", label: "Mês" },
  { period: "ano", label: "Ano" },
];

const CHIPS: readonly Named[] = [
  { period: "ontem", label: "Ontem" },
  { period: "semana-passada", label: "Semana passada" },
  { period: "30-dias", label: "30 dias" },
];

const messageOf = (from: string, to: string) => {
  if (!from || !to) return "Informe a data inicial e a final.";
  if (from > to) return "A data inicial não pode ser depois da final.";
  return "Use datas entre 2000 e 2089.";
};

interface DayInputProps {
  label: string;
  day: string;
  onChange: (day: string) => void;
}

const DayInput = ({ label, day, onChange }: DayInputProps) => (
  <label>
    {label}
    <input
      type="date"
      min="2000-01-01"
      max="2089-12-31"
      value={day}
      aria-describedby="dates-message"
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </label>
);

const DatesSheet = ({ onClose }: { onClose: () => void }) => {
  const { view } = usePanel().place;
  const [from, setFrom] = useState(view.from);
  const [to, setTo] = useState(view.to);
  const [message, setMessage] = useState("");
  const show = (next: View) => {
    onClose();
    navigate(withView(location.search, next));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const query = new URLSearchParams({ periodo: "datas", de: from, ate: to });
    const chosen = readView(`?${query}`, view.clock);
    if (chosen.period !== "datas") return setMessage(messageOf(from, to));
    show({ ...view, period: "datas", from, to });
  };
  const lastMonth = { ...view, period: "mes-passado" as const };
  return (
    <Sheet title="Datas" onClose={onClose}>
      <form class="dates" onSubmit={submit} noValidate>
        <DayInput label="De" day={from} onChange={setFrom} />
        <DayInput label="Até" day={to} onChange={setTo} />
        <p id="dates-message" role="alert">
          {message}
        </p>
        <button type="submit" class="primary">
          Mostrar
        </button>
      </form>
      <button type="button" class="quiet" onClick={() => show(lastMonth)}>
        Mês passado
      </button>
    </Sheet>
  );
};

/** One tap away. On a phone they scroll away with the content. */
const Chips = () => {
  const { view } = usePanel().place;
  return (
    <nav class="chips" aria-label="Outras datas">
      {CHIPS.map(({ period, label }) => (
        <Link
          key={period}
          to={withView(location.search, { ...view, period })}
          scroll="here"
          isCurrent={view.period === period}
        >
          <span>{label}</span>
        </Link>
      ))}
    </nav>
  );
};

/** The periods, each with its address. A view of days of its own has none. */
export const PeriodRow = () => {
  const { place, list } = usePanel();
  const { view } = place;
  const [isOpen, setOpen] = useState(false);
  if (!followsPeriod(place, list)) return null;
  const isNamed = [...SHORT, ...CHIPS].some(({ period }) => period === view.period);
  return (
    <div class="period-row">
      <div class="periods">
        <nav class="segmented" aria-label="Período">
          {SHORT.map(({ period, label }) => (
            <Link
              key={period}
              to={withView(location.search, { ...view, period })}
              scroll="here"
              isCurrent={view.period === period}
            >
              {label}
            </Link>
          ))}
          <button
            type="button"
            aria-haspopup="dialog"
            aria-current={isNamed ? undefined : "page"}
            onClick={() => setOpen(true)}
          >
            Datas
          </button>
        </nav>
      </div>
      <Chips />
      {isOpen && <DatesSheet key={searchOf(view)} onClose={() => setOpen(false)} />}
    </div>
  );
};
