// @module-tag slow
// @module-tag server
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { type Rights, UNRESTRICTED } from "../../../../src/core/rights.ts";
import type { RuntimeOptions } from "../../../../tools/local/runtime.ts";
import { tokens } from "../../../../tools/local/tokens.ts";
import { closeMonth, reopenMonth } from "../../../../tools/warehouse/closings.ts";
import { insertRows } from "../../../oracle/rows.ts";
import { cheapHash } from "../../../support/cheap-hash.ts";
import { openMigrated } from "../../../support/node/databases.ts";
import { type Answer, succeed, useWatch } from "../../../support/node/watch.ts";

const QUARTER = 900_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Friday, 20:00 in Brasília. */
const EVENING = Date.parse("2026-11-27T23:00:00Z");

const bed = useWatch(() => openMigrated(process.env.TEST_DATABASE_URL));
const { requests, lines } = bed;
let db: pg.Client;

const refuse: Answer = (_, response) => void response.writeHead(500).end();

const SECRET = "secret-words";
const webhook = () => ({
  SUMMARY_WEBHOOK: bed.addressOf(`/summary?key=${SECRET}`),
});
const EMAIL = { SUMMARY_EMAIL: "gerencia@example.com", SUMMARY_FROM: "resumo@example.com" };
const both = () => ({ ...webhook(), ...EMAIL });

interface Message {
  text: string;
  figures: { em: string };
}
/** The bodies of requests to the webhook, oldest first. */
const posted = () => requests.map(({ body }) => body);
const messages = (): Message[] => posted().map((body) => JSON.parse(body));

interface Email {
  from: string;
  to: string[];
  subject: string;
  messageId: string;
  text: string;
}
interface Line {
  level: string;
  event?: string;
  [name: string]: unknown;
}
const runLines = (): Line[] => lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "watch");

/** Starts the service, whose e-mails can be read. */
const startService = async (settings: Record<string, string>, options: RuntimeOptions = {}) => {
  const service = await bed.start(settings, { unsafeLocalExplorer: true, ...options });
  const explore = async (query = "") => {
    const response = await service.ask(`/cdn-cgi/local/explorer/api/local/email/sending${query}`);
    return ((await response.json()) as { result: unknown }).result;
  };
  return {
    ...service,
    sendNow: (headers?: Record<string, string>) =>
      service.ask("/operations/summary", { method: "POST", ...(headers && { headers }) }),
    /** The e-mails that were sent, newest first. */
    emails: async () => {
      const all = (await explore()) as Email[];
      return Promise.all(
        all.map(({ messageId }) => explore(`?email_id=${encodeURIComponent(messageId)}`) as Promise<Email>),
      );
    },
  };
};

const bearer = async (rights: Rights = UNRESTRICTED) => {
  const [Authorization = ""] = await tokens(1, rights);
  return { Authorization };
};

beforeAll(() => {
  db = bed.db;
});

