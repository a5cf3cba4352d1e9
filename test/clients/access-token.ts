import { posting } from "../../tools/posting.ts";
import { DEMO_USER } from "../support/node/databases.ts";

/** An access token of the demo user. */
export const accessToken = async (base: string): Promise<string> => {
  const { email, password } = DEMO_USER;
  const login = await fetch(`${base}/auth/login`, posting({ email, password }));
  return ((await login.json()) as { access_token: string }).access_token;
};
