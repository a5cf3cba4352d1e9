/** The service's whole code, of which one object is asked and nothing else: what its class costs to start. */
export * from "../../../../src/index.ts";

import { app } from "../../../../src/app.ts";

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== "/object") return app.fetch(request, env, ctx);
    await env.SESSIONS.getByName("somebody").revoke("none");
    return new Response("revoked");
  },
} satisfies ExportedHandler<Env>;
