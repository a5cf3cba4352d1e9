import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { metadataOf } from "../../core/schema-metadata.ts";
import { requireEncodedUtf8 } from "./encoding.ts";
import { sentenceOf } from "./params.ts";
import { isWhole, wholeListErrors } from "./whole-list.ts";

/** If `handling` is repeated, the first one applies (RFC 7240, section 2). */
export const isStrict = (header = ""): boolean => {
  const first = header.split(",").find((preference) => /^\s*handling\s*=/i.test(preference)) ?? "";
  return /=\s*"?strict"?\s*(?:;|$)/i.test(first);
};

/** Limits the length of the message: a request may have thousands of unknown parameters. */
const MAX_NAMED = 20;
const NAME_LENGTH = 64;

/** Replaces characters by their code points, for use in a message. */
export const escapeCharacters = (text: string, characters: RegExp): string =>
  text.replaceAll(characters, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`);

/** Replaces invisible characters of a client's string by their code points. */
export const escapeInvisible = (text: string): string => escapeCharacters(text, /[\p{C}\p{Zl}\p{Zp}]/gu);

/**
 * One sentence per unknown name. The first is followed by the list of known names.
 * @param what completes "`x` is not …"
 */
export const unknownNameErrors = (
  unknown: string[],
  known: string[],
  [what, plural]: [what: string, plural: string] = ["a parameter of this route", "parameters"],
): string[] => {
  const names = known.map((name) => `\`${name}\``).join(", ");
  const knownNames = known.length > 0 ? `The ${plural} are ${names}.` : `There are no ${plural}.`;
  const sentences = unknown
    .slice(0, MAX_NAMED)
    .map((name) => `\`${escapeInvisible(name.slice(0, NAME_LENGTH))}\` is not ${what}.`)
    .map((sentence, i) => (i === 0 ? `${sentence} ${knownNames}` : sentence));
  const omitted = unknown.length - MAX_NAMED;
  return omitted > 0 ? [...sentences, `${omitted} more unknown ${plural} were omitted.`] : sentences;
};

/** Returns every error in the query parameters, one sentence each (I5). */
const strictErrors = (c: Context, schema: z.ZodObject): string[] => {
  // Read values as the validator does. Read names from the URL, because Hono drops an empty name.
  const values = Object.entries(c.req.queries()).map(([name, all]) => [name, all.length > 1 ? all : all[0]]);
  const names = new Set(new URL(c.req.url).searchParams.keys());
  const isWholeList = isWhole(c, schema.shape);
  const known = Object.keys(schema.shape).filter(
    (name) => isWholeList || !metadataOf(schema.shape[name]).isForWholeLists,
  );
  const issues = schema.safeParse(Object.fromEntries(values)).error?.issues ?? [];
  const hasPageAndCursor =
    !isWholeList && ["page", "after_id"].every((name) => known.includes(name) && names.has(name));
  return [
    ...issues.map((issue) => escapeInvisible(sentenceOf(issue))),
    ...wholeListErrors(c, schema.shape),
    ...(hasPageAndCursor ? ["`page` must not be given together with `after_id`. Omit one of them."] : []),
    ...unknownNameErrors(
      [...names].filter((name) => !known.includes(name)),
      known,
    ),
  ];
};

/**
 * With `Prefer: handling=strict`, rejects unknown parameters and reports all errors in one 400 (I5). A URL that
 * cannot be decoded is an error of its own, with and without the preference (I1).
 */
export const applyPrefer = (schema: z.ZodObject) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const appliesStrict = isStrict(c.req.header("Prefer"));
    if (appliesStrict) c.header("Preference-Applied", "handling=strict");
    requireEncodedUtf8(c.req.url);
    if (appliesStrict) {
      const errors = strictErrors(c, schema);
      if (errors.length > 0) throw new Refusal(400, errors.join(" "));
    }
    await next();
  });
