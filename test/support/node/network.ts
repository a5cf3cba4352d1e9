import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { createNeonService } from "../../../tools/local/neon-endpoint/server.ts";
import type { Upstream } from "../../../tools/local/neon-endpoint/sessions.ts";
import type { Fault, HostedDocument } from "../injected-context.ts";

const FAULTS_HOST = "faults.test";
const DOCUMENTS_HOST = "documents.test";
/** The driver of the warehouse sends to it. */
const WAREHOUSE_HOST = "api.warehouse.test";
/** The URL that the Worker fetched. Miniflare does not pass on its scheme: this is `http` for loopback addresses only. */
const urlOf = ({ headers: { host = "" }, url = "" }: IncomingMessage) =>
  new URL(url, `${/^(?:127\.0\.0\.1|localhost|\[::1\])(?::|$)/.test(host) ? "http" : "https"}://${host}`);

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

const sendJson = (response: ServerResponse, value: unknown) =>
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value));

/**
 * The only part the tests replace: the network between the Worker and Postgres. Database requests go to a local
 * Neon endpoint. `PUT https://faults.test` injects a fault, `DELETE` removes it, and `GET` returns the statements
 * sent to its host, or else to the warehouse, since the last change. `PUT https://documents.test` hosts a document at any address, and `GET` returns the
 * addresses fetched since the last change.
 */
export const createNetwork = (upstream: Upstream) => {
  let fault: Fault | undefined;
  let statements: string[] = [];
  const documents = new Map<string, HostedDocument>();
  let fetched: string[] = [];
  // Closing the database ends its sessions.
  const neon = createNeonService(upstream);

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { hostname, href } = urlOf(request);
    if (hostname === FAULTS_HOST) {
      if (request.method === "GET") return void sendJson(response, statements);
      fault = request.method === "PUT" ? (JSON.parse(await text(request)) as Fault) : undefined;
      statements = [];
      return void response.writeHead(204).end();
    }
    if (hostname === DOCUMENTS_HOST) {
      if (request.method === "GET") return void sendJson(response, fetched);
      const document = JSON.parse(await text(request)) as HostedDocument;
      documents.set(document.url, document);
      fetched = [];
      return void response.writeHead(204).end();
    }
    // The driver of the database sends POST only.
    if (request.method === "GET") {
      fetched.push(href);
      const document = documents.get(href);
      await wait(document?.delayMs ?? 0);
      const { body = "", status = 200, headers } = document ?? { status: 502 };
      return void response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body);
    }
    const body = await text(request);
    const isAffected = fault?.host === undefined || fault.host === hostname;
    // Records of accesses follow their answers, and may be tried again after their test.
    if (hostname === (fault?.host ?? WAREHOUSE_HOST)) statements.push(body);
    const { times = Number.POSITIVE_INFINITY, after = 0 } = fault ?? {};
    const isInTurn = statements.length > after && statements.length <= after + times;
    const activeFault = fault && isAffected && isInTurn ? fault : undefined;
    if (activeFault?.kind === "refuse") throw new TypeError("connection refused");
    if (activeFault?.kind === "hang") await wait(20_000);
    if (activeFault?.kind === "status" || activeFault?.kind === "body")
      return void response.writeHead(activeFault.status ?? 200).end(activeFault.body ?? "");
    await neon.handle(request, response, body);
  };
};
