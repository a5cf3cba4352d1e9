import { oneOf, text } from "../http/params.ts";

/** The parameter `estabelecimento_id`. @param what completes "Only … of this business unit" */
export const unit = (what: string, how = "") =>
  text({
    max: 64,
    example: "101",
    description: `Only ${what} of this business unit${how}. It is the \`salon_id\` of /v1/estabelecimentos, and not the \`id\`.`,
  }).optional();

/** For the list of ERP payments and its report. */
export const paymentFilters = {
  situacao: oneOf(["1", "2"], "1 = pending, 2 = paid.").optional(),
  id_centro_custo: text({
    max: 64,
    example: "7001",
    description:
      "Only payments of this cost centre. A unit's is its `erp_centro_custo_id` in /v1/estabelecimentos.",
  }).optional(),
};
