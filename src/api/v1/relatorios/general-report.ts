import type { Query } from "drizzle-orm";
import type { z } from "zod";
import { BoundedMap } from "../../../core/bounded-map.ts";
import type { Db, JsonText } from "../../../core/database.ts";
import { untilDayEnd } from "../../../core/periods.ts";
import { assertRow, type FinishedBody, finishBody } from "../../../platform/db/json-sql.ts";
import type { ReadRequest } from "../../../platform/db/read-request.ts";
import { statement } from "../../../platform/db/statement.ts";
import { selectAnswer } from "./answer-sql.ts";
import { explanationOf } from "./explanation.ts";
import { assertMayAsk, tooLong, unfinished } from "./general-checks.ts";
import type { generalAnswer } from "./general-schemas.ts";
import { asksForLinks, type GeneralQuery, isSeries, type Question, questionOf } from "./question.ts";
import type { Source } from "./source.ts";

const DEFAULT_LIMIT = 100;

/** Texts of some kilobytes each, of all general reports. Thousands of questions are possible. */
const compiled = new BoundedMap<string, Query>(500);

const nameOf = (name: string, { source: _, ...question }: Question) => JSON.stringify([name, question]);

const statementOf = (name: string, question: Question) =>
  statement<Record<string, unknown>>(
    (placeholders, scope, shape, earlier) =>
      finishBody(selectAnswer({ question, placeholders, earlier, scope }, shape), {
        columns: ["first", "last", "refusal", "matched_facts"],
      }),
    { name: nameOf(name, question), compiled },
  );

/** What a general report's statement returns. The tag is null, too, if there is no answer. */
type AnswerRow = Omit<FinishedBody, "tag"> & {
  tag: string | null;
  first: string | null;
  last: string | null;
  refusal: "unfinished" | null;
  /** How many rows of the source matched in the range and the earlier one. */
  matched_facts: string;
};

/** Without personal data, ends within a second would show the visits of that second one by one (R24). */
const endOf = (
  question: Question,
  { rights }: ReadRequest,
  { data_fim }: GeneralQuery,
  // mistake: ends-within-a-second
): string | undefined => (data_fim && asksForLinks(question, rights) ? untilDayEnd(data_fim) : data_fim);

/** Builds the reader of a general report (R20). */
export const generalReport =
  (source: Source) =>
  async (
    db: Db,
    request: ReadRequest,
    q: GeneralQuery,
  ): Promise<JsonText<z.output<ReturnType<typeof generalAnswer>>>> => {
    const { por, medidas, ordem, data, limite, explicar, ...parameters } = q;
    const question = questionOf(source, q, request.earlier !== undefined);
    assertMayAsk(question, request, q);
    // mistake: cuts-csv
    const cut = limite ?? (isSeries(question) || request.format ? undefined : DEFAULT_LIMIT);
    const filters = { ...parameters, data_fim: endOf(question, request, q) };
    const row = assertRow(
      await db<AnswerRow>(
        statementOf(source.name, question)(request, {
          ...filters,
          limite: cut,
          explicacao: explicar && explanationOf(source, question, request, filters),
        }),
      ),
    );
    const { body, tag, refusal } = row;
    if (refusal) throw unfinished(question, request);
    if (tag === null) throw tooLong(question, q, row);
    return { body, tag, isEmpty: row.matched_facts === "0" };
  };
