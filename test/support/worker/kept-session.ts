import { createClient } from "./client.ts";

/** Without a scheme prefix: on https the name is `__Secure-session`. */
const COOKIE = /^__Secure-session=([^;]*)/;
export const OWN_ORIGIN = { Origin: "https://api.test" };

/** Sends a request as a page of this service that keeps a session in a cookie (A12). */
export const createBrowser = ({ post }: Pick<ReturnType<typeof createClient>, "post"> = createClient()) => {
  const send = async (
    action: "login" | "refresh" | "logout",
    cookie: string | undefined,
    body: unknown = undefined,
    headers: Record<string, string> = {},
  ) => {
    const cookies = cookie === undefined ? {} : { Cookie: `__Secure-session=${cookie}` };
    const response = await post(`/auth/browser/${action}`, body, { ...OWN_ORIGIN, ...cookies, ...headers });
    const setCookie = response.headers.get("Set-Cookie");
    return { status: response.status, response, setCookie, cookie: COOKIE.exec(setCookie ?? "")?.[1] ?? "" };
  };
  return { send, refresh: (cookie: string | undefined) => send("refresh", cookie) };
};
