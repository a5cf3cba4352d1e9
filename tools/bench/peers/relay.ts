/**
 * The lower bound: a Worker that sends one fixed request to the Neon endpoint and returns the body. It has no
 * authentication, limits, parameters or headers. The name of the binding with the request is the path.
 */
interface Rows {
  rows: string[][];
}

export default {
  async fetch(request: Request, env: Record<string, string>): Promise<Response> {
    const { DATABASE_URL = "" } = env;
    const url = new URL(DATABASE_URL);
    const answer = await fetch(`http://${url.hostname}:${url.port}/sql`, {
      method: "POST",
      headers: {
        "Neon-Connection-String": DATABASE_URL,
        "Neon-Raw-Text-Output": "true",
        "Neon-Array-Mode": "true",
        "Neon-Batch-Isolation-Level": "ReadCommitted",
        "Neon-Batch-Read-Only": "true",
      },
      body: env[new URL(request.url).pathname.slice(1)] ?? null,
    });
    const body = await answer.json<Rows | { results: Rows[] }>();
    const last = "results" in body ? body.results.at(-1) : body;
    return new Response(last?.rows[0]?.[0], { headers: { "Content-Type": "application/json" } });
  },
};
