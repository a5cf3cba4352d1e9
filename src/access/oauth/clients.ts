import type { Context } from "hono";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { isLoopback, LOOPBACK, parsePlainUrl } from "../../core/hosts.ts";
import { withTimeout } from "../../core/timers.ts";
import { isRegisteredId } from "../auth/client-secret.ts";
import { findRegisteredClient } from "../auth/registered-clients.ts";

/**
 * An OAuth client. Its id is the URL of its metadata document (OAuth Client ID Metadata Document), unless an operator
 * registered it.
 */
export interface Client {
  id: string;
  /** What the page that asks the user calls it: the name of a registered client, else the host of its id. */
  label: string;
  isRegistered: boolean;
  /** The addresses to which a response may go. */
  redirects: string[];
}

const MAX_BYTES = 65_536;
const TIMEOUT_MS = 3000;
const CACHE_MS = 300_000;
const cache = new BoundedMap<string, { client: Client; expiresAt: number }>(100);

const hostsOf = (c: Context<AppEnv>): string[] => c.var.settings.OAUTH_CLIENT_HOSTS;

/** The host of a trusted client id, or undefined. Loopback is trusted if the service itself runs there (A14). */
const trustedHost = (c: Context<AppEnv>, id: string): string | undefined => {
  const url = parsePlainUrl(id);
  if (url === undefined || url.pathname === "/") return undefined;
  const isTrusted =
    (url.protocol === "https:" && hostsOf(c).includes(url.host)) ||
    (url.protocol === "http:" && isLoopback(url.hostname) && isLoopback(new URL(c.req.url).hostname));
  return isTrusted ? url.host : undefined;
};

const refusal = (message: string, cause?: unknown) => new Refusal(400, message, {}, cause);

/** `application/json` or a structured suffix (RFC 6839), with any parameters. */
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json\s*(?:;|$)/i;

const readAtMost = async (response: Response, size: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > size) throw new Error(`the document is larger than ${size} bytes`);
    chunks.push(chunk);
  }
  return new Blob(chunks as Uint8Array<ArrayBuffer>[]).text();
};

const fetchDocument = async (id: string): Promise<Record<string, unknown>> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(id, { redirect: "manual", headers: { Accept: "application/json" }, signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  if (!JSON_TYPE.test(response.headers.get("Content-Type") ?? "")) {
    await response.body?.cancel();
    throw refusal(
      "The metadata document of this client must have the content type `application/json`, or one that ends in " +
        "`+json`. Tell the client's vendor.",
    );
  }
  const document: unknown = JSON.parse(await readAtMost(response, MAX_BYTES));
  if (typeof document !== "object" || document === null) throw new Error("the document is no object");
  return { ...document };
};

const fetchClient = async (id: string, label: string): Promise<Client> => {
  const document = await withTimeout(TIMEOUT_MS, fetchDocument(id));
  const { redirect_uris: redirects } = document;
  if (document.client_id !== id) throw new Error("the document names another client_id");
  if (!Array.isArray(redirects)) throw new Error("redirect_uris is no list");
  return {
    id,
    label,
    isRegistered: false,
    redirects: redirects.filter((redirect) => typeof redirect === "string"),
  };
};

const findRegistered = async (c: Context<AppEnv>, id: string): Promise<Client> => {
  const client = await findRegisteredClient(c, id);
  if (client === undefined)
    throw refusal(
      "`client_id` is unknown, or its client was removed. Ask the operator to register the client.",
    );
  return { id, label: client.name, isRegistered: true, redirects: client.redirects };
};

/**
 * Returns a registered client, or one that is trusted, from the cache or its metadata document (A14).
 * @throws Refusal 400; 503 if registered clients cannot be read
 */
export const findClient = async (c: Context<AppEnv>, id: string): Promise<Client> => {
  if (isRegisteredId(id)) return findRegistered(c, id);
  const host = trustedHost(c, id);
  if (host === undefined)
    throw refusal(
      "`client_id` must be that of a registered client, or the https URL of a client metadata document on a host " +
        "that the operator trusts. Ask the operator to register the client, or to add the host to OAUTH_CLIENT_HOSTS.",
    );
  const cached = cache.get(id);
  if (cached !== undefined && Date.now() < cached.expiresAt) return cached.client;
  const client = await fetchClient(id, host).catch((error: unknown) => {
    if (error instanceof Refusal) throw error;
    throw refusal(
      "The metadata document of this client cannot be read, or does not name itself as `client_id`. " +
        "Try again, or tell the client's vendor.",
      error,
    );
  });
  cache.set(id, { client, expiresAt: Date.now() + CACHE_MS });
  return client;
};

const LOOPBACK_PORT = new RegExp(String.raw`^(http://${LOOPBACK}):\d{1,5}(?=[/?]|$)`);

/** A native app chooses the port of its loopback address at run time (RFC 8252, 7.3). */
const withoutLoopbackPort = (uri: string): string => uri.replace(LOOPBACK_PORT, "$1");

/** Checks that a response may go to this address (A14). @throws Refusal 400 */
export const checkRedirect = (c: Context<AppEnv>, client: Client, redirect: string): void => {
  if (client.isRegistered && !client.redirects.includes(redirect))
    throw refusal(
      "`redirect_uri` must be exactly one that the client was registered with. Ask the operator to add this one.",
    );
  if (client.isRegistered) return;
  const url = parsePlainUrl(redirect);
  const isAllowed =
    (url?.protocol === "https:" && hostsOf(c).includes(url.host)) ||
    (url?.protocol === "http:" && isLoopback(url.hostname));
  const isRegistered = client.redirects.some(
    (registered) => withoutLoopbackPort(registered) === withoutLoopbackPort(redirect),
  );
  if (!isAllowed || !isRegistered)
    throw refusal(
      "`redirect_uri` must be exactly one of the client's metadata document, on a trusted host or a loopback address.",
    );
};

export const clearClients = (): void => cache.clear();
