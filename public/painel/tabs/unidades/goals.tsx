// The goals of a month: of all units in one card, and of each in a row.
import { Card } from "../../components/card.tsx";
import { GoalMeter } from "../../components/goal-meter.tsx";
import { Icon } from "../../components/icon.tsx";
import { Legend } from "../../components/legend.tsx";
import { Link } from "../../components/links.tsx";
import { PaceNote } from "../../components/pace-note.tsx";
import { usePanel } from "../../context.ts";
import { counted, money, monthName, roundMoney, share } from "../../format.ts";
import {
  type Goal,
  goalOfAll,
  goalsOf,
  isMonthOver,
  missedGoals,
  monthOf,
  type UnitGoal,
} from "../../pace.ts";
import { placeSearch } from "../../place.ts";
import { sumOf } from "../../series.ts";
import { dayCount, type View } from "../../view.ts";
import { useInicio } from "./revenue.ts";

/** Faltam R$ 1.200; Passou R$ 300. */
const missing = ({ goal, done }: Goal, view: View) => {
  const value = sumOf([goal, -done], Number);
  if (value <= 0) return { name: "Passou", text: roundMoney(-value) };
  return { name: isMonthOver(view) ? "Faltaram" : "Faltam", text: roundMoney(value) };
};

const levelOf = (value: number, goal: number) => (value < goal ? "bad" : "good");

/** hoje e mais 3 dias. */
const daysLeft = (view: View) => {
  const { today } = view.clock;
  const month = monthOf(view);
  if (month === undefined || today < month.from || today > month.to) return undefined;
  const left = dayCount({ from: today, to: month.to }) - 1;
  return left === 0 ? "hoje é o último dia" : `hoje e mais ${counted(left, "dia", "dias")}`;
};

const Share = ({ value, goal }: { value: number; goal: number }) => (
  <span class={levelOf(value, goal)}>
    <span class="change">{share(value, goal)} da meta</span>
  </span>
);

interface GoalCardProps {
  goal: Goal;
  view: View;
  children?: preact.ComponentChildren;
}

/** The goal of a month, what is missing, and what its pace leads to. */
const GoalCard = ({ goal, view, children }: GoalCardProps) => {
  const { name, text } = missing(goal, view);
  const { done, pace } = goal;
  return (
    <Card
      title={`Meta de ${monthName(view.from, view.clock.today)}`}
      actions={<span class="more">{daysLeft(view)}</span>}
    >
      <div class="headline">
        <h3>{name}</h3>
        <p class="figure" style={{ "--chars": text.length }}>
          {text}
        </p>
        <p class="more">
          {name === "Passou" ? "da" : "para a"} meta de {roundMoney(goal.goal)}
        </p>
      </div>
      <GoalMeter {...goal} />
      <dl class="goal-figures">
        <dt>
          Realizado <span class="more">{share(done, goal.goal)} da meta</span>
        </dt>
        <dd>{money(done)}</dd>
        {pace !== undefined && (
          <>
            <dt>
              No ritmo <Share value={pace} goal={goal.goal} />
            </dt>
            <dd>{roundMoney(pace)}</dd>
          </>
        )}
      </dl>
      {children}
      {pace !== undefined && <PaceNote />}
    </Card>
  );
};

/** The row of a unit, or of all. Before the fifth day, it ends after what is missing. */
const Figures = ({ name, goal, view }: { name: string; goal: Goal; view: View }) => {
  const { name: what, text } = missing(goal, view);
  const { done, pace, goal: wanted } = goal;
  return (
    <>
      <span class="name">{name}</span>
      <span class="value">{money(done)}</span>
      <GoalMeter {...goal} />
      <span class="more">
        {what} {text}{" "}
        <span class="of-goal">
          {what === "Passou" ? "da meta" : "para"} {roundMoney(wanted)}
        </span>
      </span>
      {pace !== undefined && (
        <span class={`share ${levelOf(pace, wanted)}`}>
          <span class="of-goal">{roundMoney(pace)} · </span>
          <span class="change">{share(pace, wanted)} no ritmo</span>
        </span>
      )}
      {pace === undefined && isMonthOver(view) && (
        <span class={`share ${levelOf(done, wanted)}`}>
          <span class="change">{share(done, wanted)} da meta</span>
        </span>
      )}
    </>
  );
};

const GoalRows = ({ goals, all, view }: { goals: readonly UnitGoal[]; all: Goal; view: View }) => {
  const { unitName } = usePanel();
  return (
    <Card title="Metas das unidades" actions={<span class="more">mais longe da meta primeiro</span>}>
      <ol class="goal-rows">
        {goals.map((goal) => (
          <li key={goal.id} class="goal-row">
            <Link to={placeSearch({ ...view, unit: goal.id }, "unidades")}>
              <Figures name={unitName(goal.id)} goal={goal} view={view} />
              <Icon name="seta" />
            </Link>
          </li>
        ))}
        <li class="goal-row sum">
          <Figures
            name={`Total de ${counted(goals.length, "unidade", "unidades")} com meta`}
            goal={all}
            view={view}
          />
        </li>
      </ol>
      <Legend
        keys={{
          "part-0": "Realizado",
          ...(all.pace !== undefined && { pace: "No ritmo" }),
          mark: "Meta",
        }}
      />
    </Card>
  );
};

/** 6 de 10 unidades abaixo da meta: faltarão R$ 36.799, sem contar as outras. Início has the same sum. */
const Missed = ({ goals, view }: { goals: readonly UnitGoal[]; view: View }) => {
  const { units, value } = missedGoals(goals, view);
  if (units.length === 0) return null;
  const [verb, pace] = isMonthOver(view) ? ["faltaram", ""] : ["faltarão", " no ritmo de agora"];
  return (
    <p class="missed">
      {goals.length === 1
        ? "Abaixo da meta"
        : `${units.length} de ${counted(goals.length, "unidade", "unidades")} abaixo da meta`}
      : {verb} <strong>{roundMoney(value)}</strong>
      {pace}
      {units.length < goals.length && ", sem contar as outras"}.
    </p>
  );
};

/** The goals of units for the month of the view; nothing without any. */
export const Goals = ({ goals, view }: { goals: readonly UnitGoal[]; view: View }) => {
  const all = goalOfAll(goals);
  if (all === undefined) return null;
  return (
    <div class="goals">
      <GoalCard goal={all} view={view}>
        <Missed goals={goals} view={view} />
      </GoalCard>
      <GoalRows goals={goals} all={all} view={view} />
    </div>
  );
};

/** The goal of the chosen unit for the month of the view; nothing without one. */
export const UnitGoalCard = ({ view }: { view: View }) => {
  const body = useInicio(view)?.body;
  const goals = body ? goalsOf(body, view) : [];
  const goal = goalOfAll(goals);
  return goal ? (
    <GoalCard goal={goal} view={view}>
      <Missed goals={goals} view={view} />
    </GoalCard>
  ) : null;
};
