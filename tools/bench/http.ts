import { join } from "node:path";
import { listLancamentos } from "../../src/api/v1/lancamentos/queries.ts";
import { tokens } from "../local/tokens.ts";
import { atLeast, atMost, elapsed, type Figure, inTurn, median, plain, spread } from "./figures.ts";
import { fireInTurn } from "./load.ts";
import { answerOf, preparePeer, serve, startService } from "./service.ts";
import { statementOf } from "./timed.ts";

/** Shows what the service costs over the network beside a bare relay: throughput, cold start and size. */

const STARTS = 10;

interface Page {
  page: number;
  per_page: number;
  after_id?: string;
}

/** Pages of the ledger: what the number of connections, more rows and one statement more cost. */
const PAGES: [name: string, page: Page, connections: number[]][] = [
  ["list of 50", { page: 1, per_page: 50 }, [1, 16]],
  ["list of 1", { page: 1, per_page: 1 }, [16]],
  ["page of 50 by cursor", { page: 1, per_page: 50, after_id: "0" }, [16]],
];

const pathOf = ({ per_page, after_id }: Page): string =>
  `/v1/lancamentos?per_page=${per_page}${after_id === undefined ? "" : `&after_id=${after_id}`}`;

/** The request of the service to the Neon endpoint. */
const requestFor = async (query: Page): Promise<string> => {
  const { prelude, text, values } = await statementOf((db, request) =>
    listLancamentos.read(db, request, query),
  );
  const statement = { query: text, params: values.map(String) };
  if (prelude === undefined) return JSON.stringify(statement);
  return JSON.stringify({ queries: [{ query: prelude, params: [] }, statement] });
};

/** Milliseconds from the start of the process to the first answer. */
const timeToFirst = (folder: string, path: string) => () =>
  elapsed(async () => {
    const { url, stop } = await serve(folder);
    const response = await fetch(url + path).finally(stop);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  });

/** @param seconds duration of one shot of requests */
export const measureHttp = async (
  url: string,
  seconds: number,
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const service = await startService(url);
  const folder = join(service.folder, "relay");
  const requests = await Promise.all(
    PAGES.map(async ([, query], n) => [`page${n}`, await requestFor(query)]),
  );
  preparePeer(folder, "relay", { DATABASE_URL: service.databaseUrl, ...Object.fromEntries(requests) });
  const relay = await serve(folder);
  const figures: Figure[] = [];
  try {
    const ours = { ...service, authorizations: await tokens(500) };
    for (const [n, [name, query, counts]] of PAGES.entries()) {
      const us = { target: ours, path: pathOf(query) };
      const them = { target: { ...relay, authorizations: ["-"] }, path: `/page${n}` };
      const answers = [await answerOf(us.target, us.path), await answerOf(them.target, them.path)];
      if (answers[0]?.body !== answers[1]?.body) throw new Error(`${name}: the relay answers something else`);
      for (const connections of counts) {
        progress(`HTTP: ${name}, ${connections} connections`);
        const taken = await fireInTurn(us, them, connections, seconds);
        const detail = [taken.us, taken.them].map(
          ({ perSecond, p50, p99 }) => `${perSecond.toFixed(0)}/s, ${p50} ms, p99 ${p99} ms`,
        );
        const measure = `${name}, ${connections} connections: ours / bare relay`;
        figures.push(atLeast(measure, taken.us.perSecond / taken.them.perSecond, 0.95, detail.join(" / ")));
      }
    }
    progress("HTTP: cold starts");
    const starts = await inTurn(STARTS, {
      ours: timeToFirst(service.folder, "/health"),
      relay: timeToFirst(folder, "/page0"),
    });
    const [, uncompressed = "?", gzip = "?"] = /Total Upload: (.+) \/ gzip: (.+)/.exec(service.built) ?? [];
    return [
      ...figures,
      atMost(
        "process start to first response: ours / bare relay",
        median(starts.ours) / median(starts.relay),
        2.4,
        `${spread(starts.ours)} / ${spread(starts.relay)}, including workerd`,
      ),
      plain("bundle, gzip", gzip, `${uncompressed} uncompressed`),
    ];
  } finally {
    await relay.stop();
    await service.stop();
  }
};
