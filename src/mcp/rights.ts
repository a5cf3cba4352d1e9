import type { Rights } from "../core/rights.ts";
import type { Tool } from "./tools.ts";

/** Whether the user may call the tool at all (M7). */
export const isPermitted = ({ needs }: Tool, { payments }: Rights): boolean =>
  needs !== "payments" || payments;

/** More ids would not fit into the instructions. */
const MAX_UNITS = 12;

const nameUnits = (units: readonly string[]): string =>
  units.length > MAX_UNITS
    ? `${units.length} units of the chain, which \`frescor\` lists`
    : `${units.length === 1 ? "the unit" : "the units"} ${units.join(", ")}`;

/** Says whose data a token reads (M7). */
export const describeRights = ({ units, personalData, payments }: Rights): string =>
  [
    units === null
      ? "You read every unit of the chain."
      : `You read only ${nameUnits(units)}: no figure is of the whole chain, so say whose it is.`,
    ...(personalData
      ? []
      : [
          "Clients, CPFs and payloads are hidden from you (`null`, `{}`), not missing. Ask nothing by client.",
        ]),
    ...(payments ? [] : ["You may not read ERP payments."]),
  ].join(" ");

/**
 * Says what a result leaves out because of rights, so that it does not look like missing data or like figures of the
 * whole chain (M7). Empty if nothing does.
 */
export const noteOn = (tool: Tool, { units, personalData }: Rights, text: string): string => {
  const hidden = personalData ? [] : tool.personalFields.filter((name) => text.includes(`"${name}"`));
  const { estabelecimento_id: unit } = tool.definition.inputSchema.properties;
  return [
    ...(units !== null && unit !== undefined
      ? [`Only of ${nameUnits(units)}, which this token may read.`]
      : []),
    ...(hidden.length > 0
      ? [`Hidden from this token, not missing: ${hidden.join(", ")}. It may not read personal data.`]
      : []),
  ].join(" ");
};
