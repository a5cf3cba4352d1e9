// Drops what the tests of a tier left on the server: tools/checks/tier.ts runs it at the end.
import { dropDatabases } from "./databases.ts";

const server = process.env.TEST_DATABASE_URL;
if (!server) throw new Error("TEST_DATABASE_URL is not set");
await dropDatabases(server);
