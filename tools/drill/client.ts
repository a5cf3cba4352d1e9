import { posting } from "../posting.ts";

export const ACCOUNT = { email: "drill@example.com", name: "Drill Person", password: "drill-password-1" };

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  /** Start time by this process's clock, and duration, both in ms. */
  at: number;
  ms: number;
}

/** Reads the remaining quota from `RateLimit`; NaN without the header (E4). */
export const remaining = ({ headers }: Answer) =>
  Number(/"global";r=(\d+)/.exec(headers.get("RateLimit") ?? "")?.[1]);

/** The longest duration, in seconds. */
export const slowestOf = (answers: Answer[]): number => Math.max(...answers.map(({ ms }) => ms)) / 1000;

/**
 * What every answer must satisfy, even if a backend of the service fails (E2).
 * @param failure the status that the service returns for the failure
 */
export const outageChecks = (answers: Answer[], failure = 503) => ({
  [`only 200 and ${failure}`]: answers.every(({ status }) => status === 200 || status === failure),
  "Retry-After on every 503": answers.every(
    ({ status, headers }) => status !== 503 || Number(headers.get("Retry-After")) > 0,
  ),
});

/** Sends requests at a steady rate, however long the answers take. */
export const askSteadily = (perSecond: number, ask: () => Promise<Answer>) => {
  const answers: Answer[] = [];
  const pending = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    const request = ask().then((answer) => {
      answers.push(answer);
      pending.delete(request);
    });
    pending.add(request);
  }, 1000 / perSecond);
  return {
    /** The answers so far, in order of arrival. */
    answers,
    end: async () => {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
};

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
  /** Never throws. A failed request has status 0. */
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const at = performance.now();
    try {
      const response = await send(path, init);
      const body = await response.text();
      if (response.status >= 400) texts.push(body);
      return { status: response.status, headers: response.headers, body, at, ms: performance.now() - at };
    } catch (error) {
      const body = error instanceof Error ? error.name : String(error);
      return { status: 0, headers: new Headers(), body, at, ms: performance.now() - at };
    }
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, posting(body, headers));
  const login = () => post("/auth/login", { email: ACCOUNT.email, password: ACCOUNT.password });
  const renew = ({ refresh_token }: Tokens) => post("/auth/refresh", { refresh_token });
  const bearer = ({ access_token }: Tokens) => ({ Authorization: `Bearer ${access_token}` });
  /** @throws if the answer contains no tokens */
  const tokensIn = (answer: Answer): Tokens => {
    if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.body}`);
    const tokens = JSON.parse(answer.body) as Tokens;
    issued.push(tokens.access_token, tokens.refresh_token);
    return tokens;
  };
  return {
    ask,
    post,
    login,
    renew,
    logout: (tokens: Tokens) => post("/auth/logout", { refresh_token: tokens.refresh_token }, bearer(tokens)),
    bearer,
    tokensIn,
    signIn: async () => tokensIn(await login()),
    refresh: async (tokens: Tokens) => tokensIn(await renew(tokens)),
  };
};

export type Client = ReturnType<typeof createClient>;
