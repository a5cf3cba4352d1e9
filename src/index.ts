import { app } from "./app.ts";

export { Sessions } from "./auth/sessions.ts";

export default app;
