// Drops what the tests of a tier left on the server: tools/tier.sh runs it at the end.
import { dropDatabases } from "./databases.ts";

await dropDatabases(process.env.TEST_DATABASE_URL ?? "");
