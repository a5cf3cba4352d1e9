// What a professional's page says, by plain SQL.
import { rowsOfReport, share, units } from "./figures.ts";
import { count, money, today } from "./panel.ts";
import { type Ranges, rangeOf } from "./views.ts";
import type { Row } from "./warehouse.ts";

/** Everything that a professional's page says about a period and this year. */
export const expectedPerson = async (ranges: Ranges, id: string) => {
  const filters = { profissional_salon_id: id };
  const by = (por: string[]) => rowsOfReport("servicos", por, ranges, { ordem: "-valor_total", filters });
  const { unit } = ranges.now;
  const year = { now: rangeOf({ from: `${today.slice(0, 4)}-01-01`, to: today, unit }) };
  const asked = { medidas: ["valor_total", "decididas", "voltaram"] };
  const [own] = await rowsOfReport("servicos", [], year, { ...asked, filters });
  const [all] = await rowsOfReport("servicos", [], year, asked);
  const [total] = await by([]);
  const { nameOf } = await units();
  const working = (rows: Row[]) => rows.filter(({ servicos }) => servicos > 0);
  return {
    total: total as Row,
    own: own as Row,
    all: all as Row,
    services: working(await by(["servico"])).map((row) => [
      row.servico,
      money(row.valor_total),
      count(row.servicos),
      share(row.valor_total, total?.valor_total ?? 0),
    ]),
    units: working(await by(["unidade"])).map((row) => [
      nameOf(row.estabelecimento_id),
      money(row.valor_total),
      count(row.servicos),
    ]),
  };
};