describe("the summary", () => {
  it("is sent once a day by each channel, in the first run from 20:00 in Brasília (W2)", async () => {
    const service = await startService(both());
    const sentAt: string[] = [];
    for (const evening of ["2026-11-27T23:00:00Z", "2018-12-10T22:00:00Z"].map((at) => Date.parse(at)))
      for (const eight of [evening, evening + DAY])
        for (const at of [-19 * HOUR, -HOUR, -QUARTER, 0, QUARTER, 3 * HOUR].map((from) => eight + from)) {
          await service.run(at);
          if (requests.length > sentAt.length) sentAt.push(new Date(at).toISOString());
        }
    expect(sentAt).toEqual([
      "2026-11-27T23:00:00.000Z",
      "2026-11-28T23:00:00.000Z",
      // In summer time.
      "2018-12-10T22:00:00.000Z",
      "2018-12-11T22:00:00.000Z",
    ]);
    expect(messages().map(({ figures }) => figures.em)).toEqual(
      sentAt.map((at) => at.replace("Z", "+00:00")),
    );
    const subjects = (await service.emails()).map(({ subject }) => subject.slice(0, 20)).reverse();
    expect(subjects).toEqual(
      ["27/11/2026", "28/11/2026", "10/12/2018", "11/12/2018"].map((day) => `Resumo de ${day}`),
    );
  });

  it("costs no statement of its own in the later runs of the evening (W2)", async () => {
    const service = await startService(webhook());
    await service.run(EVENING);
    // Only the summary reads goals.
    await db.query("alter table metas rename to renamed");
    try {
      await service.run(EVENING + QUARTER);
    } finally {
      await db.query("alter table renamed rename to metas");
    }
    await expect.poll(() => runLines().length).toBe(2);
    expect(
      runLines().map(({ level, sqlstate, summary_webhook }) => [level, sqlstate, summary_webhook]),
    ).toEqual([
      ["info", undefined, "delivered"],
      ["info", undefined, undefined],
    ]);
  });

  it.each<[string, Answer, string]>([
    ["500", refuse, "status 500"],
    ["a redirect", (_, response) => void response.writeHead(302, { Location: "/" }).end(), "status 302"],
    ["no response", (request) => void request.socket.destroy(), "no response"],
  ])(
    "that gets %s is sent again by each later run until midnight, and not by the other channel (W2)",
    async (_, fail, logged) => {
      bed.answer = fail;
      const service = await startService(both());
      const at = EVENING + 3 * HOUR;
      for (let run = 0; run < 6; run += 1) await service.run(at + run * QUARTER);
      expect(messages().map(({ figures }) => Date.parse(figures.em))).toEqual(
        [0, 1, 2, 3].map((run) => at + run * QUARTER),
      );
      bed.answer = succeed;
      await service.run(EVENING + DAY);
      await service.run(EVENING + DAY + QUARTER);
      expect(posted()).toHaveLength(5);
      expect(await service.emails()).toHaveLength(2);
      await expect.poll(() => runLines().length).toBe(8);
      expect(
        runLines().map(({ level, summary_webhook, summary_email }) => [
          level,
          summary_webhook,
          summary_email,
        ]),
      ).toEqual([
        ["error", logged, "delivered"],
        ...Array(3).fill(["error", logged, undefined]),
        ...Array(2).fill(["info", undefined, undefined]),
        ["info", "delivered", "delivered"],
        ["info", undefined, undefined],
      ]);
      expect(lines.join()).not.toMatch(/secret-words|127\.0\.0\.1|example\.com/);
    },
  );

  it("whose e-mail is refused is sent again by e-mail alone (W2)", async () => {
    const service = await startService(both(), {
      email: { send_email: [{ name: "EMAIL", allowed_sender_addresses: ["other@example.com"] }] },
    });
    await service.run(EVENING);
    await service.run(EVENING + QUARTER);
    expect([requests.length, await service.emails()]).toEqual([1, []]);
    await expect.poll(() => runLines().length).toBe(2);
    expect(
      runLines().map(({ level, summary_webhook, summary_email }) => [level, summary_webhook, summary_email]),
    ).toEqual([
      ["error", "delivered", "refused"],
      ["error", undefined, "refused"],
    ]);
    expect(lines.join()).not.toContain("example.com");
  });

  it("waits for the next run if the database does not answer, and the log has the SQLSTATE (W2)", async () => {
    const service = await startService(both());
    await db.query("alter table metas rename to renamed");
    try {
      await service.run(EVENING);
      expect(posted()).toEqual([]);
    } finally {
      await db.query("alter table renamed rename to metas");
    }
    await service.run(EVENING + QUARTER);
    expect([requests.length, (await service.emails()).length]).toEqual([1, 1]);
    await expect.poll(() => runLines().length).toBe(2);
    expect(runLines()).toEqual([
      expect.objectContaining({
        level: "error",
        summary_webhook: "not sent",
        summary_email: "not sent",
        sqlstate: "42P01",
      }),
      expect.objectContaining({ level: "info", summary_webhook: "delivered", summary_email: "delivered" }),
    ]);
  });

  it("is sent once if several runs start at the same time (W2)", async () => {
    // So slow that all runs have their figures before the first message is delivered.
    bed.answer = (_, response) => void setTimeout(() => response.end(), 3000);
    const service = await startService(both());
    await Promise.all(Array.from({ length: 6 }, () => service.run(EVENING)));
    expect([requests.length, (await service.emails()).length]).toEqual([1, 1]);
  });

  it("is sent by e-mail alone, and a run then also finds problems (W1, W2)", async () => {
    const service = await startService(EMAIL);
    await service.run(EVENING - HOUR);
    await service.run(EVENING);
    expect([posted(), (await service.emails()).length]).toEqual([[], 1]);
    await expect.poll(() => runLines().length).toBe(2);
    expect(runLines()[0]).toMatchObject({ event: "watch", problems: expect.any(Number) });
    expect(runLines()[0]).not.toHaveProperty("summary_email");
  });
});

