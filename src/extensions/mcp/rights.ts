import type { Rights } from "../../core/rights.ts";
import type { Tool } from "./tools.ts";

/** Whether the user may call the tool at all (M7). */
export const isPermitted = ({ needs }: Tool, rights: Rights): boolean => needs === undefined || rights[needs];

/** In characters. A longer list would not fit into the instructions (M6). */
const MAX_LIST = 300;

const nameUnits = (units: readonly string[]): string => {
  const list = units.join(", ");
  if (list.length > MAX_LIST) return `${units.length} units (\`direitos\` of \`frescor\`)`;
  return `${units.length === 1 ? "unit" : "units"} ${list}`;
};

/** Jobs and payments have no unit, so a list of units does not limit them (A11). */
const limitedTo = (units: readonly string[], { payments }: Rights): string =>
  `This token reads only ${nameUnits(units)}; ${payments ? "jobs and ERP payments" : "jobs"} are of the whole chain.`;

/** Says whose data a token reads (M7). */
export const explainRights = (rights: Rights): string =>
  [
    rights.units === null
      ? "This token reads every unit of the chain."
      : `${limitedTo(rights.units, rights)} Say whose figures you report.`,
    ...(rights.personalData
      ? []
      : [
          "It may not read personal data: ids and names of clients, CPFs, descriptions of payments, errors of jobs " +
            "and payloads are hidden (`null`, `{}`), whether they have a value or not. Send no filter and no `por` " +
            "by client or person.",
        ]),
    ...(rights.payments ? [] : ["It may not read ERP payments."]),
  ].join(" ");

/**
 * Says whose figures a result has and which of its fields are hidden, so that these do not look like figures of the
 * chain or like missing data (M7). Empty for a token with all rights.
 */
export const explainResult = (
  { hiddenFields, shortenedFields }: Tool,
  rights: Rights,
  text: string,
): string => {
  const { units, personalData } = rights;
  const isIn = (name: string) => text.includes(`"${name}"`);
  // A token that is limited to units does not read errors of jobs either (A11).
  const hidden = hiddenFields.filter((name) => isIn(name) && (!personalData || (units && name === "error")));
  const shortened = personalData ? [] : shortenedFields.filter(isIn);
  return [
    ...(units === null ? [] : [limitedTo(units, rights)]),
    ...(hidden.length > 0 ? [`Hidden from this token, with or without a value: ${hidden.join(", ")}.`] : []),
    ...(shortened.length > 0 ? [`Shortened: items of ${shortened.join(", ")}.`] : []),
  ].join(" ");
};
