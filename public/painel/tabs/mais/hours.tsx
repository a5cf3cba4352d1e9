import { Answered, Card } from "../../components/card.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/states.tsx";
import { amountColumn, countColumn } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { average, dayMonth, number, oneDecimal, shortWeekday, weekdayLong } from "../../format.ts";
import { heatClass } from "../../heat.ts";
import { periodName } from "../../period-names.ts";
import { rangeOf } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import { addDays, dayCount, elapsedDays, type View } from "../../view.ts";
import { dayOfWeekday, type HourRow, type Weekday, weekdaysOf } from "./weekdays.ts";

type Body = Report<
  Pick<HourRow, "dia_semana" | "hora">,
  Pick<HourRow, "visitas" | "valor_total"> & { ticket_medio?: number | null }
>;

const shortName = (day: Weekday) => shortWeekday(dayOfWeekday(day.number));
const longName = (day: Weekday) => weekdayLong(dayOfWeekday(day.number));
const averageText = (value: number) => number(oneDecimal(value));

/** Weekdays across, hours down, as in a calendar. The first row is the whole day. */
const HeatMap = ({ hours, weekdays }: { hours: number[]; weekdays: Weekday[] }) => {
  const max = Math.max(...weekdays.flatMap((day) => day.hours));
  return (
    <table class="heat">
      <caption class="sr-only">Média de atendimentos por dia da semana e hora</caption>
      <thead>
        <tr>
          <td />
          {weekdays.map((day) => (
            <th key={day.number} scope="col">
              <abbr title={longName(day)}>{shortName(day)}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr class="whole">
          <th scope="row">dia</th>
          {weekdays.map((day) => (
            <td key={day.number}>{averageText(day.averageVisits)}</td>
          ))}
        </tr>
        {hours.map((hour, index) => (
          <tr key={hour}>
            <th scope="row">{hour}h</th>
            {weekdays.map((day) => {
              const value = day.hours[index] ?? 0;
              return (
                <td key={day.number} class={heatClass(value, max)}>
                  {averageText(value)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const columnsOf = (hours: readonly number[], total: Body["totais"], view: View) => {
  const count = dayCount(elapsedDays(view));
  const columns: Column<Weekday>[] = [
    { title: "Dia da semana", value: longName },
    {
      title: "Média por dia",
      value: (day) => oneDecimal(day.averageVisits),
      cell: (day) => averageText(day.averageVisits),
      total: oneDecimal(total.visitas / count),
      totalCell: averageText(total.visitas / count),
      isNumber: true,
      isMain: true,
    },
    amountColumn("Valor médio por dia", (day) => day.averageValue, average(total.valor_total, count) ?? null),
    {
      title: "Hora mais cheia",
      value: ({ busiest }) => (busiest === undefined ? null : `${busiest}h às ${busiest + 1}h`),
    },
    { title: "Dias no período", value: ({ days: of }) => of, total: count, isNumber: true },
    countColumn("Atendimentos", ({ visits }) => visits, total.visitas),
    amountColumn("Valor", ({ value }) => value, total.valor_total),
    ...hours.map((hour, index) => ({
      title: `${hour}h`,
      value: (day: Weekday) => oneDecimal(day.hours[index] ?? 0),
      isHidden: true,
    })),
  ];
  return columns;
};

const busiestText = (weekdays: readonly Weekday[]) => {
  const top = weekdays.toSorted((a, b) => b.averageVisits - a.averageVisits)[0];
  if (top?.busiest === undefined) return "";
  return `Dia mais cheio: ${longName(top)}, em média ${averageText(top.averageVisits)} atendimentos, mais às ${top.busiest}h.`;
};

const Hours = ({ body, view }: { body: Body; view: View }) => {
  const days = elapsedDays(view);
  const { hours, weekdays } = weekdaysOf(body.data, days);
  if (hours.length === 0)
    return (
      <EmptyState title="Nenhum atendimento neste período.">
        <p class="more">Escolha outro período ou outra unidade. Lojas vendem produtos, sem atendimentos.</p>
      </EmptyState>
    );
  const some = weekdays.slice(0, 2).map(longName).join(", por ");
  return (
    <>
      <Card title={`Movimento médio por hora · ${periodName(view)}`}>
        <p>{busiestText(weekdays)}</p>
        <HeatMap hours={hours} weekdays={weekdays} />
        <p class="more">
          Cada número é a média por {some}, e assim por diante: os atendimentos daquela hora, divididos pelos
          dias do período até {dayMonth(days.to)}
          {days.to === view.clock.today ? ", que ainda não acabou." : "."}
        </p>
      </Card>
      <Card title="Por dia da semana">
        <DataTable
          caption="Atendimentos por dia da semana"
          file={periodFileName("horarios", view)}
          columns={columnsOf(hours, body.totais, view)}
          rows={weekdays}
          keyOf={(day) => String(day.number)}
          order="dia da semana"
          empty=""
        />
      </Card>
    </>
  );
};

/** The days that are over: today, which is not full yet, would lower the average of its weekday. */
const withoutToday = (view: View): View => {
  const { today } = view.clock;
  return view.from < today && elapsedDays(view).to === today ? { ...view, to: addDays(today, -1) } : view;
};

/** How full each weekday and each hour is. */
export const HoursPart = () => {
  const view = withoutToday(usePanel().place.view);
  const query = { por: "dia_semana,hora", medidas: "visitas,valor_total" };
  const answer = useAnswer<Body>(rowsPath("visitas", { ...rangeOf(view), ...query }), ["data", "totais"]);
  return <Answered answer={answer}>{(body) => <Hours body={body} view={view} />}</Answered>;
};
