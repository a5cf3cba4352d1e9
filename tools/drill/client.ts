import { posting } from "../posting.ts";

export const ACCOUNT = { email: "drill@example.com", name: "Drill Person", password: "drill-password-1" };

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

/** Reads the remaining quota from `RateLimit`; NaN without the header (E4). */
export const remaining = ({ headers }: Answer) =>
  Number(/"global";r=(\d+)/.exec(headers.get("RateLimit") ?? "")?.[1]);

/** Texts to search for secrets, and secrets to search for. */
export interface Captured {
  /** Log lines and error bodies. */
  texts: string[];
  /** Tokens that the service issued. */
  issued: string[];
}

/** A client that signs in as `ACCOUNT`. @param send sends a request for a path */
export const createClient = (
  send: (path: string, init: RequestInit) => Promise<Response>,
  { texts, issued }: Captured,
) => {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await send(path, init);
    const body = await response.text();
    if (response.status >= 400) texts.push(body);
    return { status: response.status, headers: response.headers, body };
  };
  const renew = ({ refresh_token }: Tokens) => ask("/auth/refresh", posting({ refresh_token }));
  const bearer = ({ access_token }: Tokens) => ({ Authorization: `Bearer ${access_token}` });
  /** @throws if the answer contains no tokens */
  const tokensIn = ({ status, body }: Answer): Tokens => {
    if (status !== 200) throw new Error(`no tokens: ${status} ${body}`);
    const tokens = JSON.parse(body) as Tokens;
    issued.push(tokens.access_token, tokens.refresh_token);
    return tokens;
  };
  return {
    read: (path: string, tokens: Tokens) => ask(path, { headers: bearer(tokens) }),
    renew,
    tokensIn,
    signIn: async () => {
      const { email, password } = ACCOUNT;
      return tokensIn(await ask("/auth/login", posting({ email, password })));
    },
    logout: (tokens: Tokens) =>
      ask("/auth/logout", posting({ refresh_token: tokens.refresh_token }, bearer(tokens))),
  };
};

export type Client = ReturnType<typeof createClient>;
