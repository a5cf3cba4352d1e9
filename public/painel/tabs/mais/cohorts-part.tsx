import type { Answer } from "../../answers.ts";
import { Answered, Card } from "../../components/card.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { monthName, number, shortMonth } from "../../format.ts";
import { heatClass } from "../../heat.ts";
import type { View } from "../../view.ts";
import { type Cohort, type CohortReport, cohortPaths, cohortsOf } from "./cohorts.ts";

const shareOf = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const percentText = (part: number, whole: number) =>
  whole === 0 ? "—" : String(Math.round((100 * part) / whole));

/** The shade of a share, from the lowest to the highest of the months that are over. */
const shadesOf = (cohorts: readonly Cohort[]): ((share: number) => string) => {
  const shares = cohorts.flatMap(({ newClients, returned }) =>
    returned.slice(0, -1).map((count) => shareOf(count, newClients)),
  );
  const low = Math.min(...shares);
  const step = (Math.max(...shares) - low) / 3;
  // The lowest has the second of five shades.
  return (share) => heatClass(share === 0 ? 0 : share - low + step, 4 * step);
};

interface CohortRowProps {
  cohort: Cohort;
  columns: number[];
  shadeOf: (share: number) => string;
}

const CohortRow = ({ cohort, columns, shadeOf }: CohortRowProps) => {
  const { month, newClients, returned } = cohort;
  return (
    <tr>
      <th scope="row">{shortMonth(month).replace(".", "")}</th>
      <td>{number(newClients)}</td>
      {columns.map((column) => {
        const count = returned[column];
        if (count === undefined) return <td key={column} />;
        const isRunning = column === returned.length - 1;
        return (
          <td key={column} class={isRunning ? "running" : shadeOf(shareOf(count, newClients))}>
            {percentText(count, newClients)}
            {isRunning && <span class="sr-only"> até agora</span>}
          </td>
        );
      })}
    </tr>
  );
};

const Cohorts = ({ reports, view }: { reports: readonly CohortReport[]; view: View }) => {
  const cohorts = cohortsOf(view, reports);
  const columns = Array.from({ length: cohorts.length - 1 }, (_, index) => index);
  const shadeOf = shadesOf(cohorts);
  const { today } = view.clock;
  if (cohorts.every(({ newClients }) => newClients === 0))
    return <p class="nothing">Nenhum cliente novo nestes meses.</p>;
  return (
    <>
      <table class="heat cohorts">
        <caption class="sr-only">
          De cada mês de primeira visita, a parte dos clientes que veio em cada mês seguinte, em %
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="sr-only">Mês da primeira visita</span>
            </th>
            <th scope="col">novos</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cohorts.map((cohort) => (
            <CohortRow key={cohort.month} cohort={cohort} columns={columns} shadeOf={shadeOf} />
          ))}
        </tbody>
      </table>
      <ul class="legend more">
        <li>Colunas: meses depois do primeiro</li>
        <li>
          <span class="key running-cell" aria-hidden="true" />
          {monthName(today, today)}, em curso
        </li>
      </ul>
    </>
  );
};

/** Of several answers: all bodies, or what the first that is not there says. */
const together = (answers: readonly Answer<CohortReport>[]): Answer<readonly CohortReport[]> => {
  const bodies = answers.flatMap(({ body }) => (body === undefined ? [] : [body]));
  const failed = answers.find(({ error }) => error !== undefined);
  return {
    body: bodies.length === answers.length ? bodies : undefined,
    at: Math.min(...answers.map(({ at }) => at)),
    error: failed?.error,
    isLoading: answers.some(({ isLoading }) => isLoading),
  };
};

/** Of the new clients of each month, the share that came in each month after it. */
export const CohortsPart = () => {
  const { view } = usePanel().place;
  const [running, last, third] = cohortPaths(view);
  const answers = [
    useAnswer<CohortReport>(running),
    useAnswer<CohortReport>(last),
    useAnswer<CohortReport>(third),
  ];
  return (
    <Card title="Volta por mês de chegada" actions={<span class="more">em % dos novos</span>}>
      <Answered answer={together(answers)}>{(reports) => <Cohorts reports={reports} view={view} />}</Answered>
    </Card>
  );
};