describe("the message", () => {
  const SECOND_DAY = Date.parse("2031-07-11T23:00:00Z");
  const clear = () =>
    db.query(
      "truncate transacoes, vendas_produto, pagamentos_erp, lancamentos, metas, jobs_log, estabelecimentos",
    );
  const visit = (unit: string, data_hora: string, total: string, sent_to_erp = true) => ({
    salon_id: `S${unit}${data_hora}${total}`,
    estabelecimento_id: unit,
    data_hora,
    total,
    sent_to_erp,
    cliente_salon_id: "PLANTED-1",
    cliente_nome: "Planted Client",
    servicos: [{ nome: "Planted Service", idProfissionalQueRealizouServico: 5001 }],
    raw_data: { cliente: "Planted Client" },
  });

  it("has the same text in both channels, without markup, clients or professionals (W2)", async () => {
    await clear();
    await insertRows(db, "estabelecimentos", [
      { nome: '<!channel> & @everyone "Sul" \\', salon_id: "101", ativo: true },
      { nome: "Salão Moema", salon_id: "102", ativo: true },
    ]);
    await insertRows(db, "transacoes", [
      visit("101", "2031-07-11T12:00:00Z", "100.00"),
      visit("102", "2031-07-11T13:00:00Z", "150.50", false),
      visit("102", "2031-07-04T13:00:00Z", "200.00"),
      visit("101", "2031-06-02T12:00:00Z", "300.00"),
      visit("102", "2031-06-11T22:24:00Z", "1000.00"),
      visit("103", "2031-06-11T12:00:00Z", "0.10"),
      // After the time until which June counts: that of the data.
      visit("102", "2031-06-11T22:26:00Z", "4000.00"),
    ]);
    await insertRows(db, "metas", [{ estabelecimento_id: "101", mes: "2031-07-01", valor: "1000.00" }]);
    const payment = { raw_data: { pessoa: "Planted Person" }, descricao: "Planted Person" };
    await insertRows(db, "pagamentos_erp", [
      { erp_id: 1, situacao: 1, valor: "4300.00", data_vencimento: "2031-07-10", ...payment },
      { erp_id: 2, situacao: 1, valor: "10.00", data_vencimento: "2031-07-11", ...payment },
      { erp_id: 3, situacao: 1, valor: "20.00", data_vencimento: "2031-07-17", ...payment },
      { erp_id: 4, situacao: 2, valor: "99.00", data_vencimento: "2031-07-12", ...payment },
    ]);
    await insertRows(db, "lancamentos", [
      { salon_id: "L1", estabelecimento_id: "101", raw_data: { ValorBruto: 640, Pessoa: "Planted Person" } },
    ]);
    const job = (job_name: string, status: string, created_at: string) => ({
      queue: "q",
      job_name,
      status,
      created_at,
      error: "Planted Error",
    });
    await insertRows(db, "jobs_log", [
      job("sync-transacoes", "completed", "2031-07-11T22:25:00Z"),
      job("send-receber", "completed", "2031-07-11T21:55:00Z"),
      job("send-receber", "failed", "2031-07-11T22:55:00Z"),
    ]);
    const service = await startService(both());
    await service.run(SECOND_DAY);
    const [email] = await service.emails();
    expect(email).toMatchObject({
      from: EMAIL.SUMMARY_FROM,
      to: [EMAIL.SUMMARY_EMAIL],
      subject: "Resumo de 11/07/2031: R$ 250,50",
    });
    expect(`\n${email?.text}\n`).toBe(`
Resumo de sexta-feira, 11/07/2031, até 20h00

Hoje, comparado com sexta-feira, 04/07, até 19h25
- Faturamento: R$ 250,50, antes R$ 200,00 (+25,3%)
- Atendimentos: 2, antes 1 (+100,0%)
- Ticket médio dos salões: R$ 125,25, antes R$ 200,00 (−37,4%)

Julho, comparado com junho até o dia 11, 19h25
- Faturamento: R$ 450,50, antes R$ 1.300,10 (−65,3%)
- Atendimentos: 3, antes 3 (0,0%)
- Ticket médio dos salões: R$ 150,17, antes R$ 433,37 (−65,3%)
- Meta do mês: R$ 1.000,00 em 1 de 2 unidades (10,0% atingidos)

Unidades que mais caíram em julho, na mesma comparação
- Salão Moema: R$ 350,50, antes R$ 1.000,00 (−65,0%)
- <!channel> & @everyone "Sul" \\: R$ 100,00, antes R$ 300,00 (−66,7%)
- Unidade 103: R$ 0,00, antes R$ 0,10 (−100,0%)

Contas a pagar
- Vencidas: 1 conta, R$ 4.300,00
- Vencem de hoje a 17/07: 2 contas, R$ 30,00

Não enviados
- Ao ERP: 1 atendimento, R$ 150,50
- Ao sistema do salão: 1 lançamento, R$ 640,00

Última conclusão das rotinas
- Importação dos atendimentos: há 35 min
- Envio dos recebimentos ao ERP: há 1h05, depois falhou
- Envio dos pagamentos ao sistema do salão: nunca concluída
`);
    const escaped = "&lt;!channel&gt; &amp; (at)everyone 'Sul' /";
    expect(messages()[0]?.text).toBe(email?.text.replace('<!channel> & @everyone "Sul" \\', escaped));
    expect(JSON.stringify([posted(), email, lines])).not.toMatch(/planted/i);
  });

  it("goes to the address of the alerts as a message of its own (W1, W2)", async () => {
    await clear();
    const { SUMMARY_WEBHOOK } = webhook();
    const service = await startService({ SUMMARY_WEBHOOK, ALERT_WEBHOOK: SUMMARY_WEBHOOK });
    await service.run(EVENING);
    expect(messages().map((message) => Object.keys(message)[1])).toEqual(["state", "figures"]);
  });

  it("says so if nothing was sold, is due or ever ran, and at the first of January (W2)", async () => {
    await clear();
    const service = await startService(webhook());
    await service.run(Date.parse("2032-01-01T23:15:00Z"));
    expect(`\n${messages()[0]?.text}\n`).toBe(`
Resumo de quinta-feira, 01/01/2032, até 20h15

Hoje, comparado com quinta-feira, 25/12, até 20h15
- Faturamento: R$ 0,00, antes R$ 0,00
- Atendimentos: 0, antes 0
- Ticket médio dos salões: —, antes —

Janeiro, comparado com dezembro de 2031 até o dia 1º, 20h15
- Faturamento: R$ 0,00, antes R$ 0,00
- Atendimentos: 0, antes 0
- Ticket médio dos salões: —, antes —
- Meta do mês: não definida

Unidades que mais caíram em janeiro: nenhuma

Contas a pagar
- Vencidas: nenhuma
- Vencem de hoje a 07/01: nenhuma

Não enviados
- Ao ERP: nenhum
- Ao sistema do salão: nenhum

Última conclusão das rotinas
- Importação dos atendimentos: nunca concluída
- Envio dos recebimentos ao ERP: nunca concluída
- Envio dos pagamentos ao sistema do salão: nunca concluída
`);
  });

  it("compares nothing that the data has not reached (R23, W2)", async () => {
    await clear();
    await insertRows(db, "transacoes", [
      visit("101", "2031-07-31T12:00:00Z", "0.10"),
      visit("101", "2031-08-01T12:00:00Z", "100.00"),
      visit("102", "2031-08-01T12:00:00Z", "-5.00"),
    ]);
    const completed = { queue: "q", job_name: "sync-transacoes", status: "completed" };
    await insertRows(db, "jobs_log", [{ ...completed, created_at: "2031-08-01T02:30:00Z" }]);
    const service = await startService(webhook());
    await service.run(Date.parse("2031-08-01T23:00:00Z"));
    const text = messages()[0]?.text ?? "";
    expect(text.split("\n\n").slice(1, 4)).toEqual([
      "Hoje\n- Faturamento: R$ 95,00\n- Atendimentos: 2\n- Ticket médio dos salões: R$ 47,50",
      "Agosto\n- Faturamento: R$ 95,00\n- Atendimentos: 2\n- Ticket médio dos salões: R$ 47,50\n" +
        "- Meta do mês: não definida",
      "Contas a pagar\n- Vencidas: nenhuma\n- Vencem de hoje a 07/08: nenhuma",
    ]);
  });

  it("fits into Discord, whatever the names of units and the sums are (W2)", async () => {
    await clear();
    await insertRows(
      db,
      "estabelecimentos",
      ["1", "2", "3"].map((salon_id) => ({ nome: "&".repeat(300), salon_id, ativo: true })),
    );
    await insertRows(
      db,
      "transacoes",
      ["1", "2", "3"].flatMap((unit) => [
        visit(unit, "2031-06-02T12:00:00Z", "999999999999.99"),
        visit(unit, "2031-07-11T12:00:00Z", "-999999999999.99"),
        visit(unit, "2031-07-04T12:00:00Z", "-999999999999.99", false),
      ]),
    );
    const service = await startService(both());
    await service.run(SECOND_DAY);
    const [message] = messages();
    expect(message?.text).toMatch(/\n- (&amp;){60}: .*\n- …\n/);
    expect(message?.text.length).toBeLessThan(2000);
    expect((await service.emails())[0]?.text).toMatch(/(\n- &{60}: .*){3}\n/);
  });
});

