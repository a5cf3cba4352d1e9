import { BlockList, isIP } from "node:net";
import pg from "pg";
import { addUser } from "../operate/user-changes.ts";
import { connected } from "../warehouse/databases.ts";
import { generateChain } from "../warehouse/generate.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { MigrationConflict, pendingMigrations } from "../warehouse/pending.ts";
import { closeDemoMonths } from "./demo-closings.ts";
import { StartError } from "./start-error.ts";

export const DEMO = { email: "demo@example.com", name: "Demo", password: "demo-password" };
/** Demo users with fewer rights, to see what they see. */
export const LIMITED_DEMOS = [
  {
    user: { email: "gerente@example.com", name: "Gerente", password: DEMO.password },
    rights: { units: ["101"], payments: false },
    label: "one salon, without payments",
  },
  {
    user: { email: "auditoria@example.com", name: "Auditoria", password: DEMO.password },
    rights: { personalData: false },
    label: "without personal data",
  },
];

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");

/** Whether a host is this machine: `localhost`, a loopback address or a socket path. */
export const isOnThisMachine = (host: string): boolean => {
  if (host === "localhost" || host.startsWith("/")) return true;
  const version = isIP(host);
  return version !== 0 && LOOPBACK.check(host, version === 6 ? "ipv6" : "ipv4");
};

export interface Target {
  /** Folder under `.data/` for this database's secrets and Worker storage. */
  name: string;
  url: string;
  isHere: boolean;
}

/** Resolves a connection string as the driver does: parameters and the environment can override the URL. */
export const readTarget = (databaseUrl: string): Target => {
  const url = URL.parse(databaseUrl);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2) {
    throw new StartError("DATABASE_URL must look like postgres://user:password@host:5432/database.");
  }
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  const name = `${host}-${port}-${url.pathname.slice(1)}`.replace(/[^\w.-]/g, "_");
  return { name, url: databaseUrl, isHere: isOnThisMachine(host) };
};

const withoutPassword = (url: string): string => {
  const masked = new URL(url);
  if (masked.password) masked.password = "***";
  return masked.href;
};

/** Migrates a database on this machine. A remote database must be migrated already. */
export const prepareTarget = async ({ url, isHere }: Target): Promise<void> => {
  const pending = await (isHere
    ? migrateWarehouse(url, { progress: console.log })
    : pendingMigrations(url)
  ).catch((error: Error) => {
    throw new StartError(`The database at ${withoutPassword(url)} cannot be used: ${error.message}`);
  });
  if (pending?.length) {
    throw new StartError(
      `The database at ${withoutPassword(url)} is not on this machine and lacks the migrations ${pending.join(", ")}. \`npm start\` migrates only databases on this machine: run \`npm run db:migrate\` with its DATABASE_URL first.`,
    );
  }
};

/** Migrates the embedded warehouse. Adds demo data if it is empty, and the demo users if it has no user. */
export const prepareDemo = async (url: string): Promise<{ hasDemoUser: boolean; users: Set<string> }> => {
  await migrateWarehouse(url, { progress: console.log }).catch((error: Error) => {
    throw new StartError(
      error instanceof MigrationConflict
        ? "The demo warehouse in `.data/demo` has other migrations than this checkout. Delete that folder, then run `npm start` again: it makes a new one."
        : `The demo warehouse in \`.data/demo\` cannot be used: ${error.message}`,
    );
  });
  return connected(url, async (db) => {
    const { rows } = await db.query<{ users: boolean; demo: boolean; filled: boolean }>(
      `select exists (select from users) as users, exists (select from users where email = $1) as demo,
         exists (select from estabelecimentos) as filled`,
      [DEMO.email],
    );
    const state = rows[0];
    if (!state?.users) {
      await addUser(db, DEMO);
      for (const { user, rights } of LIMITED_DEMOS) await addUser(db, user, rights);
    }
    if (!state?.filled) {
      await generateChain(db, { progress: console.log });
      await closeDemoMonths(db);
    }
    const users = await db.query<{ email: string }>("select email from users");
    return { hasDemoUser: !state?.users || state.demo, users: new Set(users.rows.map(({ email }) => email)) };
  });
};
