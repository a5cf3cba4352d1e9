import { createRouter } from "../../../src/http/router.ts";

/** Replaces `src/mcp/routes.ts`: a service without MCP tools. */
export const mcp = () => createRouter();
