import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../ground/context.ts";
import { Refusal } from "../ground/errors.ts";

/** A router whose refused parameters and bodies answer 400 with the name of the culprit (I1). */
export const createRouter = () =>
  new OpenAPIHono<AppEnv>({
    defaultHook: ({ success, ...rest }) => {
      if (success || !("error" in rest)) return;
      const issue = rest.error.issues[0];
      const name = issue?.path.join(".");
      throw new Refusal(400, name ? `\`${name}\` ${issue?.message}.` : `${issue?.message}.`);
    },
  });
