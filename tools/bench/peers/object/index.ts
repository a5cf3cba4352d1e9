/** The service plus a route that calls one Durable Object. Measures how long the object's class takes to start. */
export * from "../../../../src/index.ts";

import { app } from "../../../../src/app.ts";

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== "/object") return app.fetch(request, env, ctx);
    await env.SESSIONS.getByName("somebody").revoke("none");
    return new Response("revoked");
  },
} satisfies ExportedHandler<Env>;
