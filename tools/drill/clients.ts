import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { brokenOf, type Drill, type Line, tally } from "./drill.ts";
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

const stillWell = async (service: Service) => (await service.ask("/health")).status === 200;

const oddConnections = async (service: Service, count: number): Promise<Line[]> => {
  const host = `Host: 127.0.0.1:${service.url.port}\r\n`;
  const health = `GET /health HTTP/1.1\r\n${host}\r\n`;
  const lines: Line[] = [];
  const piped = await onWire(service, async (send) => send(health.repeat(20)));
  lines.push({
    did: "20 requests pipelined on one connection",
    counted: tally(statuses(piped)),
    broken: brokenOf({
      "20 answers of 200": statuses(piped).filter((status) => status === 200).length === 20,
    }),
  });
  const login = `POST /auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"email":"a`;
  const cut = await Promise.all(
    Array.from({ length: count }, () => onWire(service, async (send) => send(login), 50)),
  );
  lines.push({
    did: `${count} connections cut in the middle of a body`,
    counted: `${cut.filter((received) => received === "").length} without an answer, as nobody was there for one`,
    broken: brokenOf({ "the service is well": await stillWell(service) }),
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
  lines.push({
    did: "20 clients that send a letter every 20 ms, beside quick ones",
    counted: tally(slow.flatMap(statuses)),
    broken: brokenOf({
      "every slow one is served": slow.every((received) => statuses(received)[0] === 200),
      "the service is well": await stillWell(service),
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
  lines.push({
    did: "a header of 200 kB, a URL of 20 kB, HTTP/9.9, NULs, broken chunks, a token of odd letters",
    counted: tally(answers.map(([first]) => first ?? 0)),
    broken: brokenOf({
      "no 5xx but for what is no HTTP": answers
        .flat()
        .every((status) => status < 500 || status === 501 || status === 505),
      "the service is well": await stillWell(service),
    }),
  });
  return lines;
};

/** 200 records of 100 kB, five pages in parallel. */
const largePages = async (service: Service): Promise<Line> => {
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
    did: "pages of 200 and of 30 records of 100 kB, five at once",
    counted: `200: ${tally(refused.map(({ status }) => status))}; 30: ${tally(served.map(({ status }) => status))}; memory ${before.toFixed(0)} MiB before, ${most.toFixed(0)} at most`,
    broken: brokenOf({
      "200 of them: 400 that says to lower per_page": refused.every(
        ({ status, body }) => status === 400 && body.includes("per_page"),
      ),
      "30 of them are served": served.every(({ status }) => status === 200),
      "they add less than 128 MiB": most - before < 128,
    }),
  };
};

export const clients: Drill = {
  name: "clients",
  found:
    "A chunked body that broke off was a 500: it is a 400 that says to send it again. Pages of 20 MB, five at once, did not fit a Worker: a page over 4 MiB is a 400 that names `per_page`.",
  async *run(service, { short }) {
    yield* await oddConnections(service, short ? 50 : 500);
    yield await largePages(service);
  },
};
