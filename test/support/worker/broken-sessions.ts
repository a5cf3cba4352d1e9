import { app } from "../../../src/app.ts";

export * from "../../../src/index.ts";

const failing = () => Promise.reject(new Error("internal error; reference = test"));
const broken = { getByName: () => new Proxy({}, { get: () => failing }) };

/** The service while the objects of sign-ins and sessions fail. */
export default {
  fetch: (request, env, ctx) =>
    app.fetch(request, { ...env, LOGINS: broken as never, SESSIONS: broken as never }, ctx),
} satisfies ExportedHandler<Env>;