describe("POST /operations/summary", () => {
  it("sends the summary now, and the one of the evening is sent as well (W2)", async () => {
    const service = await startService(both());
    const response = await service.sendNow(await bearer());
    expect([response.status, await response.json()]).toEqual([
      200,
      { webhook: "delivered", email: "delivered" },
    ]);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const [message] = messages();
    const day = new Date(Date.now() - 3 * HOUR).toISOString().slice(0, 10);
    await service.run(Date.parse(`${day}T23:00:00Z`));
    expect([requests.length, (await service.emails()).length]).toEqual([2, 2]);
    expect(Math.abs(Date.now() - Date.parse(message?.figures.em ?? ""))).toBeLessThan(HOUR);
  });

  it("says how each channel failed, and null for one that is not set (W2)", async () => {
    bed.answer = refuse;
    const service = await startService(webhook());
    const failed = await service.sendNow(await bearer());
    expect([failed.status, await failed.json()]).toEqual([200, { webhook: "status 500", email: null }]);
    await db.query("alter table metas rename to renamed");
    try {
      const unavailable = await service.sendNow(await bearer());
      expect([unavailable.status, Object.keys((await unavailable.json()) as object)]).toEqual([
        500,
        ["error", "message"],
      ]);
    } finally {
      await db.query("alter table renamed rename to metas");
    }
    const unset = await startService({ DATABASE_URL: "postgres://salon_api:-@127.0.0.1:1/none" });
    const nothing = await unset.sendNow(await bearer());
    expect([nothing.status, await nothing.json()]).toEqual([200, { webhook: null, email: null }]);
  });

  it("is a 503 if the database does not answer, and sends nothing (W2, E2)", async () => {
    const service = await startService({
      ...both(),
      DATABASE_URL: "postgres://salon_api:-@127.0.0.1:1/none",
    });
    const response = await service.sendNow(await bearer());
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([
      503,
      ["error", "message"],
    ]);
    expect([posted(), await service.emails()]).toEqual([[], []]);
  });

  it("needs an access token of a user with all rights (W2, A11)", async () => {
    const service = await startService(both());
    for (const [headers, status] of [
      [undefined, 401],
      [{ Authorization: `Bearer agt_${"a".repeat(43)}` }, 401],
      [await bearer({ ...UNRESTRICTED, units: ["101"] }), 403],
      [await bearer({ ...UNRESTRICTED, personalData: false }), 403],
      [await bearer({ ...UNRESTRICTED, payments: false }), 403],
    ] as const) {
      const response = await service.sendNow(headers);
      expect([response.status, await response.json()]).toEqual([
        status,
        {
          error: expect.any(String),
          message: expect.stringMatching(status === 403 ? /^Only a user with all rights/ : /token/),
        },
      ]);
    }
    expect([posted(), await service.emails()]).toEqual([[], []]);
  });

  describe("npm run smoke", () => {
    const ACCOUNT = { SMOKE_EMAIL: "smoke@example.com", SMOKE_PASSWORD: "smoke-password" };
    const smoke = async (args: string[], env: Record<string, string> = {}) =>
      promisify(execFile)(
        "node",
        [join(import.meta.dirname, "../../../../tools/operate/smoke.ts"), ...args],
        {
          env: { ...process.env, ...ACCOUNT, ...env },
        },
      ).then(
        ({ stdout }) => ({ code: 0, output: stdout }),
        ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
      );
    beforeAll(() =>
      db.query("insert into users (email, name, password_hash) values ($1, 'Smoke', $2)", [
        ACCOUNT.SMOKE_EMAIL,
        cheapHash(ACCOUNT.SMOKE_PASSWORD),
      ]),
    );

    it("sends the summary with --summary only, and prints a line for each channel (W2)", async () => {
      const service = await startService(both());
      const plain = await smoke([service.url.href]);
      expect([plain.code, posted()]).toEqual([0, []]);
      expect(plain.output).not.toContain("summary");
      const sent = await smoke(["--summary", service.url.href]);
      expect(sent.output).toMatch(/^ok {4}summary by webhook\nok {4}summary by email$/m);
      expect([sent.code, requests.length, (await service.emails()).length]).toEqual([0, 1, 1]);
      bed.answer = refuse;
      const failed = await smoke([service.url.href, "--summary"]);
      expect(failed.output).toMatch(/^FAIL {2}summary by webhook {2}status 500\. Check SUMMARY_WEBHOOK\nok/m);
      expect(failed.code).toBe(1);
      await db.query("update users set payments = false where email = $1", [ACCOUNT.SMOKE_EMAIL]);
      const limited = await smoke([service.url.href, "--summary"]);
      expect(limited.output).toMatch(/^FAIL {2}summary {2}answered 403: Only a user with all rights/m);
      await db.query("update users set payments = true where email = $1", [ACCOUNT.SMOKE_EMAIL]);
    });

    it("fails with what to set if no channel is set, and rejects a wrong command line with 2 (W2)", async () => {
      const service = await startService({});
      const { code, output } = await smoke(["--summary", service.url.href]);
      expect(output).toMatch(
        /^FAIL {2}summary {2}has no channel\. Set SUMMARY_WEBHOOK, or SUMMARY_EMAIL and SUMMARY_FROM$/m,
      );
      expect(code).toBe(1);
      for (const [args, env, message] of [
        [["--summary"], {}, /^Give the URL of one service\./],
        [["--summary=yes", "http://127.0.0.1:1"], {}, /'--summary' does not take an argument/],
        [
          ["http://127.0.0.1:1"],
          { npm_config_summary: "true" },
          /^npm took --summary for itself\. Write -- before it/,
        ],
      ] as const)
        expect(await smoke([...args], env)).toEqual({ code: 2, output: expect.stringMatching(message) });
    });
  });
});

