import type pg from "pg";
import { formatInstant } from "./instants.ts";
import type { Question } from "./questions.ts";

/** The reports with the parameter `comparar`. */
export const COMPARABLE = ["resumo", "transacoes-por-periodo", "transacoes-por-estabelecimento", "painel"];

const LOCAL = "at time zone 'America/Sao_Paulo'";

/** How each comparison moves a local timestamp, in plain SQL. */
const moved = (comparar: string, local: string) =>
  ({
    anterior: `${local} - (till::date - since::date + 1) * interval '1 day'`,
    "semana-anterior": `${local} - interval '1 week'`,
    "mes-anterior": `${local} - interval '1 month'`,
    "ano-anterior": `${local} - interval '1 year'`,
  })[comparar] ?? "";

/** Of the instants that an hour before or after have the same local time, the first or the last one. */
const instantOf = (local: string, pick: "min" | "max") => `(
  select ${pick}(at) from unnest(array[interval '-1 hour', '0', '1 hour']) as hour, lateral (select ${local} ${LOCAL} + hour as at) as near
  where hour = '0' or at ${LOCAL} = ${local})`;

interface Earlier {
  question: Question;
  /** As the service writes them. */
  inicio: string;
  fim: string;
}

/** The same question about the range to compare with, or undefined if the service must reject it. */
export const earlierQuestion = async (db: pg.Client, question: Question): Promise<Earlier | undefined> => {
  const { comparar = "", from = 0n, to = 0n } = question;
  const isMonths = /^(mes|ano)/.test(comparar);
  const { rows } = await db.query(
    `select to_json(since) #>> '{}' as inicio, to_json(till) #>> '{}' as fim, (extract(epoch from since) * 1000000)::bigint::text as "from",
       (extract(epoch from till) * 1000000)::bigint::text as "to",
       since <= till and extract(year from since ${LOCAL}) between 1900 and 2200 and extract(year from till ${LOCAL}) between 1900 and 2200 as served
     from (
       select ${instantOf("since", "min")} as since, ${instantOf("till", "max")} as till from (
         select ${moved(comparar, "since")} as since,
           case when ${isMonths} and extract(day from since) = 1 and extract(day from till + interval '1 day') = 1
             then (date_trunc('month', ${moved(comparar, "till")}) + interval '1 month')::date - 1 + till::time
             else ${moved(comparar, "till")} end as till
         from (select timestamptz '${formatInstant(from)}' ${LOCAL} as since, timestamptz '${formatInstant(to)}' ${LOCAL} as till) as asked
       ) as moved
     ) as earlier`,
  );
  const [{ inicio, fim, served, ...ends }] = rows;
  const { comparar: _, ...others } = question;
  return served
    ? { question: { ...others, from: BigInt(ends.from), to: BigInt(ends.to) }, inicio, fim }
    : undefined;
};
