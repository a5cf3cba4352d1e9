import { posting } from "../posting.ts";

export const ACCOUNT = { email: "drill@example.com", name: "Drill Person", password: "drill-password-1" };

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** What a request came to. */
export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  /** When it was asked for, by this process's clock, and for how long. */
  at: number;
  ms: number;
}

/** What an answer says is left of its client's limit; NaN when it does not say (E4). */
export const remaining = ({ headers }: Answer) =>
  Number(/"global";r=(\d+)/.exec(headers.get("RateLimit") ?? "")?.[1]);

/** How long the slowest took, in seconds. */
export const slowestOf = (answers: Answer[]): number => Math.max(...answers.map(({ ms }) => ms)) / 1000;

/** What holds of every answer, whatever is broken behind it (E2). */
export const outagePromises = (answers: Answer[]) => ({
  "only 200 and 503": answers.every(({ status }) => status === 200 || status === 503),
  "Retry-After on every 503": answers.every(
    ({ status, headers }) => status !== 503 || Number(headers.get("Retry-After")) > 0,
  ),
});

/** Asks at a steady rate, whatever the answers take. */
export const askSteadily = (perSecond: number, ask: () => Promise<Answer>) => {
  const answers: Answer[] = [];
  const pending = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    const asked = ask().then((answer) => {
      answers.push(answer);
      pending.delete(asked);
    });
    pending.add(asked);
  }, 1000 / perSecond);
  return {
    /** Those that have come, in the order they came in. */
    answers,
    end: async () => {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
};

/** What was said and issued where no personal data belongs, for the scan. */
export interface Kept {
  /** Log lines and error bodies. */
  said: string[];
  /** Every token. */
  issued: string[];
}

/** A client that signs in as `ACCOUNT`. @param send a path to the service */
export const createClient = (
  send: (path: string, init: RequestInit) => Promise<Response>,
  { said, issued }: Kept,
) => {
  /** Never throws: no answer at all is status 0. */
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const at = performance.now();
    try {
      const response = await send(path, init);
      const body = await response.text();
      if (response.status >= 400) said.push(body);
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
  /** The tokens an answer holds. @throws when it holds none */
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
