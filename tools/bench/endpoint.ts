import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";

/** The Neon endpoint in a process of its own, as in production it is somebody else's machine. Prints its port. */
const { port } = await startNeonEndpoint({
  url: process.env.DATABASE_URL ?? "",
  sessions: 10,
  roles: ["salon_api"],
});
console.log(port);
