import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";

/** Runs the Neon endpoint in its own process, as it runs on another machine in production. Prints its port. */
const { port } = await startNeonEndpoint({
  url: process.env.DATABASE_URL ?? "",
  sessions: 10,
  roles: ["salon_api", "salon_audit"],
});
console.log(port);
