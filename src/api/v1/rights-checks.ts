import { type RouteConfig, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { callerOf } from "../../access/auth/bearer.ts";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import type { Right } from "../../core/rights.ts";
import { metadataOf } from "../../core/schema-metadata.ts";

const NAMES: Record<Right, string> = { payments: "payments", personalData: "personal data" };

const requireRight = (right: Right) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (!callerOf(c).rights[right])
      throw new Refusal(403, `This token may not read ${NAMES[right]}. Ask the operator for the right.`);
    await next();
  });

/** The schema of each query parameter. */
export const queryParametersOf = ({
  query,
}: Pick<NonNullable<RouteConfig["request"]>, "query">): Record<string, z.ZodType> =>
  query instanceof z.ZodObject ? query.shape : {};

/** Refuses filters by personal data, for example by client, to readers without the right (A11). */
const refuseFilters = (names: string[]) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const name = names.find((one) => c.req.query(one) !== undefined);
    if (name !== undefined && !callerOf(c).rights.personalData)
      throw new Refusal(
        403,
        `This token may not read personal data. Omit \`${name}\`, or ask the operator for the right.`,
      );
    await next();
  });

/** The names of the parameters that filter by personal data (A11). */
export const personalFiltersOf = (parameters: Record<string, z.ZodType>): string[] =>
  Object.keys(parameters).filter((name) => metadataOf(parameters[name]).isPersonal);

/** The checks of rights (A11), before the parameters are validated. */
export const rightsChecks = (
  request: Parameters<typeof queryParametersOf>[0],
  needs: Right | undefined,
): MiddlewareHandler[] => {
  const personalFilters = personalFiltersOf(queryParametersOf(request));
  return [
    ...(needs ? [requireRight(needs)] : []),
    ...(personalFilters.length > 0 ? [refuseFilters(personalFilters)] : []),
  ];
};
