// The sign-in form. Each page supplies the messages in its own language.
import { forgetFiles } from "./kept-files.ts";
import { endForgotten, isKept, openTokens } from "./tokens.ts";

/** Texts shown to the user. */
export type Messages = {
  /** The e-mail or the password is empty. */
  missing: string;
  /** The e-mail or the password is wrong. */
  wrong: string;
  /** Too many attempts. */
  tooMany: (minutes: number) => string;
  /** The service rejected the input with this message. */
  refused: (message: string) => string;
  /** The service failed or is overloaded. */
  busy: string;
  /** The network request failed. */
  unreachable: string;
  /** The session expired or was revoked. */
  expired: string;
  /** The user signed out. */
  signedOut: string;
  /** The session that this browser keeps was refused. */
  notResumed: string;
  /** The user signed out, but the service could not end the session. */
  notEnded: string;
};

/** The wait when `Retry-After` cannot be parsed. */
const DEFAULT_WAIT_MS = 60_000;
/** Upper bound for a wait, even if `Retry-After` is longer. */
export const MAX_WAIT_MS = 86_400_000;

/**
 * Reads `Retry-After`, given in seconds or as a date (RFC 9110, 10.2.3), which is compared with that of the response.
 * Returns the milliseconds to wait, at most `MAX_WAIT_MS`; 0 without the header.
 */
export const retryAfterMs = ({ headers }: Response): number => {
  const value = headers.get("Retry-After");
  if (value === null) return 0;
  const ms = /^\d+$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - Date.parse(headers.get("Date") ?? "");
  return Number.isNaN(ms) ? DEFAULT_WAIT_MS : Math.min(Math.max(0, ms), MAX_WAIT_MS);
};

export const byId = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`#${id} is not on this page`);
  return element;
};
const field = (id: string) => byId(id) as HTMLInputElement;

/** The message to show after a failed sign-in or renewal. */
export const failureMessage = async (response: Response, messages: Messages): Promise<string> => {
  if (response.status === 401) return messages.wrong;
  if (response.status === 429) return messages.tooMany(Math.ceil(retryAfterMs(response) / 60_000));
  if (response.status === 400) {
    const { message }: { message: string } = await response.json();
    return messages.refused(message.replaceAll("`", ""));
  }
  return messages.busy;
};

/** Shows the sentence that the page did not load completely, with its link to try again. */
export const showLoadFailure = (): void => {
  byId("not-loaded").hidden = false;
  byId("not-loaded").classList.add("now");
};

// A style that failed to load is in `document.styleSheets` all the same, so look for a value from page.css.
const isStyled = () => getComputedStyle(document.documentElement).getPropertyValue("--paper") !== "";

/** Shows the page if it loaded completely; otherwise the link to try again. */
export const showIfLoaded = (show: () => void): void => {
  if (isStyled()) {
    byId("not-loaded").hidden = true;
    show();
  } else showLoadFailure();
};

const showMessage = (message: string) => {
  byId("message").textContent = message;
};
const showForm = (message: string) => {
  byId("resuming").hidden = true;
  byId("sign-in").hidden = false;
  showMessage(message);
  byId("email").focus();
};
const showContent = () => {
  byId("resuming").hidden = true;
  byId("sign-in").hidden = true;
  byId("content").hidden = false;
};
const isShown = () => !byId("content").hidden;

/** Called when a session starts and when it ends. */
type Page = {
  begin(): void;
  end(): void;
  /** Called when the kept session cannot be continued now. Resolves to whether the page shows something. */
  showLastPicture?(): Promise<boolean>;
};

type TokenStore = ReturnType<typeof openTokens>;

/** Returns the function that signs in with what the form contains. */
const signInWith = (tokens: TokenStore, messages: Messages, open: () => void) => {
  /** Resolves to why the sign-in failed; undefined if it did not. */
  const requestSession = async (credentials: { email: string; password: string }) => {
    try {
      const refusal = await tokens.signIn({ ...credentials, keep: field("keep").checked });
      return refusal && (await failureMessage(refusal, messages));
    } catch {
      return messages.unreachable;
    }
  };
  return async () => {
    const [email, password] = [field("email"), field("password")];
    if (!email.value || !password.value) {
      showMessage(messages.missing);
      (email.value ? password : email).focus();
      return;
    }
    field("submit").disabled = true;
    showMessage("");
    const failure = await requestSession({ email: email.value, password: password.value });
    field("submit").disabled = false;
    if (failure !== undefined) return showMessage(failure);
    password.value = "";
    open();
  };
};

