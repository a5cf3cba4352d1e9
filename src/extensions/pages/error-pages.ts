import { createMiddleware } from "hono/factory";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../../core/context.ts";
import { fillPage, loadPage, prefersHtml } from "../../platform/http/html.ts";

interface Wording {
  lang: string;
  title: string;
  again: string;
  /** Where the link of a 404 leads: the page exists, but not at this address. */
  home: { href: string; link: string };
  /** The sentence for each status. */
  messages: Record<number, (minutes: number, requestId: string) => string>;
}

const DOCS: Wording = {
  lang: "en",
  title: "API reference",
  again: "Try again",
  home: { href: "/docs", link: "Open the API reference" },
  messages: {
    404: () => "This address does not exist. Check the link.",
    429: (minutes) =>
      `Too many requests from this network. Wait ${minutes} ${minutes === 1 ? "minute" : "minutes"}, then try again.`,
    500: (_, requestId) => `An internal error occurred. Tell the operator this request id: ${requestId}.`,
    503: () => "The service is unavailable. Try again in a few seconds.",
  },
};

const PAINEL: Wording = {
  lang: "pt-BR",
  title: "Painel",
  again: "Tentar novamente",
  home: { href: "/painel", link: "Abrir o painel" },
  messages: {
    404: () => "Este endereço não existe. Confira o link.",
    429: (minutes) =>
      `Muitos acessos vindos desta rede. Aguarde ${minutes} ${minutes === 1 ? "minuto" : "minutos"} e tente novamente.`,
    500: (_, requestId) => `Ocorreu um erro interno. Informe este código ao suporte: ${requestId}.`,
    503: () => "O serviço está indisponível no momento. Tente novamente em alguns segundos.",
  },
};

const AUTHORIZE: Wording = {
  ...PAINEL,
  title: "Conectar assistente",
  messages: {
    ...PAINEL.messages,
    400: () =>
      "Não foi possível confirmar qual assistente abriu esta página, e por isso nada foi liberado. " +
      "Volte ao assistente e conecte novamente.",
  },
};

const WORDINGS = { docs: DOCS, painel: PAINEL, authorize: AUTHORIZE };

/**
 * For a client that prefers HTML, replaces the JSON error of a page, or of a path that does not exist, by a page with
 * the same status (A2).
 */
export const errorPages = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { errorPage = c.var.isUnknownPath ? "painel" : undefined } = c.var.policy;
  if (errorPage === undefined) return;
  const { lang, title, again, home, messages }: Wording = WORDINGS[errorPage];
  const { status, headers } = c.res;
  const message = messages[status];
  if (message === undefined) return;
  c.header("Vary", "Accept", { append: true });
  if (!prefersHtml(c)) return;
  const minutes = Math.ceil(Number(headers.get("Retry-After")) / 60);
  // A link without an address reloads the page.
  const link = status === 404 ? home : { href: "", link: again };
  const texts = { lang, title, ...link, message: message(minutes, c.var.requestId) };
  const template = await loadPage(c, "error");
  c.header(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'",
  );
  c.header("Cache-Control", "no-store");
  c.res = c.html(fillPage(template, texts), status as ContentfulStatusCode);
});
