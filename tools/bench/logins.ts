import { hashPassword } from "../../src/access/auth/passwords.ts";
import { startDeployed } from "../local/deployed.ts";
import { startEmbeddedPostgres } from "../local/embedded-postgres.ts";
import { posting } from "../posting.ts";
import { connected } from "../warehouse/databases.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { elapsed, type Figure, inTurn, median, plain, spread } from "./figures.ts";

/** Shows that the time of a failed login does not reveal which e-mails exist (A5). */

const EACH = 500;

const measureLogins = async (url: URL, progress: (line: string) => void) => {
  const fail = (email: string) =>
    elapsed(async () => {
      const response = await fetch(
        new URL("/auth/login", url),
        posting({ email, password: "not-the-password" }),
      );
      await response.text();
      if (response.status !== 401) throw new Error(`a failed login answered ${response.status}`);
    });
  for (let i = 0; i < 10; i += 1) await fail(`warm-up-${i}@example.com`);
  return inTurn(EACH, {
    known: (round) => fail(`known-${round}@example.com`),
    unknown: (round) => {
      if (round > 0 && round % 100 === 0) progress(`Logins: ${round} of ${EACH} pairs`);
      return fail(`unknown-${round}@example.com`);
    },
  });
};

export const measureLoginTimes = async (progress: (line: string) => void): Promise<Figure[]> => {
  const database = await startEmbeddedPostgres();
  await migrateWarehouse(database.url);
  await connected(database.url, (owner) =>
    owner.query(
      "insert into users (email, name, password_hash) select 'known-' || i || '@example.com', 'Known', $1 from generate_series(0, $2::int) i",
      [hashPassword("the-password"), EACH],
    ),
  );
  const { url, stop } = await startDeployed(database.url, 1, "salon_api");
  try {
    const { known, unknown } = await measureLogins(url, progress);
    const ratio = (median(known) / median(unknown)).toFixed(3);
    const measure = `failed login, ${EACH} of each: known / unknown e-mail`;
    return [plain(measure, ratio, `${spread(known)} / ${spread(unknown)}`)];
  } finally {
    await stop();
    await database.close();
  }
};
