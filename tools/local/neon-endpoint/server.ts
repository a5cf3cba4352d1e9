import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { DatabaseError, type PoolClient, type QueryArrayConfig, type QueryArrayResult } from "pg";
import {
  ProtocolError,
  readBegin,
  readPayload,
  type Statement,
  writeError,
  writeResult,
} from "./protocol.ts";
import { type Session, type SessionState, Sessions, type Upstream } from "./sessions.ts";

/** Neon's own limit on one answer, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface NeonEndpoint {
  port: number;
  /** The connection string for `@neondatabase/serverless` with this role. */
  urlOf(role: string): string;
  /** Waits for a session, and takes it with a role. */
  open(role: string): Promise<Session>;
  close(): Promise<void>;
}

/** Answers one request. @param body the request's body, if the caller has read it */
export type NeonHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  body?: string,
) => Promise<void>;

/**
 * Speaks Neon's SQL-over-HTTP protocol (`POST /sql`) as `@neondatabase/serverless` uses it, in front of any Postgres,
 * for the given roles.
 * @param password required in connection strings; without it, any password is accepted
 */
export const createNeonService = (
  upstream: Upstream,
  password?: string,
): { handle: NeonHandler; open(role: string): Promise<Session>; close(): Promise<void> } => {
  const sessions = new Sessions(upstream);
  const database = new URL(upstream.url).pathname.slice(1);
  const context = { sessions, database, roles: upstream.roles, password };
  return {
    handle: async (request, response, body) => {
      const reply = await replyTo(request, response, context, body);
      if (response.destroyed) return;
      response.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body);
    },
    open: (role) => sessions.open(role),
    close: () => sessions.close(),
  };
};

/** Serves the protocol on loopback. @param password see `createNeonService` @param at the port; 0 for any */
export const startNeonEndpoint = async (
  upstream: Upstream,
  password?: string,
  at = 0,
): Promise<NeonEndpoint> => {
  const { handle, open, close } = createNeonService(upstream, password);
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(at, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const database = new URL(upstream.url).pathname.slice(1);
  return {
    port,
    urlOf: (role) =>
      `postgres://${encodeURIComponent(role)}:${password ?? "local"}@127.0.0.1:${port}/${database}`,
    open,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await close();
    },
  };
};

interface Context {
  sessions: Sessions;
  database: string;
  roles: string[];
  password: string | undefined;
}

const replyTo = async (
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
  body: string | undefined,
) => {
  try {
    return { status: 200, body: await answer(request, response, context, body) };
  } catch (error) {
    const reported = error instanceof Error ? error : new Error(String(error));
    const status =
      reported instanceof ProtocolError ? reported.status : reported instanceof DatabaseError ? 400 : 500;
    return { status, body: writeError(reported) };
  }
};

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
  body: string | undefined,
): Promise<string> => {
  if (request.method !== "POST" || request.url !== "/sql")
    throw new ProtocolError(404, "only POST /sql is served");
  const header = (name: string) => request.headers[name]?.toString();
  const role = readRole(header("neon-connection-string"), context);
  const begin = readBegin(header);
  const payload = readPayload(body ?? (await text(request)));
  const session = await context.sessions.open(role);
  const watch = cancelOnDisconnect(response, context.sessions, session);
  let state: SessionState = "clean";
  try {
    const write = async (client: PoolClient, statement: Statement) => {
      const result = await run(client, statement);
      if (!DATA_COMMANDS.has(result.command)) state = "changed";
      return writeResult(result);
    };
    const result = Array.isArray(payload)
      ? `{"results":[${(await runBatch(session.client, begin, payload, write)).join(",")}]}`
      : await write(session.client, payload);
    if (Buffer.byteLength(result) > MAX_ANSWER_BYTES) throw sizeError();
    return result;
  } catch (error) {
    state = isSessionUsable(error) ? "changed" : "broken";
    throw error;
  } finally {
    await watch.end();
    session.release(state);
  }
};

/** Whether the session survives an error. After FATAL the server closes the connection. */
const isSessionUsable = (error: unknown): boolean =>
  error instanceof DatabaseError ? error.severity !== "FATAL" : error instanceof ProtocolError;

// Any other command may change settings or the role, which the next request must not inherit.
const DATA_COMMANDS = new Set(["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"]);

const sizeError = () => new ProtocolError(507, `response is too large (max is ${MAX_ANSWER_BYTES} bytes)`);

const readRole = (connectionString: string | undefined, context: Context): string => {
  const { database, roles, password } = context;
  let url: URL;
  try {
    url = new URL(connectionString ?? "");
  } catch {
    throw new ProtocolError(400, "the Neon-Connection-String header must contain a connection string");
  }
  const role = decodeURIComponent(url.username);
  if (password !== undefined && decodeURIComponent(url.password) !== password) {
    throw new ProtocolError(400, `password authentication failed for user '${role}'`, "28P01");
  }
  if (!roles.includes(role)) throw new ProtocolError(400, `role "${role}" is not allowed here`, "28000");
  if (url.pathname !== `/${database}`) {
    throw new ProtocolError(400, `database "${url.pathname.slice(1)}" does not exist`, "3D000");
  }
  return role;
};

/** Runs one statement with the extended protocol. Values are in Postgres text form. */
const run = (
  client: PoolClient,
  { query, params }: Statement,
): Promise<QueryArrayResult<(string | null)[]>> => {
  let bytes = 0;
  const asText = (value: string) => {
    bytes += value.length;
    if (bytes > MAX_ANSWER_BYTES) throw sizeError();
    return value;
  };
  const config: QueryArrayConfig & { queryMode: "extended" } = {
    text: query,
    values: params,
    rowMode: "array",
    queryMode: "extended",
    types: { getTypeParser: () => asText },
  };
  return client.query<(string | null)[]>(config);
};

const runBatch = async <T>(
  client: PoolClient,
  begin: string,
  statements: Statement[],
  write: (client: PoolClient, statement: Statement) => Promise<T>,
): Promise<T[]> => {
  await client.query(begin);
  try {
    const results: T[] = [];
    for (const statement of statements) results.push(await write(client, statement));
    await client.query("COMMIT");
    return results;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
};

/** Cancels the running statement if the client disconnects before the answer. */
const cancelOnDisconnect = (response: ServerResponse, sessions: Sessions, session: Session) => {
  let cancelling: Promise<void> | undefined;
  const onClose = () => {
    cancelling = sessions.cancel(session);
  };
  response.once("close", onClose);
  return {
    end: async () => {
      response.off("close", onClose);
      await cancelling;
    },
  };
};
