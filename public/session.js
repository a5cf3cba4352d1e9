// The sign-in form, the tokens and their renewal. Each page supplies the messages in its own language.

/**
 * @typedef {{ access_token: string, refresh_token: string, expires_in: number }} Tokens
 *
 * @typedef {object} Messages texts shown to the user
 * @property {string} missing the e-mail or the password is empty
 * @property {string} wrong the e-mail or the password is wrong
 * @property {(minutes: number) => string} tooMany too many attempts
 * @property {(message: string) => string} refused the service rejected the input with this message
 * @property {string} busy the service failed or is overloaded
 * @property {string} unreachable the network request failed
 * @property {string} expired the session expired or was revoked
 * @property {string} signedOut the user signed out
 */

/** Renew this long before expiry, so that a token does not expire in transit. */
const RENEW_EARLY_MS = 30_000;
/** The wait when `Retry-After` cannot be parsed. */
const DEFAULT_WAIT_MS = 60_000;
/** Upper bound for a wait, even if `Retry-After` is longer. */
export const MAX_WAIT_MS = 86_400_000;

/**
 * Reads `Retry-After`, given in seconds or as a date (RFC 9110, 10.2.3).
 * @param {Response} response
 * @returns milliseconds to wait, at most `MAX_WAIT_MS`; 0 without the header
 */
export const retryAfterMs = ({ headers }) => {
  const value = headers.get("Retry-After");
  if (value === null) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? DEFAULT_WAIT_MS : Math.min(Math.max(0, ms), MAX_WAIT_MS);
};

/** @typedef {{ units: string[] | null, personalData: boolean, payments: boolean }} Rights what the user may read; `units` null means all */

/** The rights in an access token. The service checks them: the page only hides what it would not get. @param {string} token @returns {Rights} */
const rightsIn = (token) => {
  const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)).rights;
};

/** @param {string} id */
export const byId = (id) => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`#${id} is not on this page`);
  return element;
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
 * The message to show after a failed sign-in.
 * @param {Response} response
 * @param {Messages} messages
 */
const failureMessage = async (response, messages) => {
  if (response.status === 401) return messages.wrong;
  if (response.status === 429) return messages.tooMany(Math.ceil(retryAfterMs(response) / 60_000));
  if (response.status === 400) return messages.refused((await response.json()).message.replaceAll("`", ""));
  return messages.busy;
};

/** Shows the sentence that the page did not load completely, with its link to try again. */
export const showLoadFailure = () => {
  byId("not-loaded").hidden = false;
  byId("not-loaded").classList.add("now");
};

// A style that failed to load is in `document.styleSheets` all the same, so look for a value from page.css.
const isStyled = () => getComputedStyle(document.documentElement).getPropertyValue("--paper") !== "";

/**
 * Connects the form `#form` and shows `#content` after a sign-in. Tokens are kept in memory only, not in storage or
 * cookies, so a reload discards them.
 * @param {Messages} messages
 * @param {{ begin(): void, end(): void }} page called when a session starts and when it ends
 */
export const openSession = (messages, { begin, end }) => {
  /** @type {Tokens | undefined} */
  let tokens;
  /** @type {Promise<Response | undefined> | undefined} */
  let renewal;
  let expiresAt = 0;

  const store = (/** @type {Tokens} */ issued) => {
    tokens = issued;
    expiresAt = performance.now() + issued.expires_in * 1000;
  };
  const showMessage = (/** @type {string} */ message) => {
    byId("message").textContent = message;
  };
  const close = (/** @type {string} */ message) => {
    tokens = undefined;
    end();
    byId("content").hidden = true;
    byId("who").textContent = "";
    byId("sign-in").hidden = false;
    showMessage(message);
    byId("email").focus();
  };

  /** Renews the tokens; concurrent calls share one request. Resolves to the response if the renewal was refused. */
  const renew = () => {
    const previous = tokens;
    renewal ??= post("/auth/refresh", { refresh_token: previous?.refresh_token })
      .then(async (response) => {
        // The user signed out in the meantime: discard the new tokens.
        if (tokens !== previous) return response;
        if (response.status === 401) close(messages.expired);
        if (!response.ok) return response;
        store(await response.json());
      })
      .finally(() => {
        renewal = undefined;
      });
    return renewal;
  };

  /**
   * `fetch` with the access token. Renews the token shortly before it expires, and after a 401, then retries once. If
   * the renewal is refused, resolves to that response.
   * @param {string} url
   * @param {RequestInit} [init]
   */
  const authorizedFetch = async (url, init = {}) => {
    const send = () => {
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${tokens?.access_token}`);
      return fetch(url, { ...init, headers });
    };
    if (tokens && performance.now() > expiresAt - RENEW_EARLY_MS) {
      const refusal = await renew();
      if (refusal) return refusal;
    }
    const response = await send();
    if (response.status !== 401 || !tokens) return response;
    return (await renew()) ?? send();
  };

  const signIn = async () => {
    const [email, password] = [field("email"), field("password")];
    if (!email.value || !password.value) {
      showMessage(messages.missing);
      (email.value ? password : email).focus();
      return;
    }
    field("submit").disabled = true;
    showMessage("");
    try {
      const response = await post("/auth/login", { email: email.value, password: password.value });
      if (!response.ok) {
        showMessage(await failureMessage(response, messages));
        return;
      }
      store(await response.json());
      byId("who").textContent = email.value;
      password.value = "";
      byId("sign-in").hidden = true;
      byId("content").hidden = false;
      begin();
    } catch {
      showMessage(messages.unreachable);
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
    // If the renewal was refused, the session is closed already and its message is shown.
    if (tokens) close(messages.signedOut);
  };

  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    void signIn();
  });
  byId("sign-out").addEventListener("click", () => void signOut());
  if (isStyled()) {
    byId("not-loaded").hidden = true;
    byId("sign-in").hidden = false;
    byId("email").focus();
  } else showLoadFailure();

  return {
    fetch: authorizedFetch,
    accessToken: () => tokens?.access_token,
    rights: () => tokens && rightsIn(tokens.access_token),
  };
};

/** @typedef {ReturnType<typeof openSession>} Session */
