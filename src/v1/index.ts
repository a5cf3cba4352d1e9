import { createRouter } from "../http/router.ts";
import { lancamentos } from "./lancamentos/routes.ts";

export const v1 = createRouter().route("/lancamentos", lancamentos);
