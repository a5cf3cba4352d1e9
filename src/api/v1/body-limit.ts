import type { JsonText, SentText } from "../../core/database.ts";
import { Refusal } from "../../core/errors.ts";
import { MAX_BODY_BYTES } from "../../platform/db/json-sql.ts";

/** What makes the answer smaller, of the parameters that the route knows. */
const smaller = (known: string[], parameters: Record<string, unknown>): string[] => {
  const when = (condition: boolean, advice: string) => (condition ? [advice] : []);
  const has = (name: string) => known.includes(name);
  const isFree = (name: string) => has(name) && parameters[name] === undefined;
  const fields = when(has("campos"), "fewer fields in `campos`");
  if (has("per_page")) return ["a smaller `per_page`", ...fields];
  return [
    ...fields,
    ...when(Array.isArray(parameters.por) && parameters.por.length > 1, "fewer names in `por`"),
    ...when(parameters.granularidade === "dia", "`mes` as `granularidade`"),
    ...when(has("data_inicio"), "a shorter range"),
    ...["estabelecimento_id", "salon_id"].filter(isFree).map((name) => `one \`${name}\``),
    ...when(has("limite"), "a smaller `limite`, which leaves out rows"),
  ];
};

/**
 * Asserts that the statement returned a body.
 * @param known the query parameters of the route @throws Refusal 400 that names what makes the answer smaller
 */
export const assertFits = <T>(
  { body, ...rest }: JsonText<T>,
  known: string[],
  parameters: Record<string, unknown>,
): SentText<T> => {
  if (body !== null) return { body, ...rest };
  const advice = smaller(known, parameters);
  throw new Refusal(
    400,
    `The answer would be larger than ${MAX_BODY_BYTES >> 20} MiB. ${
      advice.length > 0
        ? `Send ${advice.join(", or ")}.`
        : "No parameter makes it smaller. Ask the operator for a token that reads fewer units."
    }`,
  );
};
