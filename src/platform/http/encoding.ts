import { Refusal } from "../../core/errors.ts";

const isEncodedUtf8 = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

const NAME_LENGTH = 64;

/**
 * Rejects a URL that is not percent-encoded UTF-8, because its text would be searched as it was written (I1).
 * @throws Refusal 404 for the path, 400 for the query
 */
export const requireEncodedUtf8 = (url: string): void => {
  if (!url.includes("%")) return;
  const { pathname, search } = new URL(url);
  if (!isEncodedUtf8(pathname))
    throw new Refusal(
      404,
      "The path is not percent-encoded UTF-8. Encode the id in the path as UTF-8, and write a literal `%` as `%25`.",
    );
  const malformed = search
    .slice(1)
    .split("&")
    .find((parameter) => !isEncodedUtf8(parameter));
  if (malformed === undefined) return;
  const name = (malformed.replace(/=.*/, "") || malformed).slice(0, NAME_LENGTH);
  throw new Refusal(
    400,
    `\`${name}\` is not percent-encoded UTF-8. Encode its value as UTF-8, and write a literal \`%\` as \`%25\`.`,
  );
};
