export { app as default } from "./app.ts";
export { LoginAttempts } from "./auth/login-attempts.ts";
export { Sessions } from "./auth/sessions-object.ts";
export { Counter } from "./limits/counter.ts";
export { AuthorizationCode } from "./oauth/authorization-code.ts";
export { Watch } from "./watch/watch.ts";
