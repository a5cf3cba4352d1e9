import { expect } from "vitest";
import { DEMO, type Tokens } from "./api.ts";
import { createClient } from "./client.ts";
import { createBrowser } from "./kept-session.ts";
import { createOAuth, hostClient, type OAuthTokens } from "./oauth.ts";

type Client = ReturnType<typeof createClient>;

/** How sessions of a kind start and continue. */
interface SessionKind {
  /** Signs in. @returns the first refresh token */
  open: (user?: typeof DEMO) => Promise<string>;
  /** Sends a refresh token, from a new address unless a client is given. */
  renew: (token: string, client?: Client) => Promise<Response>;
  /** The refresh token in the answer to a renewal. */
  tokenIn: (response: Response) => Promise<string>;
  /** The status of a refused renewal. */
  refusal: 400 | 401;
}

const tokenInBody = async (response: Response) => (await response.json<OAuthTokens>()).refresh_token;
let assistant: Promise<string> | undefined;
/** The client of all sessions of OAuth here. */
const clientId = () => {
  assistant ??= hostClient();
  return assistant;
};

export const SESSION_KINDS = {
  api: {
    open: async (user = DEMO) =>
      (await (await createClient().post("/auth/login", user)).json<Tokens>()).refresh_token,
    renew: (refresh_token, { post } = createClient()) => post("/auth/refresh", { refresh_token }),
    tokenIn: tokenInBody,
    refusal: 401,
  },
  browser: {
    open: async (user = DEMO) => (await createBrowser().send("login", undefined, user)).cookie,
    renew: async (token, client = createClient()) => (await createBrowser(client).refresh(token)).response,
    tokenIn: async ({ headers }) => /=([\w-]{104});/.exec(headers.get("Set-Cookie") ?? "")?.[1] ?? "",
    refusal: 401,
  },
  oauth: {
    open: async (user = DEMO) => {
      const { codeFor, redeem } = createOAuth();
      const client = await clientId();
      return tokenInBody(await redeem(client, await codeFor(client, user)));
    },
    renew: async (refresh_token, { send } = createClient()) => {
      const fields = { grant_type: "refresh_token", client_id: await clientId(), refresh_token };
      return send("/oauth/token", { method: "POST", body: new URLSearchParams(fields) });
    },
    tokenIn: tokenInBody,
    refusal: 400,
  },
} satisfies Record<string, SessionKind>;

export const KIND_NAMES = Object.keys(SESSION_KINDS) as (keyof typeof SESSION_KINDS)[];

/** Renews, and returns the next refresh token. */
export const renewed = async ({ renew, tokenIn }: SessionKind, token: string, client?: Client) => {
  const response = await renew(token, client);
  expect(response.status).toBe(200);
  return tokenIn(response);
};
