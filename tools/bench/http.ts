import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UNRESTRICTED } from "../../src/core/rights.ts";
import { listLancamentos } from "../../src/v1/lancamentos/queries.ts";
import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";
import { residentMiB } from "../local/processes.ts";
import { tokens } from "../local/tokens.ts";
import { ENDPOINTS } from "./answers.ts";
import { measureAudit } from "./audit.ts";
import { atLeast, atMost, type Figure, plain } from "./figures.ts";
import { fireInTurn, type Shot } from "./load.ts";
import { preparePeer, serviceConfig, startProcess, type Target } from "./targets.ts";
import { prepare, serve } from "./workerd.ts";

const YEAR = "data_inicio=2025-01-01T00:00:00-03:00&data_fim=2025-12-31T23:59:59-03:00";

const throughput = async (targets: { ours: Target; relay: Target }, path: string, seconds: number) => {
  const figures: Figure[] = [];
  for (const connections of [1, 8, 64]) {
    const { ours, relay } = await fireInTurn(targets, path, connections, seconds);
    const show = ({ perSecond, p50, p99 }: Shot) => `${perSecond.toFixed(0)}/s, ${p50} ms, p99 ${p99} ms`;
    figures.push(
      atLeast(
        `list of 50, ${connections} connections: ours / bare relay`,
        ours.perSecond / relay.perSecond,
        0.95,
        `${show(ours)} / ${show(relay)}`,
      ),
    );
  }
  return figures;
};

/** Counts the database requests behind one client request. */
const roundTrips = async (ours: Target): Promise<Figure[]> => {
  let trips = 0;
  const count = () => {
    trips += 1;
  };
  subscribe("http.server.request.start", count);
  const tripsOf = async (path: string, init?: RequestInit) => {
    const before = trips;
    const response = await fetch(`${ours.url}${path}`, {
      headers: { Authorization: ours.authorizations[0] ?? "" },
      ...init,
    });
    await response.text();
    return trips - before;
  };
  const data = [...ENDPOINTS, `/v1/lancamentos?after_id=0&${YEAR}`];
  const onData = [];
  for (const path of data) onData.push(await tripsOf(path));
  const onOthers = [];
  for (const path of ["/auth/me", "/health", "/llms.txt", "/openapi.yaml"])
    onOthers.push(await tripsOf(path));
  onOthers.push(await tripsOf("/v1/transacoes", { headers: {} }));
  unsubscribe("http.server.request.start", count);
  return [
    plain(
      "database round trips per request, data routes",
      [...new Set(onData)].join(" or "),
      `${data.length} requests`,
    ),
    plain(
      "database round trips per request, /auth/me, /health, /llms.txt, /openapi.yaml, 401",
      [...new Set(onOthers)].join(" or "),
      "test/limits counts them for a 429",
    ),
  ];
};

/**
 * Compares our API in workerd, a bare relay and row mapping in a Worker, on one database.
 * @param url connection string of the database
 * @param seconds duration of one shot of requests
 */
export const measureHttp = async (
  url: string,
  seconds: number,
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const endpointProcess = await startProcess(join(import.meta.dirname, "endpoint.ts"), {
    DATABASE_URL: url,
  });
  const counting = await startNeonEndpoint({ url, sessions: 2, roles: ["salon_api"] });
  const databaseUrl = `postgres://salon_api:local@127.0.0.1:${endpointProcess.port}${new URL(url).pathname}`;
  prepare(folder, serviceConfig(databaseUrl));
  const service = await serve(folder);
  prepare(join(folder, "counted"), serviceConfig(counting.urlOf("salon_api")));
  const counted = await serve(join(folder, "counted"));
  const configured = serviceConfig(databaseUrl);
  const auditUrl = databaseUrl.replace("salon_api", "salon_audit");
  prepare(join(folder, "recording"), {
    ...configured,
    bindings: { ...configured.bindings, AUDIT_DATABASE_URL: auditUrl },
  });
  const recording = await serve(join(folder, "recording"));
  let statement = "";
  await listLancamentos(
    async ({ text, values }) => {
      statement = JSON.stringify({ query: text, params: values.map(String) });
      return { body: "", total: "0", next: null } as never;
    },
    { rights: UNRESTRICTED, now: Date.now() },
    { page: 1, per_page: 50 },
  );
  preparePeer(join(folder, "relay"), "relay", {
    bindings: { DATABASE_URL: databaseUrl, STATEMENT: statement },
  });
  const relay = await serve(join(folder, "relay"));
  preparePeer(join(folder, "mapping"), "mapping", serviceConfig(databaseUrl));
  const mapping = await serve(join(folder, "mapping"));
  try {
    const authorizations = await tokens(500);
    const ours: Target = { ...service, authorizations };
    const figures = await roundTrips({ ...ours, url: counted.url });
    progress("HTTP: throughput");
    figures.push(
      ...(await throughput(
        { ours, relay: { ...relay, authorizations: ["-"] } },
        "/v1/lancamentos?per_page=50",
        seconds,
      )),
    );
    progress("HTTP: access log");
    figures.push(await measureAudit({ ...recording, authorizations }, ours, seconds));
    progress("HTTP: CPU");
    const cpu = await fireInTurn(
      { ours, mapping: { ...mapping, authorizations } },
      "/v1/lancamentos?per_page=200",
      4,
      seconds,
    );
    const ms = (value: number) => `${value.toFixed(2)} ms`;
    figures.push(
      atMost(
        "CPU per request of the Worker, 200 ledger entries: ours / row mapping",
        cpu.ours.cpuMs / cpu.mapping.cpuMs,
        1 / 3,
        `${ms(cpu.ours.cpuMs)} / ${ms(cpu.mapping.cpuMs)}`,
      ),
      plain(
        "memory of the Worker's process at the end",
        `${residentMiB(service.pid).toFixed(0)} MiB`,
        "resident",
      ),
    );
    return figures;
  } finally {
    await Promise.all([service, counted, recording, relay, mapping].map((served) => served.stop()));
    endpointProcess.child.kill();
    await counting.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
