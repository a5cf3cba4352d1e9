/**
 * The lower bound: a Worker that sends one fixed statement to the Neon endpoint and returns the body. It has no
 * authentication, limits, parameters or headers.
 */
export default {
  async fetch(_: Request, env: { DATABASE_URL: string; STATEMENT: string }): Promise<Response> {
    const url = new URL(env.DATABASE_URL);
    const answer = await fetch(`http://${url.hostname}:${url.port}/sql`, {
      method: "POST",
      headers: {
        "Neon-Connection-String": env.DATABASE_URL,
        "Neon-Raw-Text-Output": "true",
        "Neon-Array-Mode": "true",
      },
      body: env.STATEMENT,
    });
    const { rows } = await answer.json<{ rows: string[][] }>();
    return new Response(rows[0]?.[0], { headers: { "Content-Type": "application/json" } });
  },
};
