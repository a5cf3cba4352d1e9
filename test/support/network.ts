import { type Request as RuntimeRequest, Response as RuntimeResponse } from "miniflare";
import type { Fault, HostedDocument } from "./injected-context.ts";

const FAULTS_HOST = "faults.test";
const DOCUMENTS_HOST = "documents.test";

/**
 * The only part the tests replace: the network between the Worker and Postgres. Database requests go to the
 * local endpoint. `PUT https://faults.test` injects a fault, `DELETE` removes it, and `GET` returns the
 * statements sent since the last change. `PUT https://documents.test` hosts a document at any address, and `GET`
 * returns the addresses fetched since the last change.
 */
export const createNetwork = (endpoint: string) => {
  let fault: Fault | undefined;
  let statements: string[] = [];
  const documents = new Map<string, HostedDocument>();
  let fetched: string[] = [];
  return async (request: RuntimeRequest): Promise<RuntimeResponse> => {
    if (new URL(request.url).hostname === FAULTS_HOST) {
      if (request.method === "GET") return RuntimeResponse.json(statements);
      fault = request.method === "PUT" ? ((await request.json()) as Fault) : undefined;
      statements = [];
      return new RuntimeResponse(null, { status: 204 });
    }
    if (new URL(request.url).hostname === DOCUMENTS_HOST) {
      if (request.method === "GET") return RuntimeResponse.json(fetched);
      const document = (await request.json()) as HostedDocument;
      documents.set(document.url, document);
      fetched = [];
      return new RuntimeResponse(null, { status: 204 });
    }
    // The driver of the database sends POST only.
    if (request.method === "GET") {
      fetched.push(request.url);
      const document = documents.get(request.url);
      await new Promise((resolve) => setTimeout(resolve, document?.delayMs ?? 0).unref());
      const { body = "", status = 200, headers = {} } = document ?? { status: 502 };
      return new RuntimeResponse(body, { status, headers });
    }
    const body = await request.text();
    statements.push(body);
    const activeFault =
      fault && (fault.times === undefined || statements.length <= fault.times) ? fault : undefined;
    if (activeFault?.kind === "refuse") throw new TypeError("connection refused");
    if (activeFault?.kind === "hang") await new Promise((resolve) => setTimeout(resolve, 20_000).unref());
    if (activeFault?.kind === "status" || activeFault?.kind === "body") {
      return new RuntimeResponse(activeFault.body ?? "", { status: activeFault.status ?? 200 });
    }
    const { method, headers } = request;
    const response = await fetch(endpoint, { method, headers: [...headers], body });
    return new RuntimeResponse(await response.text(), { status: response.status });
  };
};
