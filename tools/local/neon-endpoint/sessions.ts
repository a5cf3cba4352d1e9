import pg, { type PoolClient } from "pg";

export interface Upstream {
  /** The owner's connection string of the Postgres behind the endpoint. */
  url: string;
  /** Size of the connection pool; 1 for an embedded Postgres. */
  sessions: number;
  /** The roles that may connect. */
  roles: string[];
}

/**
 * The state in which a session is returned: `clean` is reused as it is by the same role, `changed` is reset first,
 * `broken` is replaced.
 */
export type SessionState = "clean" | "changed" | "broken";

export interface Session {
  client: PoolClient;
  release(state: SessionState): void;
}

/**
 * Database sessions by role. Neon's proxy signs in as the user of the connection string. This pool signs in as the
 * owner and sets the role, because a local role has no password.
 */
export class Sessions {
  readonly #pool: pg.Pool;
  readonly #single: boolean;

  constructor({ url, sessions }: Upstream) {
    this.#single = sessions === 1;
    this.#pool = new pg.Pool({ connectionString: url, max: sessions, connectionTimeoutMillis: 5000 });
    // Ignore error events, which would end the process: the running statement reports a lost connection, too. The
    // pool emits them for idle sessions, a client for its own.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  async open(role: string): Promise<Session> {
    const client = (await this.#pool.connect()) as PoolClient & { role?: string };
    try {
      if (client.role === undefined) await resetSession(client);
      if (client.role !== role) await becomeRole(client, role);
      client.role = role;
    } catch (error) {
      client.release(true);
      throw error;
    }
    return {
      client,
      release: (state) => {
        if (state !== "clean") delete client.role;
        client.release(state === "broken");
      },
    };
  }

  /** Cancels the running statement. With a single session, no other connection can send the cancel. */
  async cancel({ client }: Session): Promise<void> {
    if (this.#single) return;
    const { processID } = client as PoolClient & { processID: number };
    await this.#pool.query("select pg_cancel_backend($1)", [processID]).catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** Removes what statements left in a session. */
const resetSession = async (client: PoolClient): Promise<void> => {
  await client.query("ROLLBACK");
  await client.query("DISCARD ALL");
};

/**
 * Sets the role and its settings for this database, as signing in would, in one round trip: `DISCARD ALL` would need one
 * of its own.
 */
const becomeRole = async (client: PoolClient, role: string): Promise<void> => {
  await client.query(`RESET SESSION AUTHORIZATION;
    RESET ALL;
    DISCARD TEMP;
    select pg_advisory_unlock_all();
    select set_config(split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1), false)
    from pg_db_role_setting s join pg_roles r on r.oid = s.setrole, unnest(s.setconfig) as setting
    where r.rolname = ${pg.escapeLiteral(role)}
      and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    order by s.setdatabase;
    SET ROLE ${pg.escapeIdentifier(role)}`);
};
