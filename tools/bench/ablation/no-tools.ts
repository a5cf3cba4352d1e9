import { createRouter } from "../../../src/http/router.ts";

/** Instead of `src/mcp/routes.ts`: the service as it is without tools for agents. */
export const mcp = () => createRouter();
