import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { sentenceOf } from "./params.ts";

/** Creates a router that answers invalid input with a 400 for the first error (I1). */
export const createRouter = () =>
  new OpenAPIHono<AppEnv>({
    defaultHook: ({ success, ...rest }) => {
      if (success || !("error" in rest)) return;
      const [issue] = rest.error.issues;
      throw new Refusal(400, issue ? sentenceOf(issue) : "The request is invalid. Check its parameters.");
    },
  });
