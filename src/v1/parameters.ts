import { oneOf, text } from "../http/params.ts";

/** The parameter `estabelecimento_id`. @param what completes "Only … of this business unit" */
export const unit = (what: string, how = "") =>
  text({
    max: 64,
    example: "101",
    description: `Only ${what} of this business unit${how}. Send the unit's \`salon_id\` from /v1/estabelecimentos, not its \`id\`.`,
  }).optional();

/** For the list of ERP payments and its report. */
export const paymentFilters = {
  situacao: oneOf(["1", "2"], "Only pending payments (`1`) or only paid payments (`2`).").optional(),
  id_centro_custo: text({
    max: 64,
    example: "7001",
    description:
      "Only payments of this cost centre. The cost centre of a business unit is its `erp_centro_custo_id` in /v1/estabelecimentos.",
  }).optional(),
};
