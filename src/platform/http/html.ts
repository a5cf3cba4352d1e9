import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { AppEnv } from "../../core/context.ts";

/** @param others what the path offers instead of HTML */
export const prefersHtml = (c: Context, others = ["application/json"]): boolean =>
  accepts(c, { header: "Accept", supports: [...others, "text/html"], default: "" }) === "text/html";

/** Reads a page from the platform's files. The platform itself does not serve `/pages`. */
export const loadPage = async (
  c: Context<AppEnv>,
  name: "authorize" | "docs" | "error" | "painel",
): Promise<string> => {
  const response = await c.env.ASSETS.fetch(new URL(`/pages/${name}.html`, c.req.url));
  if (!response.ok) throw new Error(`the file of the page ${name} is missing`);
  return response.text();
};

const escapeHtml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Fills `{{name}}` in a page with texts, escaped. */
export const fillPage = (page: string, texts: Record<string, string>): string =>
  page.replaceAll(/{{(\w+)}}/g, (_, name: string) => escapeHtml(texts[name] ?? ""));

/** The Content-Security-Policy of a page: this origin only, plus the given style and image sources. */
export const pagePolicy = ({ style = "", img = "" }: { style?: string; img?: string }) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${style}`,
    `img-src 'self'${img}`,
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
