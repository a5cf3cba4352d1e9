import type { ComponentType } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { serviceNow } from "../service-clock.ts";
import type { Session } from "../session.ts";
import type { Rights } from "../tokens.ts";
import { type Answer, type Answers, useAnswerOf } from "./answers.ts";
import { Boundary, Reload } from "./components/boundary.tsx";
import { Header } from "./components/header.tsx";
import { Later } from "./components/later.tsx";
import { PeriodRow } from "./components/period-row.tsx";
import { PrintHead } from "./components/print-head.tsx";
import { TabBar } from "./components/tab-bar.tsx";
import { type Panel, PanelContext } from "./context.ts";
import { dataUntil } from "./jobs.ts";
import { LIST_TITLES, readList } from "./links.ts";
import { allUnits, BRAND, INVALID_PERIOD, OUTSIDE_UNIT, UNKNOWN_UNIT } from "./messages.ts";
import { useLocation, useNavigation } from "./navigation.ts";
import { keepPicture } from "./offline.ts";
import { type Place, readPlace, TABS, type Tab } from "./place.ts";
import { panelPath } from "./ranges.ts";
import { type Freshness, PANEL_FIELDS, type PanelBody, type Unit } from "./reports.ts";
import { Inicio } from "./tabs/inicio/inicio.tsx";
import { centreNameIn, unitNameIn } from "./units.ts";
import { type Clock, clockAt, type View } from "./view.ts";

/** Início comes with the page; the other tabs and the lists when they are opened. */
const LATER: Record<Exclude<Tab, "inicio">, () => Promise<ComponentType>> = {
  unidades: async () => (await import("./tabs/unidades/unidades.tsx")).Unidades,
  equipe: async () => (await import("./tabs/equipe/equipe.tsx")).Equipe,
  financeiro: async () => (await import("./tabs/financeiro/financeiro.tsx")).Financeiro,
  mais: async () => (await import("./tabs/mais/mais.tsx")).Mais,
};

const loadRecords = async () => (await import("./records.tsx")).Records;

/** Who reads. */
export interface Reader {
  sub: string;
  email: string;
  rights: Rights;
}

/**
 * The hour in Brasília is part of today's view: it is read again every minute, and with each answer, unless a picture
 * is shown.
 */
const useClock = (frozen: Clock | undefined) => {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    // A hidden page requests nothing, also not another hour.
    const tick = () => document.hidden || redraw(undefined);
    const timer = setInterval(tick, 60_000);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, []);
  return frozen ?? clockAt(serviceNow());
};

/** Units and freshness: parts of Início's answer, or requested alone where another tab was opened first. */
const useSurroundings = (answers: Answers, painel: Answer<PanelBody> | undefined) => {
  const [last, setLast] = useState<{ units?: readonly Unit[]; freshness?: Freshness; at: number }>({ at: 0 });
  const isNeeded = painel === undefined;
  const units = useAnswerOf<{ data: Unit[] }>(
    answers,
    isNeeded && last.units === undefined ? "/v1/estabelecimentos" : undefined,
  );
  const freshness = useAnswerOf<Freshness>(answers, isNeeded ? "/v1/frescor" : undefined);
  const known = {
    units: painel?.body?.unidades ?? units.body?.data ?? last.units,
    freshness: painel?.body?.frescor ?? freshness.body ?? last.freshness,
    at: painel?.at || freshness.at || last.at,
  };
  useEffect(() => {
    setLast({
      ...(known.units && { units: known.units }),
      ...(known.freshness && { freshness: known.freshness }),
      at: known.at,
    });
  }, [known.units, known.freshness, known.at]);
  return known;
};

/** The place in the URL. */
const usePlace = (search: string, clock: Clock, { units }: Rights): Place =>
  useMemo(() => readPlace(search, clock, units), [search, clock.today, clock.hour, units]);

