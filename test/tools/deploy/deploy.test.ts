// @module-tag slow
import { execFile } from "node:child_process";
import { appendFileSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { copyCheckout } from "../../../tools/local/checkout.ts";
import { startCloudflareApi, UPLOADED } from "../../support/node/cloudflare-api.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PRODUCTION = "salon-erp-data-service";
const STAGING = "salon-erp-data-service-staging";

const folder = mkdtempSync(join(tmpdir(), "deploy-"));
let api: Awaited<ReturnType<typeof startCloudflareApi>>;

beforeAll(async () => {
  copyCheckout(folder);
  cpSync(join(ROOT, "tools"), join(folder, "tools"), {
    recursive: true,
    filter: (path) => !path.endsWith("node_modules"),
  });
  // What production has once it is deployed: a domain, and the id of its KV namespace.
  const file = join(folder, "wrangler.toml");
  const config = readFileSync(file, "utf8")
    .replace('binding = "HINTS"', 'binding = "HINTS"\nid = "namespace-of-production"')
    .replace(/^main = .*$/m, '$&\nroutes = [{ pattern = "production.example.com", custom_domain = true }]');
  writeFileSync(file, config);
  api = await startCloudflareApi();
});
beforeEach(() => void api.requests.splice(0));
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (command: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; output: string; errors: string }>((resolve) => {
    execFile(
      command,
      args,
      { cwd: folder, env: { ...process.env, ...api.env, ...env } },
      (error, output, errors) => resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
  });
const deploy = (args: string[], env?: Record<string, string>) =>
  run("node", [join(folder, "tools/deploy/deploy.ts"), ...args], env);

/** The names of the Workers that requests name. */
const workersAsked = () =>
  new Set(
    api.requests.flatMap(
      ({ path }) => /\/workers\/(?:scripts|services|workers)\/([^/?]+)/.exec(path)?.[1] ?? [],
    ),
  );
const sent = () => api.requests.map(({ method, path, body }) => `${method} ${path} ${body}`).join("\n");
const UPLOAD = /^(?:POST|PUT) \S+\/(?:versions|scripts\/[^/]+)(?:\?\S*)? \{"main_module/gm;

/** Replaces alerts.toml while `use` runs. */
const withAlerts = async <T>(text: string, use: () => Promise<T>): Promise<T> => {
  const file = join(folder, "alerts.toml");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, text);
  return use().finally(() => writeFileSync(file, before));
};
const INVALID = '[[alert]]\nname = "a"\nquestion = "visitas?medidas=x"\nabove = "1"\n';
const ERRORS = [
  "alerts.toml has 2 errors:",
  expect.stringMatching(/^- Rule 1 \(a\): `above` must be a finite number/),
  expect.stringMatching(/^- Rule 1 \(a\): `question`: `medidas` must be /),
];

describe("npm run deploy", () => {
  it("deploys a second Worker with --name, which gets no route and no KV namespace of production (O2)", async () => {
    // Workers Builds sets this variable to the Worker of its project.
    const { code, output, errors } = await deploy(["--name", STAGING], {
      WRANGLER_CI_OVERRIDE_NAME: PRODUCTION,
    });
    expect(code, output + errors).toBe(0);
    expect(output).toContain(`Worker ${STAGING}\n`);
    expect([...workersAsked()]).toEqual([STAGING]);
    expect(sent().match(UPLOAD)).toHaveLength(1);
    expect(sent()).toContain(`"title":"${STAGING}-hints"`);
    expect(sent()).not.toContain("namespace-of-production");
    expect(sent()).not.toContain("production.example.com");
    // The configuration of the second Worker is not kept.
    expect(globSync("wrangler*.json", { cwd: folder })).toEqual([]);
  });

  it("deploys production without --name, with its routes and its KV namespace (O2)", async () => {
    const { code, output, errors } = await deploy([]);
    expect(code, output + errors).toBe(0);
    expect([...workersAsked()]).toEqual([PRODUCTION]);
    expect(sent().match(UPLOAD)).toHaveLength(1);
    expect(sent()).toContain("namespace-of-production");
    expect(sent()).toContain("production.example.com");
  });

  it.each([
    [["--upload"], PRODUCTION, ""],
    [["--upload", "--name", STAGING], STAGING, ` --name ${STAGING}`],
  ])(
    "uploads a version without traffic with %j, and prints its id and the next command (O2)",
    async (args, worker, name) => {
      const { code, output, errors } = await deploy(args);
      expect(code, output + errors).toBe(0);
      const [, version = "none", kept = ""] =
        /^Version (\S+): its source map is in (.+)\.$/m.exec(output) ?? [];
      expect(globSync("*.map", { cwd: kept })).not.toEqual([]);
      expect(output).toMatch(
        new RegExp(
          `^NEW=${UPLOADED}\nnpm run wrangler -- versions deploy "\\$OLD@100%" "\\$NEW@0%"${name}\n$`,
          "m",
        ),
      );
      expect([...workersAsked()]).toEqual([worker]);
      const uploads = api.requests.filter(({ body }) => body.startsWith('{"main_module"'));
      expect(uploads.map(({ path }) => path)).toEqual([
        expect.stringMatching(new RegExp(`/scripts/${worker}/versions\\?`)),
      ]);
      const { bindings, annotations } = JSON.parse(uploads[0]?.body ?? "");
      // The version keeps the secrets of the latest one.
      expect(bindings).toContainEqual({ name: "DATABASE_URL", type: "inherit" });
      expect(bindings).toContainEqual({ name: "TOKEN_KEYS", type: "inherit" });
      expect(bindings).toContainEqual({ name: "VERSION", type: "plain_text", text: version });
      expect(annotations).toMatchObject({ "workers/message": version });
      // Traffic, routes and cron triggers stay as they are.
      expect(sent()).not.toMatch(/^(POST|PUT|PATCH) \S+\/(deployments|routes|domains|schedules|subdomain)/m);
    },
  );

  it("uploads nothing with --upload while a Durable Object migration is pending, and says what to do (O2)", async () => {
    const file = join(folder, "wrangler.toml");
    const config = readFileSync(file, "utf8");
    appendFileSync(file, '\n[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["Other"]\n');
    const { code, output, errors } = await deploy(["--upload"]);
    writeFileSync(file, config);
    expect(errors).toMatch(/pending Durable Object migration[\s\S]*wrangler deploy/);
    expect([code, errors]).toEqual([1, expect.stringContaining("The deployment failed.")]);
    expect([output.includes("NEW="), sent().match(UPLOAD)]).toEqual([false, null]);
  });

  it.each([[["--dry-run"]], [["--upload", "--dry-run"]], [["--dry-run", `--name=${STAGING}`]]])(
    "sends nothing with %j, and keeps the source map (O2)",
    async (args) => {
      const { code, output, errors } = await deploy(args);
      expect(code, errors).toBe(0);
      expect(output).toContain(`Worker ${args.join().includes(STAGING) ? STAGING : PRODUCTION}\n`);
      expect(output).not.toContain("NEW=");
      const [, kept = ""] = /its source map is in (.+)\.$/m.exec(output) ?? [];
      expect(globSync("*.map", { cwd: kept })).not.toEqual([]);
      expect(api.requests).toEqual([]);
    },
  );

  it("bundles the rules of alerts.toml, and prints their number (O2, W3)", async () => {
    const rule = (n: number) =>
      `[[alert]]\nname = "Rule ${n}: \\"é\\""\nquestion = "visitas?medidas=visitas"\nabove = ${n}\n`;
    const { code, output, errors } = await withAlerts(rule(1) + rule(2), () => deploy([]));
    expect(code, output + errors).toBe(0);
    expect(output).toMatch(/^2 alert rules$/m);
    const [, kept = ""] = /its source map is in (.+)\.$/m.exec(output) ?? [];
    expect(readFileSync(join(kept, "index.js"), "utf8")).toContain("/v1/relatorios/visitas?medidas=visitas");
  });

  it.each([[[]], [["--dry-run"]], [["--name", STAGING]]])(
    "exits with 1 with %j and an invalid alerts.toml, and sends nothing (O2, W3)",
    async (args) => {
      const { code, output, errors } = await withAlerts(INVALID, () => deploy(args));
      expect(errors.split("\n")).toEqual([...ERRORS, ""]);
      expect([code, output, api.requests]).toEqual([1, "", []]);
      expect(globSync("wrangler*.json", { cwd: folder })).toEqual([]);
    },
  );

  it("exits with 1 if wrangler fails, and keeps no version (O2)", async () => {
    appendFileSync(join(folder, "src/index.ts"), "\nthis is no code");
    const { code, errors } = await deploy(["--name", STAGING]);
    cpSync(join(ROOT, "src/index.ts"), join(folder, "src/index.ts"));
    expect([code, errors]).toEqual([1, expect.stringContaining("The deployment failed.")]);
    expect([api.requests, globSync("wrangler*.json", { cwd: folder })]).toEqual([[], []]);
  });

  it.each([
    [["--name", ""], /^--name must have 1 to 63 .*; got ""\.$/m],
    [["--name", "Staging"], /^--name must have .*; got "Staging"\.$/m],
    [["--name", "my staging"], /^--name must have /],
    [["--name", "a_b"], /^--name must have /],
    [["--name", "../other"], /^--name must have /],
    [["--name", "a-"], /^--name must have /],
    [["--name", "a".repeat(64)], /^--name must have /],
    [["--name", STAGING, "--name", "other"], /^--name must be given only once\./],
    [["--name", PRODUCTION], /^salon-erp-data-service is production\. Deploy it without --name\.$/m],
    [[STAGING], /Unexpected argument 'salon-erp-data-service-staging'/],
    [["--env", "staging"], /Unknown option '--env'/],
  ])("rejects %j with 2 and deploys nothing (O2)", async (args, message) => {
    const { code, errors } = await deploy(args);
    expect(errors).toMatch(message);
    expect([code, api.requests]).toEqual([2, []]);
  });

  it.each([[["--name", STAGING]], [["--dry-run"]], [["--upload"]]])(
    "rejects npm run deploy %j, whose -- is missing, and deploys nothing (O2)",
    async (args) => {
      const other = mkdtempSync(join(folder, "npm-"));
      const scripts = { deploy: `node ${join(folder, "tools/deploy/deploy.ts")}` };
      writeFileSync(join(other, "package.json"), JSON.stringify({ scripts }));
      const { code, errors } = await run("npm", ["--prefix", other, "run", "deploy", ...args]);
      expect(errors).toMatch(
        /^npm took --(name|dry-run|upload) for itself\. Write -- before it: npm run deploy -- --/m,
      );
      expect([code, api.requests]).toEqual([2, []]);
    },
  );
});

it("npm start shows the errors of an invalid alerts.toml (W3)", async () => {
  // In a file, because a thread would inherit the options that `node -e` needs.
  const file = join(folder, "start.ts");
  writeFileSync(
    file,
    `import { bundleInThread } from "./tools/local/bundling.ts";
    await bundleInThread("served").catch(({ message }) => console.log(message));`,
  );
  const { output } = await withAlerts(INVALID, () => run("node", [file]));
  expect(output.trim().split("\n")).toEqual(["The Worker could not be bundled:", ...ERRORS]);
});
