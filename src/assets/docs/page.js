import { openSession } from "../session.js";

/** @typedef {{ parameters?: { schema: { example?: unknown } }[] }} Operation */
/** @typedef {{ paths?: Record<string, Record<string, Operation>> }} Specification */

// Swagger UI fills every field with its example and sends all of them. Without examples, fields start empty.
const emptyFields = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec:
          (/** @type {(spec: Specification) => unknown} */ update) => (/** @type {Specification} */ spec) => {
            const operations = Object.values(spec.paths ?? {}).flatMap((methods) => Object.values(methods));
            for (const { parameters = [] } of operations)
              for (const { schema } of parameters) delete schema.example;
            return update(spec);
          },
      },
    },
  },
});

/** Routes every request of Swagger UI through the session, including the one for the OpenAPI document. */
const begin = () => {
  const ui = SwaggerUIBundle({
    url: "/openapi.yaml",
    dom_id: "#swagger-ui",
    deepLinking: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    plugins: [emptyFields],
    requestInterceptor: (/** @type {object} */ request) =>
      Object.assign(request, { userFetch: session.fetch }),
    onComplete: () => ui.preauthorizeApiKey("bearer", session.accessToken()),
  });
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
  },
  {
    begin,
    end: () => document.querySelector("#swagger-ui")?.replaceChildren(),
  },
);