/** What is wrong with the link to a view; "" if nothing is. */
const faultOf = (
  { unit, isOutside, isFallback }: View,
  units: readonly Unit[] | undefined,
  { units: allowed }: Rights,
): string => {
  if (isOutside) return OUTSIDE_UNIT;
  if (isFallback) return INVALID_PERIOD;
  const isKnown = unit === "" || allowed?.includes(unit) || units?.some(({ salon_id }) => salon_id === unit);
  return units === undefined || isKnown ? "" : UNKNOWN_UNIT;
};

/** How long the success of what the user did is shown. */
const BRIEFLY_MS = 6000;

/** A sentence until the place changes: at first what is wrong with its link. A success is shown briefly. */
const useNotice = (search: string, fault: string) => {
  const [notice, setNotice] = useState({ text: "", isSuccess: false });
  const notify: Panel["notify"] = (text, { isSuccess } = { isSuccess: false }) =>
    setNotice({ text, isSuccess });
  useEffect(() => notify(fault), [search, fault]);
  useEffect(() => {
    if (!notice.isSuccess) return;
    const timer = setTimeout(() => notify(""), BRIEFLY_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return { notice, notify };
};

interface AppProps {
  session: Session;
  answers: Answers;
  reader: Reader;
  /** When the last picture was taken, if it is shown. */
  frozenClock: Clock | undefined;
}

/** What the parts of the panel know, and what is shown around them. */
const useApp = ({ session, answers, reader, frozenClock }: AppProps) => {
  useNavigation();
  const search = useLocation();
  const clock = useClock(frozenClock);
  const { rights, email } = reader;
  const place = usePlace(search, clock, rights);
  const { view, tab } = place;
  const list = readList(search, view, rights.units);
  const isInicio = tab === "inicio" && list === undefined;
  const painel = useAnswerOf<PanelBody>(answers, isInicio ? panelPath(view) : undefined, PANEL_FIELDS);
  const { units, freshness, at } = useSurroundings(answers, isInicio ? painel : undefined);
  const { notice, notify } = useNotice(search, faultOf(view, units, rights));
  useEffect(() => {
    if (painel.body === undefined || frozenClock) return;
    const picture = { search, clock, path: panelPath(view), body: painel.body, at: painel.at };
    void keepPicture({ ...reader, ...picture, keptAt: Date.now() + painel.at - serviceNow() });
  }, [painel.body, painel.at]);
  const panel: Panel = {
    session,
    email,
    answers,
    place,
    list,
    rights,
    units,
    dataUntil: freshness && dataUntil(freshness),
    unitName: (id) => (id ? unitNameIn(units, id) : allUnits(rights.units)),
    centreName: (id) => centreNameIn(units, id),
    lastPair: useRef<readonly string[]>([]),
    notify,
  };
  const title = list ? LIST_TITLES[list.name] : (TABS.find((each) => each.tab === tab)?.label ?? "");
  useEffect(() => {
    document.title = `${title} · ${BRAND}`;
  }, [title]);
  return { search, panel, painel, title, notice, freshness, at };
};

/** The panel of a signed-in user. */
export const App = (props: AppProps) => {
  const { search, panel, painel, title, notice, freshness, at } = useApp(props);
  const { tab, part, view } = panel.place;
  return (
    <PanelContext.Provider value={panel}>
      <Header freshness={freshness} at={at} />
      <PeriodRow />
      <TabBar />
      <PrintHead title={title} freshness={freshness} />
      <main id="conteudo" tabIndex={-1} data-search={search}>
        <h1 class="sr-only" tabIndex={-1}>
          {title} · {panel.unitName(view.unit)}
        </h1>
        <p id="notice" class={notice.isSuccess ? "good" : ""} role="status" hidden={notice.text === ""}>
          {notice.text}
        </p>
        <Boundary of={search} instead={<Reload />}>
          {panel.list ? (
            <Later key={search} load={loadRecords} />
          ) : tab === "inicio" ? (
            <Inicio answer={painel} />
          ) : (
            <Later key={`${tab} ${part}`} load={LATER[tab]} />
          )}
        </Boundary>
        <p class="more foot">
          Datas e horários de Brasília. Percentuais arredondados para uma casa decimal; ticket médio, para
          centavos.
        </p>
      </main>
    </PanelContext.Provider>
  );
};
