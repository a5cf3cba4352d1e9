import { randomBytes } from "node:crypto";
import pg from "pg";

/** Runs something with a connection of its own. */
export const connected = async <T>(url: string, use: (db: pg.Client) => Promise<T>): Promise<T> => {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    return await use(db);
  } finally {
    await db.end();
  }
};

/** The connection string of another database of the same server. */
export const databaseNamed = (server: string, name: string): string => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
};

/** A new, empty database on a server, gone when it is closed. */
export const temporaryDatabase = async (server: string, prefix: string) => {
  const name = `${prefix}_${randomBytes(6).toString("hex")}`;
  const admin = (sql: string) => connected(server, (db) => db.query(sql));
  await admin(`create database ${name}`);
  return {
    url: databaseNamed(server, name),
    close: async () => {
      await admin(`drop database ${name} with (force)`);
    },
  };
};
