import type pg from "pg";
import { tokens } from "../../local/tokens.ts";
import { connected } from "../../warehouse/databases.ts";
import { atMost, type Figure, plain } from "../figures.ts";
import { fireInTurn, type Shot, type Side } from "../load.ts";
import { startService } from "../service.ts";
import { compareAnswers, withHeaders } from "./answers.ts";
import { type ComparedRequest, comparedRequests } from "./questions.ts";
import { findPostgrest, namedUrl, startPostgrest } from "./server.ts";

/** Shows what the service costs beside PostgREST on the same tables: latency, and the CPU of Postgres. */

/** Requests rotate over many users, because one user would reach its rate limit. */
const USERS = 500;
const [OURS, THEIRS] = ["bench_service", "bench_postgrest"];

type Both = Record<"us" | "them", Shot>;

/** Excludes parallel workers, which exit before this runs. Only PostgREST's counts and reports use them. */
const backendsOf = (db: pg.Client, application: string) => async (): Promise<number[]> => {
  const { rows } = await db.query(
    "select pid from pg_stat_activity where application_name = $1 and backend_type = 'client backend'",
    [application],
  );
  return rows.map(({ pid }) => pid);
};

const withOptionalBar = (measure: string, value: number, bar: number | undefined, detail: string): Figure =>
  bar === undefined ? plain(measure, value.toFixed(2), detail) : atMost(measure, value, bar, detail);

/** @param one shots with one connection @param many those with 16 */
const figuresOf = (asked: ComparedRequest, one: Both, many: Both, isLargest: boolean): Figure[] => {
  const ms = ({ perSecond }: Shot) => 1000 / perSecond;
  const each = ({ us, them }: Both, show: (taken: Shot) => string) => `${show(us)} / ${show(them)}`;
  const postgres = ({ others }: Shot) => others.postgres ?? Number.NaN;
  return [
    withOptionalBar(
      `${asked.name}: ours / PostgREST`,
      ms(one.us) / ms(one.them),
      isLargest ? asked.latency : undefined,
      `${each(one, (taken) => `${ms(taken).toFixed(1)} (p99 ${taken.p99}) ms`)}; 16 connections: ${each(many, ({ perSecond }) => `${perSecond.toFixed(0)}/s`)}`,
    ),
    withOptionalBar(
      `${asked.name}, Postgres CPU: ours / PostgREST`,
      postgres(many.us) / postgres(many.them),
      asked.cpu,
      `${each(many, (taken) => postgres(taken).toFixed(2))} ms; server ${each(many, ({ server }) => server.toFixed(2))} ms, Neon endpoint ${many.us.others.endpoint?.toFixed(2)} ms`,
    ),
  ];
};

const measureOn = async (
  binary: string,
  url: string,
  visits: number,
  seconds: number,
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const postgrest = await startPostgrest(binary, url, THEIRS);
  const service = await startService(namedUrl(url, OURS)).catch(async (error) => {
    await postgrest.stop();
    throw error;
  });
  try {
    const ours = { ...service, authorizations: await tokens(USERS) };
    const all = comparedRequests(visits);
    progress("PostgREST: comparing responses");
    for (const asked of all) await compareAnswers(asked, ours, postgrest.target);
    return await connected(url, async (db) => {
      const figures: Figure[] = [];
      for (const asked of all) {
        progress(`PostgREST: ${asked.name}`);
        // A token is valid for 15 minutes, and all requests together take about as long.
        ours.authorizations = await tokens(USERS);
        const us: Side = {
          target: ours,
          path: asked.ours,
          others: { postgres: backendsOf(db, OURS), endpoint: async () => service.endpointPids },
        };
        const them: Side = {
          target: withHeaders(postgrest.target, asked),
          path: asked.theirs,
          others: { postgres: backendsOf(db, THEIRS) },
        };
        const [one, many] = [await fireInTurn(us, them, 1, seconds), await fireInTurn(us, them, 16, seconds)];
        // The bars of latency apply to the largest table only.
        figures.push(...figuresOf(asked, one, many, visits >= 2_000_000));
      }
      return figures;
    });
  } finally {
    await postgrest.stop();
    await service.stop();
  }
};

/**
 * If PostgREST is not available for this platform, the result says so.
 * @param urls connection strings by number of visits
 * @param seconds duration of one shot of requests
 */
export const measurePostgrest = async (
  urls: [visits: number, url: string][],
  seconds: number,
  progress: (line: string) => void,
): Promise<[title: string, figures: Figure[]][]> => {
  const postgrest = findPostgrest();
  if ("missing" in postgrest) {
    progress(`PostgREST is skipped: ${postgrest.missing}.`);
    return [["PostgREST", [plain("skipped", "not measured", postgrest.missing)]]];
  }
  const sections: [string, Figure[]][] = [];
  for (const [visits, url] of urls) {
    progress(`${postgrest.version} on ${visits} visits`);
    sections.push([
      `${postgrest.version}, ${visits} visits`,
      await measureOn(postgrest.binary, url, visits, seconds, progress),
    ]);
  }
  return sections;
};
