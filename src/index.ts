export { LoginAttempts } from "./access/auth/login-attempts.ts";
export { Sessions } from "./access/auth/sessions-object.ts";
export { Counter } from "./access/limits/counter.ts";
export { app as default } from "./app.ts";
export { Watch } from "./extensions/watch/watch.ts";
