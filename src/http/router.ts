import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../ground/context.ts";
import { Refusal } from "../ground/errors.ts";
import { sentenceOf } from "./params.ts";

/** A router whose refused parameters and bodies answer 400 with the name of the first culprit (I1). */
export const createRouter = () =>
  new OpenAPIHono<AppEnv>({
    defaultHook: ({ success, ...rest }) => {
      if (success || !("error" in rest)) return;
      const [issue] = rest.error.issues;
      throw new Refusal(400, issue ? sentenceOf(issue) : "The request is not valid.");
    },
  });
