import { text } from "../http/params.ts";

/** `estabelecimento_id` of the lists and reports that have it. @param what completes "Only … of this business unit" */
export const unit = (what: string, how = "") =>
  text({ max: 64, example: "101", description: `Only ${what} of this business unit${how}.` }).optional();
