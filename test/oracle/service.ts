import { startDeployed } from "../../tools/local/deployed.ts";
import { tokens } from "../../tools/local/tokens.ts";

/**
 * The service as it is deployed, on a database. On an embedded one, whose single session the oracle shares, it is the
 * owner; what its own role may do, the server shows.
 * @param root of the checkout it is bundled from
 */
export const startService = async (databaseUrl: string, sessions: number, root?: string) => {
  const role = sessions === 1 ? "postgres" : "salon_api";
  const { url, stop } = await startDeployed(databaseUrl, sessions, role, root);
  const bearers = await tokens(100);
  let asked = 0;
  /** GET as one of many users. */
  const ask = async (path: string, query: Record<string, string> = {}) => {
    asked += 1;
    const headers = { Authorization: bearers[asked % bearers.length] ?? "" };
    const response = await fetch(`${url.origin}/v1/${path}?${new URLSearchParams(query)}`, { headers });
    return { status: response.status, body: await response.text() };
  };
  return {
    ask,
    /** The same. @throws when the answer is not 200 */
    read: async (path: string, query?: Record<string, string>): Promise<string> => {
      const { status, body } = await ask(path, query);
      if (status !== 200) throw new Error(`${status} ${body}`);
      return body;
    },
    stop,
  };
};

export type Service = Awaited<ReturnType<typeof startService>>;
