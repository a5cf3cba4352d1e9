// The sign-in form. Each page supplies the messages in its own language.
import { endForgotten, isKept, openTokens } from "./tokens.js";

/**
 * @typedef {object} Messages texts shown to the user
 * @property {string} missing the e-mail or the password is empty
 * @property {string} wrong the e-mail or the password is wrong
 * @property {(minutes: number) => string} tooMany too many attempts
 * @property {(message: string) => string} refused the service rejected the input with this message
 * @property {string} busy the service failed or is overloaded
 * @property {string} unreachable the network request failed
 * @property {string} expired the session expired or was revoked
 * @property {string} signedOut the user signed out
 * @property {string} notResumed the session that this browser keeps was refused
 * @property {string} notEnded the user signed out, but the service could not end the session
 */

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

/** @param {string} id */
export const byId = (id) => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`#${id} is not on this page`);
  return element;
};
const field = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (byId(id));

/**
 * The message to show after a failed sign-in or renewal.
 * @param {Response} response
 * @param {Messages} messages
 */
export const failureMessage = async (response, messages) => {
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

/** Shows the page if it loaded completely; otherwise the link to try again. @param {() => void} show */
export const showIfLoaded = (show) => {
  if (!isStyled()) return showLoadFailure();
  byId("not-loaded").hidden = true;
  show();
};

/**
 * Connects the form `#form` and shows `#content` after a sign-in. Continues the session that this browser keeps, if
 * the user chose to stay signed in.
 * @param {Messages} messages
 * @param {{ begin(): void, end(): void }} page called when a session starts and when it ends
 */
export const openSession = (messages, { begin, end }) => {
  const showMessage = (/** @type {string} */ message) => {
    byId("message").textContent = message;
  };
  const showForm = (/** @type {string} */ message) => {
    byId("resuming").hidden = true;
    byId("sign-in").hidden = false;
    showMessage(message);
    byId("email").focus();
  };
  const close = (/** @type {string} */ message) => {
    end();
    byId("content").hidden = true;
    byId("who").textContent = "";
    showForm(message);
  };
  const open = () => {
    byId("who").textContent = tokens.claims()?.email ?? "";
    byId("resuming").hidden = true;
    byId("sign-in").hidden = true;
    byId("content").hidden = false;
    begin();
  };

  const tokens = openTokens({
    onExpired: () => close(messages.expired),
    onOtherTab: (isSignedOut) => (isSignedOut ? close(messages.signedOut) : location.reload()),
  });

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
      const refusal = await tokens.signIn(
        { email: email.value, password: password.value },
        field("keep").checked,
      );
      if (refusal) return showMessage(await failureMessage(refusal, messages));
      password.value = "";
      open();
    } catch {
      showMessage(messages.unreachable);
    } finally {
      field("submit").disabled = false;
    }
  };

  const resume = async () => {
    byId("sign-in").hidden = true;
    byId("resuming").hidden = false;
    try {
      const refusal = await tokens.resume();
      if (refusal === undefined) {
        // A session of somebody else was refused: its message is shown.
        if (tokens.current()) open();
      } else if (refusal.status === 400) showForm(messages.notResumed);
      else if (refusal.status !== 401) showForm(await failureMessage(refusal, messages));
    } catch {
      showForm(messages.unreachable);
    }
  };

  const signOut = async () => {
    const hasEnded = await tokens.signOut();
    // If the renewal was refused, the session is closed already and its message is shown.
    if (byId("content").hidden) return;
    close(hasEnded ? messages.signedOut : messages.notEnded);
  };

  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    void signIn();
  });
  byId("sign-out").addEventListener("click", () => void signOut());
  addEventListener("online", () => {
    endForgotten();
    const isBusy = field("submit").disabled || !byId("resuming").hidden;
    if (isKept() && !tokens.current() && !isBusy) void resume();
  });
  endForgotten();
  showIfLoaded(() => (isKept() ? void resume() : showForm("")));

  return {
    fetch: tokens.fetch,
    signOut,
    accessToken: () => tokens.current()?.access_token,
    rights: () => tokens.claims()?.rights,
  };
};

/** @typedef {ReturnType<typeof openSession>} Session */
