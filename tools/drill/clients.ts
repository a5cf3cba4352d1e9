import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Drill, failedOf, type TestResult, tally } from "./drill.ts";
import type { Service } from "./service.ts";

/** What the service sends back on a raw connection that `write` writes to. */
const onWire = (
  service: Service,
  write: (send: (text: string) => void) => Promise<void>,
  ms = 3000,
): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(service.url.port), "127.0.0.1");
    const end = () => {
      socket.destroy();
      resolve(received);
    };
    socket.on("data", (data) => {
      received += data.toString("latin1");
    });
    socket.on("error", end);
    socket.on("close", end);
    socket.on("connect", () => {
      write((text) => socket.write(text)).then(() => setTimeout(end, ms), reject);
    });
  });

const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

const isHealthy = async (service: Service) => (await service.ask("/health")).status === 200;

const oddConnections = async (service: Service, count: number): Promise<TestResult[]> => {
  const host = `Host: 127.0.0.1:${service.url.port}\r\n`;
  const health = `GET /health HTTP/1.1\r\n${host}\r\n`;
  const results: TestResult[] = [];
  const piped = await onWire(service, async (send) => send(health.repeat(20)));
  results.push({
    action: "20 requests pipelined on one connection",
    outcome: tally(statuses(piped)),
    failed: failedOf({
      "20 responses of 200": statuses(piped).filter((status) => status === 200).length === 20,
    }),
  });
  const login = `POST /auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"email":"a`;
  const cut = await Promise.all(
    Array.from({ length: count }, () => onWire(service, async (send) => send(login), 50)),
  );
  results.push({
    action: `${count} connections cut in the middle of a body`,
    outcome: `${cut.filter((received) => received === "").length} without a response, because the client had left`,
    failed: failedOf({ "/health is 200": await isHealthy(service) }),
  });
  const slow = await Promise.all(
    Array.from({ length: 20 }, () =>
      onWire(service, async (send) => {
        for (const letter of health) {
          send(letter);
          await wait(20);
        }
      }),
    ),
  );
  results.push({
    action: "20 clients that send one character every 20 ms",
    outcome: tally(slow.flatMap(statuses)),
    failed: failedOf({
      "every slow client gets 200": slow.every((received) => statuses(received)[0] === 200),
      "/health is 200": await isHealthy(service),
    }),
  });
  const odd = [
    `GET /health HTTP/1.1\r\n${host}X-Large: ${"x".repeat(200_000)}\r\n\r\n`,
    `GET /${"x".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    `GET /health HTTP/9.9\r\n${host}\r\n`,
    "\u0000\u0001\u0002\r\n\r\n",
    `POST /auth/login HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nZZ\r\n`,
    `GET /health HTTP/1.1\r\n${host}Authorization: Bearer ${"é".repeat(3000)}\r\n\r\n`,
  ];
  const answers = (
    await Promise.all(odd.map((text) => onWire(service, async (send) => send(text), 1000)))
  ).map(statuses);
  results.push({
    action:
      "a header of 200 kB, a URL of 20 kB, HTTP/9.9, control characters, broken chunks, a token that is not ASCII",
    outcome: tally(answers.map(([first]) => first ?? 0)),
    failed: failedOf({
      "no 5xx except 501 and 505": answers
        .flat()
        .every((status) => status < 500 || status === 501 || status === 505),
      "/health is 200": await isHealthy(service),
    }),
  });
  return results;
};

/** 200 records of 100 kB, five pages in parallel. */
const largePages = async (service: Service): Promise<TestResult> => {
  await service.owner.query(`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
    select 'large-' || i, 'large', jsonb_build_object('x', (select string_agg(md5(random()::text || n), '') from generate_series(1, 3200) n))
    from generate_series(1, 200) i`);
  const headers = service.bearer(await service.signIn());
  const { process: before } = await service.memory.collected();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, service.memory.residentMiB());
  }, 20);
  const ask = (perPage: number) =>
    Promise.all(
      Array.from({ length: 5 }, () =>
        service.ask(`/v1/lancamentos?estabelecimento_id=large&per_page=${perPage}`, { headers }),
      ),
    );
  const refused = await ask(200);
  const served = await ask(30);
  clearInterval(watch);
  await service.owner.query("delete from lancamentos where estabelecimento_id = 'large'");
  return {
    action: "five parallel pages of 200, then of 30 records of 100 kB",
    outcome: `200: ${tally(refused.map(({ status }) => status))}; 30: ${tally(served.map(({ status }) => status))}; memory ${before.toFixed(0)} MiB before, ${most.toFixed(0)} MiB at most`,
    failed: failedOf({
      "200 records: 400 that names per_page": refused.every(
        ({ status, body }) => status === 400 && body.includes("per_page"),
      ),
      "30 records: 200": served.every(({ status }) => status === 200),
      "memory grows by less than 128 MiB": most - before < 128,
    }),
  };
};

export const clients: Drill = {
  name: "clients",
  findings:
    "A chunked body that was cut off was a 500. Now it is a 400 that says to send it again. Five parallel pages of 20 MB did not fit in a Worker. Now a page over 4 MiB is a 400 that names `per_page`.",
  async *run(service, { short }) {
    yield* await oddConnections(service, short ? 50 : 500);
    yield await largePages(service);
  },
};