describe("closed months in the summary", () => {
  const addVisit = (at: string, total: string) =>
    insertRows(db, "transacoes", [
      {
        salon_id: `closed ${at}`,
        estabelecimento_id: "101",
        data_hora: at,
        total,
        servicos: [],
        raw_data: {},
      },
    ]);

  it("are named if they changed since they were closed, unless they were reopened (F2, W2)", async () => {
    await db.query("truncate transacoes, lancamentos, jobs_log");
    await addVisit("2025-10-10T12:00:00Z", "10.00");
    for (const month of ["2025-08", "2025-09", "2025-10", "2025-11"]) await closeMonth(db, month);
    const service = await startService(webhook());
    await service.run(EVENING);
    await addVisit("2025-08-10T12:00:00Z", "1.00");
    await addVisit("2025-10-11T12:00:00Z", "1234.56");
    await db.query(`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
      values ('of a closed month', '101', '{"DataVencimento": "2025-11-30"}')`);
    await reopenMonth(db, "2025-08");
    await service.run(EVENING + DAY);
    const sections = messages().map(({ text }) =>
      text.split("\n\n").filter((section) => section.startsWith("Meses fechados")),
    );
    expect(sections).toEqual([
      [],
      [
        "Meses fechados que mudaram desde o fechamento\n- Novembro de 2025: lançamentos\n" +
          "- Outubro de 2025: faturamento +R$ 1.234,56, atendimentos, serviços e produtos",
      ],
    ]);
    const { figures } = messages()[1] as unknown as { figures: { fechamentos: object[] } };
    expect(figures.fechamentos).toMatchObject([
      { mes: "2025-11", figures: ["lancamentos"] },
      { mes: "2025-10", totais: { diferenca: { faturamento: 1234.56, visitas: 1 } } },
    ]);
    // Neither the operator nor the note leaves the service.
    expect(figures.fechamentos.map((one) => Object.keys(one))).toEqual(
      Array(2).fill(["mes", "totais", "figures"]),
    );
  });
});
