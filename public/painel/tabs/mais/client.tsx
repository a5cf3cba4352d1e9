import { BarChart } from "../../components/bar-chart.tsx";
import { Answered } from "../../components/card.tsx";
import { Foldable } from "../../components/foldable.tsx";
import { Headline } from "../../components/headline.tsx";
import { Kpi } from "../../components/kpi.tsx";
import { BackTo, ProfileCard } from "../../components/profile.tsx";
import { EmptyState } from "../../components/states.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { average, counted, date, money, monthName, number, shortMonth } from "../../format.ts";
import { isInvalid } from "../../jobs.ts";
import { placeSearch } from "../../place.ts";
import { dayOf, type View } from "../../view.ts";
import { clientName } from "./client-name.ts";
import { daysSince, LOST_DAYS } from "./client-reports.ts";
import { BoughtTable, PeopleCard, ServicesCard, VisitsCard } from "./client-tables.tsx";
import {
  type ClientEver,
  type ClientMonths,
  type ClientVisits,
  clientEverPath,
  clientMonthsPath,
  clientVisitsPath,
} from "./client-visits.ts";

/** 21/10/2026: since then, or today. */
const LastVisit = ({ at, today }: { at: string | null; today: string }) => {
  if (at === null || isInvalid(at)) return null;
  const days = daysSince(at, today);
  if (days <= 0) return <p>Último atendimento hoje</p>;
  return (
    <p>
      <strong class={days >= LOST_DAYS ? "lost" : undefined}>
        Sem atendimento há {counted(days, "dia", "dias")}
      </strong>{" "}
      <span class="more">desde {date(at)}</span>
    </p>
  );
};

const MonthsChart = ({ data, today }: { data: ClientMonths["data"]; today: string }) => {
  const points = data.map(({ mes, valor_total }, index) => ({
    name: monthName(mes, today),
    tick: index % 2 === 1 ? shortMonth(mes).replace(".", "") : "",
    value: valor_total,
  }));
  const textOf = (index: number) => `${points[index]?.name}: ${money(points[index]?.value ?? 0)}`;
  return <BarChart title="Valor dos atendimentos por mês" points={points} textOf={textOf} />;
};

const Figures = ({ data, totais: { visitas, valor_total } }: ClientMonths) => {
  const months = data.filter((row) => row.visitas > 0).length;
  return (
    <div class="figures">
      <h2 class="sr-only">Resumo</h2>
      <Kpi title="Atendimentos em 12 meses" value={number(visitas)}>
        em {counted(months, "mês diferente", "meses diferentes")}
      </Kpi>
      <Kpi
        title="Valor por atendimento"
        value={visitas === 0 ? "—" : money(average(valor_total, visitas) ?? 0)}
      >
        serviços e produtos
      </Kpi>
    </div>
  );
};

interface FactsProps {
  ever: ClientEver;
  months: ClientMonths;
  newest: string | undefined;
  today: string;
}

const Facts = ({ ever, months, newest, today }: FactsProps) => {
  const { unitName } = usePanel();
  const [client] = ever.data;
  if (client === undefined) return null;
  const { primeira_visita: first } = client;
  const since =
    first === null || isInvalid(first) ? "" : `cliente desde ${monthName(dayOf(Date.parse(first)), "")}`;
  const detail = [newest === undefined ? "" : unitName(newest), since].filter(Boolean).join(" · ");
  return (
    <>
      <ProfileCard name={clientName(client)} detail={detail}>
        <div>
          <h3>Gastou em atendimentos, em 12 meses</h3>
          <Headline now={months.totais.valor_total} before={undefined} />
          <LastVisit at={client.ultima_visita} today={today} />
        </div>
        <MonthsChart data={months.data} today={today} />
      </ProfileCard>
      <Figures {...months} />
    </>
  );
};

const Bought = ({ view, id }: { view: View; id: string }) => (
  <Foldable title="Produtos comprados">{() => <BoughtTable view={view} id={id} />}</Foldable>
);

const Client = ({ id, view }: { id: string; view: View }) => {
  const ever = useAnswer<ClientEver>(clientEverPath(view, id));
  const months = useAnswer<ClientMonths>(clientMonthsPath(view, id), ["data", "totais"]);
  const visits = useAnswer<ClientVisits>(clientVisitsPath(view, id), ["data", "pagination"]);
  return (
    <Answered answer={ever}>
      {(all) =>
        all.data.length === 0 ? (
          <div class="part">
            <EmptyState title="Nenhum atendimento deste cliente.">
              <p class="more">Cód. {id}, em todas as unidades que você vê.</p>
            </EmptyState>
            <Bought view={view} id={id} />
          </div>
        ) : (
          <div class="profile">
            <div>
              <Answered answer={months}>
                {(body) => (
                  <Facts
                    ever={all}
                    months={body}
                    newest={visits.body?.data[0]?.estabelecimento_id}
                    today={view.clock.today}
                  />
                )}
              </Answered>
            </div>
            <Answered answer={visits}>
              {(body) => (
                <div>
                  <VisitsCard visits={body} view={view} />
                  <ServicesCard visits={body.data} />
                  <PeopleCard visits={body.data} view={view} />
                  <Bought view={view} id={id} />
                  <p class="more">
                    Cód. {id}. De todas as unidades que você vê. Dados pessoais: só quem tem o direito vê esta
                    página.
                  </p>
                </div>
              )}
            </Answered>
          </div>
        )
      }
    </Answered>
  );
};

/** A client: what they spent in twelve months, when they came last, for what and to whom. */
export const ClientPage = () => {
  const { place, rights } = usePanel();
  const { view } = place;
  const id = new URLSearchParams(location.search).get("cliente") ?? "";
  const refusal = rights.personalData
    ? id === "" && "Nenhum cliente escolhido."
    : "Você não tem acesso aos dados de clientes.";
  return (
    <div class="part">
      <BackTo to={placeSearch(view, "mais", "assiduos")} label="Clientes" />
      {refusal ? (
        <EmptyState title={refusal} />
      ) : (
        // A client goes to several units: what one of them knows would look like all.
        <Client id={id} view={{ ...view, unit: "" }} />
      )}
    </div>
  );
};
