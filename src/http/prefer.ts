import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../ground/context.ts";
import { Refusal } from "../ground/errors.ts";
import { sentenceOf } from "./params.ts";

/** Of a preference that is given twice, the first counts (RFC 7240, 2). */
const isStrict = (header = ""): boolean => {
  const first = header.split(",").find((preference) => /^\s*handling\s*=/i.test(preference)) ?? "";
  return /=\s*"?strict"?\s*(?:;|$)/i.test(first);
};

/** So many unknown parameters are named, and so much of each name: there may be thousands. */
const NAMED = 20;
const NAME_LENGTH = 64;

/** Text of the client's own as it may be echoed: what does not show stands there by its number. */
const visible = (text: string): string =>
  text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );

/**
 * Of each unknown parameter that there is no such one; of the first, which ones there are.
 * @param what none of them is
 */
export const aboutUnknown = (
  unknown: string[],
  known: string[],
  what = "a parameter of this route",
): string[] => {
  const list = known.length > 0 ? known.map((name) => `\`${name}\``).join(", ") : "none at all";
  const sentences = unknown
    .slice(0, NAMED)
    .map((name) => `\`${visible(name.slice(0, NAME_LENGTH))}\` is not ${what}`)
    .map((sentence, i) => `${sentence}${i === 0 ? `, which has ${list}` : ""}.`);
  const more = unknown.length - NAMED;
  return more > 0 ? [...sentences, `Nor are ${more} more that were given.`] : sentences;
};

/** Everything that is wrong with the parameters of a request, a sentence each (I5). */
const mistakesOf = (c: Context, schema: z.ZodObject): string[] => {
  // Values are read as the validator reads them, names by the URL itself: `__proto__` is a name too.
  const given = Object.entries(c.req.queries()).map(([name, all]) => [name, all.length > 1 ? all : all[0]]);
  const names = new Set(new URL(c.req.url).searchParams.keys());
  const known = Object.keys(schema.shape);
  const issues = schema.safeParse(Object.fromEntries(given)).error?.issues ?? [];
  const isPageAside = ["page", "after_id"].every((name) => known.includes(name) && names.has(name));
  return [
    ...issues.map((issue) => visible(sentenceOf(issue))),
    ...(isPageAside ? ["`page` must not be given beside `after_id`: a cursor counts no pages."] : []),
    ...aboutUnknown(
      [...names].filter((name) => !known.includes(name)),
      known,
    ),
  ];
};

/**
 * For those who ask for it with `Prefer: handling=strict` (RFC 7240): unknown parameters are refused, and all that is
 * wrong with the parameters is named at once (I5).
 * @param schema the parameters the route has
 */
export const honourPrefer = (schema: z.ZodObject) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (isStrict(c.req.header("Prefer"))) {
      c.header("Preference-Applied", "handling=strict");
      const mistakes = mistakesOf(c, schema);
      if (mistakes.length > 0) throw new Refusal(400, mistakes.join(" "));
    }
    await next();
  });
