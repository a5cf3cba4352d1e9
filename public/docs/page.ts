import { byId, openSession, showLoadFailure } from "../session.ts";
import { showGuides } from "./guides.ts";
import { showHeaders, takeHeaders } from "./headers.ts";
import { byResource, filterOperations, type Specification, showNavigation } from "./navigation.ts";
import { clearStart, describeFields, openStart, showStart } from "./start.ts";

/** The statuses of each header. Swagger UI gets the document without them. */
let headers = new Map<string, string[]>();

// Swagger UI fills every field with its example and sends all of them. Without examples, fields start empty. It also
// stops a value outside a pattern, which it prints: without patterns, the service says which values there are.
const plainFields = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update: (spec: Specification) => unknown) => (spec: Specification) => {
          const operations = Object.values(spec.paths ?? {}).flatMap((methods) => Object.values(methods));
          const parameters = operations.flatMap((operation) => operation.parameters ?? []);
          for (const { schema } of [...parameters, ...Object.values(spec.components?.parameters ?? {})]) {
            delete schema?.example;
            delete schema?.pattern;
          }
          headers = takeHeaders(spec);
          return update(spec);
        },
      },
    },
  },
});

/** The page has signed in already. */
const withoutAuthorize = () => ({
  wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null },
});

/** Adds an element to the page and waits for its file. */
const appendAndLoad = (element: HTMLElement) =>
  new Promise((resolve, reject) => {
    element.addEventListener("load", resolve);
    element.addEventListener("error", reject);
    // In front of the styles of this page, which override those of Swagger UI.
    document.head.prepend(element);
  });

/** Loads the files of Swagger UI, which the page names. */
const loadSwagger = () => {
  const { css = "", js = "" } = byId("swagger-ui").dataset;
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: css });
  const script = Object.assign(document.createElement("script"), { src: js });
  return Promise.all([appendAndLoad(style), appendAndLoad(script)]);
};

/** Routes every request of Swagger UI through the session, including the one for the OpenAPI document. */
const showReference = () => {
  const ui = SwaggerUIBundle({
    url: "/openapi.yaml",
    dom_id: "#swagger-ui",
    deepLinking: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    filter: true,
    displayRequestDuration: true,
    requestSnippetsEnabled: true,
    tagsSorter: byResource,
    plugins: [plainFields, filterOperations, withoutAuthorize],
    requestInterceptor: (request: object) => Object.assign(request, { userFetch: session.fetch }),
    onComplete: () => {
      ui.preauthorizeApiKey("bearer", session.accessToken());
      showNavigation(ui, byId("operations"));
      const specification = ui.specSelectors.specJson().toJS();
      describeFields(specification);
      showHeaders(headers, specification);
      // Swagger UI leaves its list of servers without a name.
      document.getElementById("servers")?.setAttribute("aria-label", "Server");
    },
  });
};

/** Counts the sessions of this page, so that one that has ended shows nothing. */
let sessions = 0;

const begin = async () => {
  byId("who").textContent = session.email();
  showStart(session);
  sessions += 1;
  const own = sessions;
  byId("swagger-ui").textContent = "Loading the reference…";
  const hasLoaded = await swaggerLoaded.then(
    () => true,
    () => false,
  );
  if (own !== sessions) return;
  byId("swagger-ui").replaceChildren();
  if (hasLoaded) showReference();
  else showLoadFailure();
};

const end = () => {
  sessions += 1;
  byId("swagger-ui").replaceChildren();
  byId("operations").replaceChildren();
  clearStart();
  byId("not-loaded").hidden = true;
  byId("who").textContent = "";
};

const session = openSession(
  {
    missing: "Enter your e-mail and password.",
    wrong: "E-mail or password is wrong. Check both and try again.",
    tooMany: (minutes) =>
      `Too many attempts. Wait ${minutes} ${minutes === 1 ? "minute" : "minutes"}, then try again.`,
    refused: (message) => message,
    busy: "The service is unavailable. Try again in a few seconds.",
    unreachable: "The service cannot be reached. Check your connection and try again.",
    expired: "Your session has expired. Sign in again.",
    signedOut: "You have signed out.",
    notResumed:
      "Your session cannot continue. Delete the data of this site in your browser, then sign in again.",
    notEnded:
      "You have signed out, but the service did not respond. The session ends when this page is next open with a connection.",
  },
  {
    begin: () => void begin(),
    end,
  },
);

byId("sign-out").addEventListener("click", () => void session.signOut());
openStart(session);
showGuides();

// While the user types.
const swaggerLoaded = loadSwagger();
// `begin` handles the failure.
swaggerLoaded.catch(() => undefined);