interface Resumption {
  open: () => void;
  /** Shows the form in place of the content. */
  close: (message: string) => void;
  showLastPicture: Page["showLastPicture"];
}

/**
 * Returns the functions that continue the kept session: now, or unless a refusal asked to wait. The first one resolves
 * to the response if the renewal was refused.
 */
const resumeWith = (tokens: TokenStore, messages: Messages, { open, close, showLastPicture }: Resumption) => {
  /** Until then, by `performance.now()`, a refusal asked to wait. */
  let waitUntil = 0;
  /** The session may be continued later. Until then, shows its last picture; without one, the form and the reason. */
  const showPictureOrForm = async (message: string) => {
    if (isShown()) return;
    if (await showLastPicture?.()) showContent();
    else showForm(message);
  };
  const requestResume = async (): Promise<Response | undefined> => {
    byId("sign-in").hidden = true;
    byId("resuming").hidden = isShown();
    let refusal: Response | undefined;
    try {
      refusal = await tokens.resume();
    } catch {
      await showPictureOrForm(messages.unreachable);
      return;
    }
    if (refusal !== undefined) waitUntil = performance.now() + retryAfterMs(refusal);
    if (refusal === undefined) {
      // A session of somebody else was refused: its message is shown.
      if (tokens.current()) open();
    } else if (refusal.status === 400) close(messages.notResumed);
    else if (refusal.status !== 401) await showPictureOrForm(await failureMessage(refusal, messages));
    return refusal;
  };
  let resumption: Promise<Response | undefined> | undefined;
  const resume = () => {
    resumption ??= requestResume().finally(() => {
      resumption = undefined;
    });
    return resumption;
  };
  const resumeIfDue = () => {
    if (performance.now() >= waitUntil) void resume();
  };
  return { resume, resumeIfDue };
};

/**
 * Connects the form `#form` and shows `#content` after a sign-in. Continues the session that this browser keeps, if
 * the user chose to stay signed in.
 */
export const openSession = (messages: Messages, { begin, end, showLastPicture }: Page) => {
  const close = (message: string) => {
    end();
    byId("content").hidden = true;
    showForm(message);
  };
  const open = () => {
    showContent();
    begin();
  };
  const tokens = openTokens({
    onExpired: () => close(messages.expired),
    onSignedOut: () => close(messages.signedOut),
    onOtherUser: () => location.reload(),
  });
  const signIn = signInWith(tokens, messages, open);
  const { resume, resumeIfDue } = resumeWith(tokens, messages, { open, close, showLastPicture });

  /** `fetch` with the access token. A picture that is shown without one continues its session first. */
  const authorizedFetch: typeof tokens.fetch = async (url, init) => {
    if (!tokens.current() && isKept()) {
      const refusal = await resume();
      // Its `Retry-After` is for every request.
      if (refusal) return refusal.clone();
      if (!tokens.current()) throw new TypeError("the session could not be continued");
    }
    return tokens.fetch(url, init);
  };

  const signOut = async () => {
    byId("content").hidden = true;
    const hasEnded = await tokens.signOut();
    // If the renewal was refused, the session is closed already and its message is shown.
    if (!byId("sign-in").hidden) return;
    close(hasEnded ? messages.signedOut : messages.notEnded);
  };

  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    void signIn();
  });
  addEventListener("online", () => {
    endForgotten();
    if (isKept() && !tokens.current() && !field("submit").disabled) resumeIfDue();
  });
  endForgotten();
  // An earlier page may have been closed before it had deleted them.
  if (!isKept()) void forgetFiles();
  showIfLoaded(() => (isKept() ? void resume() : showForm("")));

  return {
    fetch: authorizedFetch,
    signOut,
    accessToken: () => tokens.current()?.access_token,
    rights: () => tokens.claims()?.rights,
    /** The e-mail of the signed-in user; "" when signed out. */
    email: () => tokens.claims()?.email ?? "",
    /** The id of the signed-in user; "" when signed out. */
    sub: () => tokens.claims()?.sub ?? "",
  };
};

export type Session = ReturnType<typeof openSession>;
