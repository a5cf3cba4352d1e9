import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { createMiddleware } from "hono/factory";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../core/context.ts";

/** @param others what the path offers instead of HTML */
export const prefersHtml = (c: Context, others = ["application/json"]): boolean =>
  accepts(c, { header: "Accept", supports: [...others, "text/html"], default: "" }) === "text/html";

/** Reads a page from the platform's files. The platform itself does not serve `/pages`. */
export const loadPage = async (c: Context<AppEnv>, name: "docs" | "error" | "painel"): Promise<string> => {
  const response = await c.env.ASSETS.fetch(new URL(`/pages/${name}.html`, c.req.url));
  if (!response.ok) throw new Error(`the file of the page ${name} is missing`);
  return response.text();
};

interface Wording {
  lang: string;
  title: string;
  again: string;
  /** The sentence for each status. */
  messages: Record<number, (minutes: number, requestId: string) => string>;
}

const WORDINGS: Record<string, Wording> = {
  "/docs": {
    lang: "en",
    title: "API reference",
    again: "Try again",
    messages: {
      429: (minutes) =>
        `Too many requests from this network. Wait ${minutes} ${minutes === 1 ? "minute" : "minutes"}, then try again.`,
      500: (_, requestId) => `An internal error occurred. Tell the operator this request id: ${requestId}.`,
      503: () => "The service is unavailable. Try again in a few seconds.",
    },
  },
  "/painel": {
    lang: "pt-BR",
    title: "Painel",
    again: "Tentar novamente",
    messages: {
      429: (minutes) =>
        `Muitos acessos vindos desta rede. Aguarde ${minutes} ${minutes === 1 ? "minuto" : "minutos"} e tente novamente.`,
      500: (_, requestId) => `Ocorreu um erro interno. Informe este código ao suporte: ${requestId}.`,
      503: () => "O serviço está indisponível no momento. Tente novamente em alguns segundos.",
    },
  },
};

/** For a client that prefers HTML, replaces the JSON error of a page by a page with the same status (A2). */
export const errorPages = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  // `/` and a path with a slash at its end lead to a page.
  const wording = WORDINGS[c.req.path.replace(/\/$/, "") || "/painel"];
  const { status, headers } = c.res;
  const message = wording?.messages[status];
  if (message === undefined) return;
  c.header("Vary", "Accept", { append: true });
  if (!prefersHtml(c)) return;
  const minutes = Math.ceil(Number(headers.get("Retry-After")) / 60);
  const texts: Record<string, unknown> = { ...wording, message: message(minutes, c.var.requestId) };
  const template = await loadPage(c, "error");
  c.header(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'",
  );
  c.header("Cache-Control", "no-store");
  const html = template.replaceAll(/{{(\w+)}}/g, (_, name: string) => String(texts[name]));
  c.res = c.html(html, status as ContentfulStatusCode);
});
