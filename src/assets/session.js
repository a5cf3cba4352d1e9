// Who is signed in: the form, the tokens, their renewal. Each page tells in its own language what there is to tell.

/**
 * @typedef {{ access_token: string, refresh_token: string, expires_in: number }} Tokens
 *
 * @typedef {object} Words what is told to whom
 * @property {string} missing a field is empty
 * @property {string} wrong e-mail or password is
 * @property {(minutes: number) => string} tooMany attempts
 * @property {(message: string) => string} refused what the service says of the fields
 * @property {string} busy it does not answer at the moment
 * @property {string} unreachable it cannot be asked
 * @property {string} ended the session has, by itself
 * @property {string} left the session was, by the person
 */

/** Renewed so long before its end, a token does not end on the way. */
const EARLY_MS = 30_000;
/** How long one waits where it is not to be read for how long. */
const UNTOLD_MS = 60_000;
/** Whatever a header says: by then it is asked again. */
export const LONGEST_MS = 86_400_000;

/** Milliseconds that `Retry-After` asks for, in seconds or as a date (RFC 9110, 10.2.3); 0 where there is none. @param {Response} response */
export const askedWait = ({ headers }) => {
  const asked = headers.get("Retry-After");
  if (asked === null) return 0;
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
  return Number.isNaN(ms) ? UNTOLD_MS : Math.min(Math.max(0, ms), LONGEST_MS);
};

/** @param {string} id */
export const byId = (id) => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`#${id} is not on this page`);
  return found;
};
const field = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (byId(id));

const post = (
  /** @type {string} */ path,
  /** @type {unknown} */ body,
  /** @type {HeadersInit} */ headers = {},
) =>
  fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/**
 * What to tell about a sign-in that did not work.
 * @param {Response} response
 * @param {Words} words
 */
const explain = async (response, words) => {
  if (response.status === 401) return words.wrong;
  if (response.status === 429) return words.tooMany(Math.ceil(askedWait(response) / 60_000));
  if (response.status === 400) return words.refused((await response.json()).message.replaceAll("`", ""));
  return words.busy;
};

/**
 * Takes the form `#form` into use, and shows `#content` to whoever has signed in by it. The tokens live in here and
 * nowhere else: neither storage nor cookie knows them, and a reload forgets them.
 * @param {Words} words
 * @param {{ begin(): void, end(): void }} page told when a session begins and when it has ended
 */
export const openSession = (words, { begin, end }) => {
  /** @type {Tokens | undefined} */
  let tokens;
  /** @type {Promise<Response | undefined> | undefined} */
  let renewal;
  let endsAt = 0;

  const keep = (/** @type {Tokens} */ given) => {
    tokens = given;
    endsAt = performance.now() + given.expires_in * 1000;
  };
  const say = (/** @type {string} */ message) => {
    byId("message").textContent = message;
  };
  const close = (/** @type {string} */ message) => {
    tokens = undefined;
    end();
    byId("content").hidden = true;
    byId("who").textContent = "";
    byId("sign-in").hidden = false;
    say(message);
    byId("email").focus();
  };

  /** Renews the tokens once, however many ask for it; answers with the refusal, if it is one. */
  const renew = () => {
    const from = tokens;
    renewal ??= post("/auth/refresh", { refresh_token: from?.refresh_token })
      .then(async (response) => {
        // Who has signed out meanwhile stays so.
        if (tokens !== from) return response;
        if (response.status === 401) close(words.ended);
        if (!response.ok) return response;
        keep(await response.json());
      })
      .finally(() => {
        renewal = undefined;
      });
    return renewal;
  };

  /**
   * fetch with the bearer. A token at its end is renewed before, one that is refused after, and then asked with once
   * more; where the renewal is refused, that is the answer.
   * @param {string} url
   * @param {RequestInit} [init]
   */
  const authorizedFetch = async (url, init = {}) => {
    const ask = () => {
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${tokens?.access_token}`);
      return fetch(url, { ...init, headers });
    };
    if (tokens && performance.now() > endsAt - EARLY_MS) {
      const refusal = await renew();
      if (refusal) return refusal;
    }
    const response = await ask();
    if (response.status !== 401 || !tokens) return response;
    return (await renew()) ?? ask();
  };

  const signIn = async () => {
    const [email, password] = [field("email"), field("password")];
    if (!email.value || !password.value) {
      say(words.missing);
      (email.value ? password : email).focus();
      return;
    }
    field("submit").disabled = true;
    say("");
    try {
      const response = await post("/auth/login", { email: email.value, password: password.value });
      if (!response.ok) {
        say(await explain(response, words));
        return;
      }
      keep(await response.json());
      byId("who").textContent = email.value;
      password.value = "";
      byId("sign-in").hidden = true;
      byId("content").hidden = false;
      begin();
    } catch {
      say(words.unreachable);
    } finally {
      field("submit").disabled = false;
    }
  };

  const signOut = async () => {
    await authorizedFetch("/auth/logout", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ refresh_token: tokens?.refresh_token }),
    }).catch(() => undefined);
    // A renewal that was refused on the way has said so already.
    if (tokens) close(words.left);
  };

  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    void signIn();
  });
  byId("sign-out").addEventListener("click", () => void signOut());
  byId("email").focus();

  return { fetch: authorizedFetch, accessToken: () => tokens?.access_token };
};

/** @typedef {ReturnType<typeof openSession>} Session */
