import { SETTINGS } from "../local/runtime.ts";
import { ACCOUNT } from "./client.ts";
import { type Drill, failedOf } from "./drill.ts";
import type { Service } from "./service.ts";

/** Values that reach SQL as parameters. They must not appear in logs. */
const PARAMETERS = ["segredo-7431", "Fulana Segredo 9922"];

/** All values that must not appear in logs, errors, object names and URLs. */
const secretsOf = async ({ owner, captured }: Service, bundle: string): Promise<Record<string, string[]>> => {
  const all = async (query: string): Promise<string[]> =>
    (await owner.query({ text: query, rowMode: "array" })).rows.map(([value]) => String(value));
  // A demo name that is also an example of the document may be in an error: "for example Ana Almeida".
  const names = async (query: string) => (await all(query)).filter((name) => !bundle.includes(name));
  return {
    CPF: await all("select cpf from profissionais where cpf is not null"),
    "professional's name": await names("select distinct nome from profissionais"),
    "client's name": await names(
      "select distinct cliente_nome from transacoes where cliente_nome is not null",
    ),
    "e-mail": [ACCOUNT.email, ...(await all("select email from users"))],
    "user's name": [ACCOUNT.name],
    password: [ACCOUNT.password, "wrong-password-1"],
    "password hash": await all("select password_hash from users"),
    token: captured.issued,
    "signing key": [SETTINGS.TOKEN_KEYS.slice(2)],
    "SQL parameter": PARAMETERS,
  };
};

const provoke = async (service: Service) => {
  const headers = service.bearer(await service.signIn());
  const paths = [
    `/v1/transacoes?estabelecimento_id=${PARAMETERS[0]}`,
    `/v1/produtos?nome=${encodeURIComponent(PARAMETERS[1] ?? "")}`,
    "/v1/profissionais",
    "/v1/profissionais?per_page=0",
    "/v1/transacoes/T1",
  ];
  const round = async () => {
    for (const path of paths) await service.ask(path, { headers });
    await service.post("/auth/login", { email: ACCOUNT.email, password: "wrong-password-1" });
    await service.post("/auth/login", { email: ACCOUNT.email, password: 7 });
    await service.post("/auth/refresh", { refresh_token: service.captured.issued.at(-1)?.slice(0, -3) });
    await service.ask("/v1/transacoes", {
      headers: { Authorization: `Bearer ${service.captured.issued[0]}x` },
    });
  };
  await round();
  service.proxy.breakWith({
    is: "answer",
    status: 400,
    body: `{"message":"bad ${PARAMETERS[0]}","code":"22023"}`,
  });
  await round();
  service.proxy.breakWith({ is: "refused" });
  await round();
  service.proxy.breakWith(undefined);
};

/** The length of the shortest secret. */
const PREFIX_LENGTH = 8;

/** Finds which values occur in the texts. One pass over each text, indexed by the first characters of the values. */
const findOccurring = (values: string[], texts: string[]): Set<string> => {
  const byPrefix = Map.groupBy(values, (value) => value.slice(0, PREFIX_LENGTH));
  const occurring = new Set<string>();
  for (const text of texts) {
    for (let i = 0; i + PREFIX_LENGTH <= text.length; i += 1) {
      for (const value of byPrefix.get(text.slice(i, i + PREFIX_LENGTH)) ?? [])
        if (text.startsWith(value, i)) occurring.add(value);
    }
  }
  return occurring;
};

/** Runs last, because it reads the logs and storage of all other drills. */
export const privacy: Drill = {
  name: "privacy",
  findings: "No defects.",
  async *run(service) {
    await provoke(service);
    const bundle = service.bundled();
    const secrets = await secretsOf(service, bundle);
    const stored = service.stored();
    const places: Record<string, string[]> = {
      "log lines and error bodies": service.captured.texts,
      "names of objects and KV keys": stored.map(({ name }) => name),
      "contents of objects and KV": stored.map(({ content }) => content.toString("latin1")),
    };
    const leaks: string[] = [];
    for (const [place, texts] of Object.entries(places)) {
      const occurring = findOccurring(Object.values(secrets).flat(), texts);
      for (const [kind, values] of Object.entries(secrets)) {
        const count = values.filter((value) => occurring.has(value)).length;
        if (count > 0) leaks.push(`${kind} in ${place} (${count})`);
      }
    }
    for (const [kind, values] of Object.entries(secrets)) {
      if (values.some((value) => bundle.includes(value))) leaks.push(`${kind} in the bundle`);
    }
    const searched = Object.values(secrets).reduce((sum, values) => sum + values.length, 0);
    yield {
      action: `a search for ${searched} secrets in ${service.captured.texts.length} log lines and error bodies, ${stored.length} names and files of objects and KV, and the bundle`,
      outcome: leaks.length === 0 ? "none found" : leaks.join("; "),
      failed: failedOf({
        "no secret is too short to search for": Object.values(secrets)
          .flat()
          .every(({ length }) => length >= PREFIX_LENGTH),
        "there were log lines to search": service.captured.texts.some((line) => line.includes('"route"')),
        "no secret is found": leaks.length === 0,
      }),
    };
  },
};
