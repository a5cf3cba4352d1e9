/** What holds for the requests to a path, before its route runs. */
export interface Policy {
  /** The quotas that a request counts in (E3). */
  quotas: readonly ("global" | "auth")[];
  /** The kind of session that a `POST` renews. The request counts for that session, if its token is ours (E3). */
  renews?: "api" | "browser" | "oauth";
  /** The methods that accept an agent token (A10). */
  agentTokens: readonly string[];
  /** Whether access tokens of assistants (A14) are accepted, and a 401 says where to get one. */
  acceptsAssistants: boolean;
  /** Whether only this service's own pages may send requests. They get no CORS headers (A12, A14). */
  isOwnPagesOnly: boolean;
  /** `private`: the user's own cache may keep a response and must revalidate it (E6). */
  cache: "default" | "private" | "no-store";
  /** Whether the document says that a 200 has an `ETag` (E6). */
  hasEtag: boolean;
  /** The largest body, in bytes. */
  maxBody: number;
  /** Whether the route reads the body, after the token (M1). Otherwise it is read before. */
  readsBodyLate: boolean;
  errors: "json" | "oauth";
  /** The page whose words tell a browser about an error (A2). */
  errorPage?: "docs" | "painel" | "authorize";
  /** Whether the mounted path with a slash at its end leads to the one without. */
  trimsSlash: boolean;
  /** Whether each `GET` is a tool of `/mcp` (M2). */
  isTool: boolean;
}

const PUBLIC: Policy = {
  quotas: ["global"],
  agentTokens: [],
  acceptsAssistants: false,
  isOwnPagesOnly: false,
  cache: "default",
  hasEtag: false,
  maxBody: 4096,
  readsBodyLate: false,
  errors: "json",
  trimsSlash: false,
  isTool: false,
};
const AUTH: Policy = { ...PUBLIC, quotas: ["global", "auth"], cache: "no-store" };
const OWN_PAGES: Policy = { ...AUTH, isOwnPagesOnly: true };
const OAUTH_CLIENTS: Policy = { ...AUTH, errors: "oauth" };
/** A model keeps no copy, so the change feeds are no tools (M2). */
const FEEDS: Policy = { ...PUBLIC, agentTokens: ["GET", "HEAD"], cache: "private", hasEtag: true };
const DATA: Policy = { ...FEEDS, isTool: true };

/** The policy of a mounted path, and those of paths below it that differ. */
interface Mounted extends Policy {
  below?: Record<string, Policy>;
}

/**
 * The policy of each path at which routes are mounted. It is known before the routes load. `src/app.ts` must have
 * routes for exactly these paths.
 */
export const POLICIES = {
  "/health": PUBLIC,
  "/auth": {
    ...AUTH,
    below: {
      "/refresh": { ...AUTH, renews: "api" },
      "/browser": OWN_PAGES,
      // Every open tab renews its session, so these renewals count in `global` alone (A12).
      "/browser/refresh": { ...OWN_PAGES, quotas: ["global"], renews: "browser" },
    },
  },
  "/v1/transacoes": DATA,
  "/v1/lancamentos": DATA,
  "/v1/pagamentos-erp": DATA,
  "/v1/profissionais": DATA,
  "/v1/estabelecimentos": DATA,
  "/v1/produtos": DATA,
  "/v1/vendas-produto": DATA,
  "/v1/jobs-log": DATA,
  "/v1/relatorios": DATA,
  "/v1/frescor": DATA,
  "/v1/fechamentos": DATA,
  "/v1/alteracoes": FEEDS,
  /** What operators start. It costs several statements and messages, so it counts as a sign-in does (W2). */
  "/operations": AUTH,
  "/openapi.yaml": { ...PUBLIC, hasEtag: true },
  "/llms.txt": PUBLIC,
  "/mcp": {
    ...PUBLIC,
    agentTokens: ["POST"],
    acceptsAssistants: true,
    cache: "no-store",
    maxBody: 65_536,
    readsBodyLate: true,
  },
  "/docs": { ...PUBLIC, errorPage: "docs", trimsSlash: true },
  "/painel": { ...PUBLIC, errorPage: "painel", trimsSlash: true },
  "/oauth": {
    ...AUTH,
    below: {
      "/authorize": { ...AUTH, errorPage: "authorize" },
      "/approve": OWN_PAGES,
      "/token": { ...OAUTH_CLIENTS, renews: "oauth" },
      "/revoke": OAUTH_CLIENTS,
    },
  },
  "/.well-known": PUBLIC,
  /** The path without a first segment. It leads to the panel. */
  "/": { ...PUBLIC, errorPage: "painel" },
  /** Every other path under `/v1`, and every other path. They do not exist. */
  "/v1": { ...PUBLIC, cache: "private" },
  "*": { ...PUBLIC, errorPage: "painel" },
} as const satisfies Record<string, Mounted>;

/** A path at which routes are mounted. */
export type Mount = keyof typeof POLICIES;

const isMount = (name: string): name is Mount => Object.hasOwn(POLICIES, name);

/** The mount of a path: its first two segments, or its first one. */
export const mountOf = (path: string): Mount => {
  const [, first = "", second] = path.split("/", 3);
  return [`/${first}/${second}`, `/${first}`].find(isMount) ?? "*";
};

/** The policy of a path: that of the longest path that it begins with. */
export const policyOf = (path: string): Policy => {
  const mount = mountOf(path);
  const mounted: Mounted = POLICIES[mount];
  const rest = path.slice(mount.length);
  const [longest] = Object.keys(mounted.below ?? {})
    .filter((part) => rest === part || rest.startsWith(`${part}/`))
    .toSorted((a, b) => b.length - a.length);
  return (longest !== undefined && mounted.below?.[longest]) || mounted;
};
