import { StackChart } from "../../components/stack-chart.tsx";
import { monthName, number, shortMonth } from "../../format.ts";
import type { MonthCounts } from "./client-reports.ts";

/** Clients of each month, the new ones above. */
export const MonthBars = ({ months: { data }, today }: { months: MonthCounts; today: string }) => {
  const stacks = data.map(({ mes, clientes, clientes_novos: newClients }, index) => ({
    name: monthName(mes, today),
    tick: (data.length - index) % 2 === 1 ? shortMonth(mes).replace(".", "") : "",
    value: clientes,
    parts: [
      { look: "now", from: 0, to: clientes - newClients },
      { look: "top-part", from: clientes - newClients, to: clientes },
    ],
  }));
  const textOf = (index: number) => {
    const row = data[index];
    if (row === undefined) return "";
    const { mes, clientes, clientes_novos: newClients } = row;
    const until = mes.slice(0, 7) === today.slice(0, 7) ? ", até hoje" : "";
    return `${monthName(mes, today)}${until}: ${number(clientes)}, ${number(newClients)} deles novos`;
  };
  return (
    <StackChart
      title="Clientes por mês"
      stacks={stacks}
      textOf={textOf}
      running={data.findIndex(({ mes }) => mes.slice(0, 7) === today.slice(0, 7))}
    />
  );
};
