import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";

/** The Neon endpoint as a process: `startService` starts it and reads its port. */
const { port } = await startNeonEndpoint({
  url: process.env.DATABASE_URL ?? "",
  sessions: 10,
  roles: ["salon_api"],
});
console.log(port);
