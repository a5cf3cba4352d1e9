import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../core/context.ts";
import { Refusal } from "../core/errors.ts";
import { sentenceOf } from "./params.ts";

/** If `handling` is repeated, the first one applies (RFC 7240, section 2). */
const isStrict = (header = ""): boolean => {
  const first = header.split(",").find((preference) => /^\s*handling\s*=/i.test(preference)) ?? "";
  return /=\s*"?strict"?\s*(?:;|$)/i.test(first);
};

/** Limits the length of the message: a request may have thousands of unknown parameters. */
const NAMED = 20;
const NAME_LENGTH = 64;

/** Escapes invisible characters in client text that goes into a message. */
const visible = (text: string): string =>
  text.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );

/** Returns one sentence per unknown name, and the known names after the first. @param what completes "… is not …" */
export const aboutUnknown = (
  unknown: string[],
  known: string[],
  [what, plural]: [what: string, plural: string] = ["a parameter of this route", "parameters"],
): string[] => {
  const names = known.map((name) => `\`${name}\``).join(", ");
  const list = known.length > 0 ? `The ${plural} are ${names}.` : `There are no ${plural}.`;
  const sentences = unknown
    .slice(0, NAMED)
    .map((name) => `\`${visible(name.slice(0, NAME_LENGTH))}\` is not ${what}.`)
    .map((sentence, i) => (i === 0 ? `${sentence} ${list}` : sentence));
  const more = unknown.length - NAMED;
  return more > 0 ? [...sentences, `${more} more unknown ${plural} were omitted.`] : sentences;
};

/** Returns every error in the query parameters, one sentence each (I5). */
const mistakesOf = (c: Context, schema: z.ZodObject): string[] => {
  // Read values as the validator does. Read names from the URL, because Hono drops an empty name.
  const given = Object.entries(c.req.queries()).map(([name, all]) => [name, all.length > 1 ? all : all[0]]);
  const names = new Set(new URL(c.req.url).searchParams.keys());
  const known = Object.keys(schema.shape);
  const issues = schema.safeParse(Object.fromEntries(given)).error?.issues ?? [];
  const isPageAside = ["page", "after_id"].every((name) => known.includes(name) && names.has(name));
  return [
    ...issues.map((issue) => visible(sentenceOf(issue))),
    ...(isPageAside ? ["`page` must not be given together with `after_id`. Omit one of them."] : []),
    ...aboutUnknown(
      [...names].filter((name) => !known.includes(name)),
      known,
    ),
  ];
};

/** With `Prefer: handling=strict`, rejects unknown parameters and reports all errors in one 400 (I5). */
export const honourPrefer = (schema: z.ZodObject) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (isStrict(c.req.header("Prefer"))) {
      c.header("Preference-Applied", "handling=strict");
      const mistakes = mistakesOf(c, schema);
      if (mistakes.length > 0) throw new Refusal(400, mistakes.join(" "));
    }
    await next();
  });
