// The answers that the tabs show, by path. A figure is shown only for the path that it answers.
import { useLayoutEffect, useReducer } from "preact/hooks";
import { hearTime, serviceNow } from "../service-clock.ts";
import type { Session } from "../session.ts";
import { openMemory } from "./memory.ts";
import { openService, RequestError } from "./service.ts";
import { dayOf } from "./view.ts";

/** An answer is requested again after this time, while its tab is visible. */
export const REFRESH_MS = 60_000;
/** The retry without a connection. Any other failure is retried when it says, or with the next refresh. */
const RETRY_MS = 10_000;
const MAX_ANSWERS = 200;

interface Entry {
  body?: unknown;
  /** When the service sent or confirmed the body, by `serviceNow()`. */
  at: number;
  /** The next request is not sent before this, by `performance.now()`. */
  dueAt: number;
  error?: RequestError;
  request?: Promise<void>;
}

/** What a tab knows of a path: its body, when it was confirmed, and why the last request failed. */
export interface Answer<Body> {
  body: Body | undefined;
  at: number;
  error: RequestError | undefined;
  /** Whether a request is on its way. */
  isLoading: boolean;
}

/** Whether there is nothing to show of an answer yet, neither figures nor a failure. */
export const isPending = ({ body, isLoading }: Answer<unknown>) => body === undefined && isLoading;

const NO_ANSWER = { body: undefined, at: 0, error: undefined, isLoading: false };

/** A path of today ends with the current hour, or is the same without it. */
const withoutHour = (path: string) => path.replace(/(data_fim=\d{4}-\d\d-\d\dT)\d\d/, "$1");

/** When the service wrote a body, if it says so. A body that was confirmed by a 304 says when it was sent. */
const timeIn = (body: unknown): number => {
  const { agora, frescor } = body as { agora?: string; frescor?: { agora?: string } };
  return Date.parse(frescor?.agora ?? agora ?? "");
};

/** The answers in memory. */
const openEntries = () => {
  const entries = openMemory<Entry>(MAX_ANSWERS);
  /** The path that was answered last, by the path without its hour. */
  const latest = openMemory<string>(MAX_ANSWERS);
  const entryOf = (path: string) => entries.keep(path, entries.get(path) ?? { at: 0, dueAt: 0 });
  const keep = (path: string, entry: Entry) => {
    latest.keep(withoutHour(path), path);
    return entries.keep(path, entry);
  };

  /** What to show of a path. While a new hour loads, the last hour is shown. */
  const shownOf = (path: string): Entry => {
    const entry = entryOf(path);
    const last = entries.get(latest.get(withoutHour(path)) ?? "");
    const isOfToday = last !== undefined && dayOf(last.at) === dayOf(serviceNow());
    return entry.body === undefined && isOfToday ? { ...entry, body: last.body, at: last.at } : entry;
  };

  return {
    entryOf,
    keep,
    shownOf,
    clear: () => {
      entries.clear();
      latest.clear();
    },
  };
};

export const openAnswers = (session: Session) => {
  const service = openService(session);
  const { entryOf, keep, shownOf, clear } = openEntries();
  const watchers = new Map<string, { fields: readonly string[]; redraws: Set<() => void> }>();
  let controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const schedule = (least = 1000) => {
    clearTimeout(timer);
    if (document.hidden || watchers.size === 0) return;
    const due = Math.min(...[...watchers.keys()].map((path) => entryOf(path).dueAt));
    // The last requests of the quota are kept for what the user opens.
    const wait = Math.max(due - performance.now(), service.blockedMs(), service.quotaWaitMs(), least);
    timer = setTimeout(loadDue, wait);
  };

  const loadDue = () => {
    for (const [path, { fields }] of watchers)
      if (entryOf(path).dueAt <= performance.now()) void load(path, fields);
    schedule();
  };

  const redraw = (path: string) => {
    for (const each of watchers.get(path)?.redraws ?? []) each();
  };

  /** Requests a path, unless its request is on its way. */
  const load = (path: string, fields: readonly string[]): Promise<void> => {
    const entry = entryOf(path);
    if (entry.request !== undefined) return entry.request;
    const { signal } = controller;
    entry.request = service
      .get(path, fields, signal)
      .then(
        (body) => {
          hearTime(timeIn(body));
          keep(path, Object.assign(entry, { body, at: serviceNow(), dueAt: performance.now() + REFRESH_MS }));
          delete entry.error;
        },
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof RequestError)) throw error;
          const wait = error.waitMs || (error.reason === "unreachable" ? RETRY_MS : REFRESH_MS);
          entry.dueAt = performance.now() + wait;
          entry.error = Object.assign(error, { retryAt: serviceNow() + wait });
        },
      )
      .finally(() => {
        delete entry.request;
        if (signal.aborted) return;
        redraw(path);
        schedule();
      });
    redraw(path);
    return entry.request;
  };

  /** Keeps a path up to date until the returned function is called. */
  const watch = (path: string, fields: readonly string[], onChange: () => void) => {
    const watcher = watchers.get(path) ?? { fields, redraws: new Set() };
    watchers.set(path, watcher);
    watcher.redraws.add(onChange);
    const { dueAt, error } = entryOf(path);
    // Opening a tab again is also how a user tries whether the connection is back.
    const isWanted = dueAt <= performance.now() || error?.reason === "unreachable";
    if (isWanted && !document.hidden) void load(path, fields);
    schedule();
    return () => {
      watcher.redraws.delete(onChange);
      if (watcher.redraws.size === 0) watchers.delete(path);
    };
  };

  const loadNow = () => {
    for (const [path, { fields }] of watchers) void load(path, fields);
  };
  // Not before the view of another hour is drawn.
  document.addEventListener("visibilitychange", () => schedule(0));
  addEventListener("online", () => {
    if (!document.hidden) loadNow();
  });

  return {
    service,
    watch,
    /** Requests what is shown, now. */
    refresh: loadNow,
    answer: <Body>(path: string): Answer<Body> => {
      const { body, at, error, request } = shownOf(path);
      return { body: body as Body | undefined, at, error, isLoading: request !== undefined };
    },
    /** Puts in a body that this browser kept. */
    restore: (path: string, body: unknown, at: number) => void keep(path, { body, at, dueAt: 0 }),
    /** Forgets everything, and aborts what is on its way. */
    clear: () => {
      controller.abort();
      controller = new AbortController();
      clearTimeout(timer);
      clear();
      service.clear();
    },
  };
};

export type Answers = ReturnType<typeof openAnswers>;

/** The answer of a path, kept up to date while the component is shown. Without a path there is none. */
export const useAnswerOf = <Body>(
  answers: Answers,
  path: string | undefined,
  fields: readonly string[] = ["data"],
): Answer<Body> => {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  // An answer that arrives between the drawing and a later effect would not be drawn.
  useLayoutEffect(
    () => (path === undefined ? undefined : answers.watch(path, fields, () => redraw(undefined))),
    [answers, path],
  );
  return path === undefined ? NO_ANSWER : answers.answer<Body>(path);
};
