import { fail } from "../arguments.ts";
import { verifyClosings } from "./closings.ts";
import { connected } from "./databases.ts";
import { differencesFromCode } from "./declared.ts";
import { verifyFeeds } from "./feeds.ts";
import { differingProductNames } from "./product-names.ts";
import { differencesOf, excessOfRoles } from "./reader-role.ts";
import { verifySums } from "./verify.ts";

interface Compared {
  differences: number;
  repaired: boolean;
}
const isWrong = ({ differences, repaired }: Compared) => differences > 0 && !repaired;

/** Prints what differs from this checkout, and from the privileges and settings that the API's roles need. */
const compareWithCode = (url: string) =>
  connected(url, async (db) => {
    const unlike = await differencesFromCode(db);
    const [excess, missing] = [await excessOfRoles(db), await differencesOf(db)];
    for (const line of unlike) console.log(line);
    for (const line of excess) console.log(`the API's roles: ${line}`);
    for (const statement of missing) console.log(`the API's roles need: ${statement}`);
    if (excess.length + missing.length === 0)
      console.log("the API's roles: privileges and settings are correct");
    return { unlike, excess, missing };
  });

/** Compares everything that is kept twice, and says what to do about a difference. Exits with 1 if one is left. */
export const verify = async (url: string, repair: boolean): Promise<void> => {
  const { rows } = await connected(url, (db) =>
    db.query("select to_regclass('rollups') is not null as migrated"),
  );
  if (!rows[0].migrated) return fail("The database is not migrated. Run npm run db:migrate first.", 1);
  const state = ({ differences, repaired }: Compared, what: string, done: string) =>
    differences === 0 ? `all ${what} match` : `${differences} ${what} differ${repaired ? done : ""}`;
  const findings = await verifySums(url, {
    repair,
    progress: console.error,
    report: (found) =>
      console.log(
        `${found.table}: ${state(found, found.table.endsWith("_facts") ? "facts" : "sums", ", recalculated")}`,
      ),
  });
  const feeds = await verifyFeeds(url, {
    repair,
    progress: console.error,
    report: (found) =>
      console.log(`${found.list}_changes: ${state(found, "records", ", rewritten; its clients start over")}`),
  });
  const closings = await connected(url, verifyClosings);
  for (const line of closings.changed) console.log(line);
  if (closings.changed.length === 0) console.log(`fechamentos: all ${closings.count} hashes match`);
  for (const line of await differingProductNames(url)) console.log(line);
  const { unlike, excess, missing } = await compareWithCode(url);
  const advice = [
    unlike.length > 0 &&
      "The facts, rollups and change feeds are not those of this checkout. Run npm run db:migrate in the checkout that is deployed.",
    findings.some(isWrong) &&
      "Some facts or sums differ from their tables. Run verify --repair to recalculate them.",
    feeds.some(isWrong) && "Some change feeds differ from their lists. Run verify --repair to rewrite them.",
    closings.changed.length > 0 &&
      "A closing was changed after it was signed. Find out who did it, and restore the table fechamentos from a backup.",
    excess.length > 0 && "A role of the API can do more than it needs. Remove what is listed above.",
    missing.length > 0 &&
      "A role of the API has wrong privileges or settings. Run npm run db:migrate to correct them.",
  ].find(Boolean);
  if (advice) fail(advice, 1);
};
