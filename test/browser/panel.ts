import type { Page, Request, Response, Route } from "playwright-core";
import { expect } from "vitest";
import { base, installFakeClock, openPage } from "./browser.ts";

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

export const today = new Date().toLocaleDateString("en-CA", { timeZone: "America/Sao_Paulo" });
export const shifted = (day: string, by: number) =>
  new Date(Date.parse(`${day}T12:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);
const endOfLast = shifted(`${today.slice(0, 8)}01`, -1);
const lastSunday = shifted(today, -(new Date(today).getUTCDay() || 7));
/** The first and the last day of each period. */
export const DAYS: Record<string, [from: string, to: string]> = {
  hoje: [today, today],
  ontem: [shifted(today, -1), shifted(today, -1)],
  "7-dias": [shifted(today, -6), today],
  "semana-passada": [shifted(lastSunday, -6), lastSunday],
  "30-dias": [shifted(today, -29), today],
  mes: [`${today.slice(0, 8)}01`, today],
  "mes-passado": [`${endOfLast.slice(0, 8)}01`, endOfLast],
  ano: [`${today.slice(0, 4)}-01-01`, today],
};

/** Waits until everything of the place in the URL has arrived, or has failed. */
export const waitForPanel = async (page: Page) => {
  const IS_THERE = `(() => {
    const main = document.querySelector("main#conteudo");
    return main?.dataset.search === location.search && main.querySelector(".loading, [aria-busy=true]") === null;
  })()`;
  await expect.poll(() => page.evaluate<boolean>(IS_THERE), { interval: 20, timeout: 30_000 }).toBe(true);
};

export const DEMO = { email: "demo@example.com", password: "demo-password" };

export const signIn = async (page: Page, { email, password } = DEMO) => {
  await page.fill("#email", email);
  await page.fill("#password", password);
  await page.click("#submit");
};

/** `prepare` runs before the page loads, for example to set its clock. */
type Options = NonNullable<Parameters<typeof openPage>[1]> & {
  user?: typeof DEMO;
  prepare?: (page: Page) => Promise<void>;
};

/** Opens the panel and signs in. */
export const openPanel = async (search = "", { user = DEMO, prepare, ...options }: Options = {}) => {
  const { page, complaints } = await openPage("", options);
  await prepare?.(page);
  const paths: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith("/v1/")) paths.push(url.pathname + url.search);
  });
  await page.goto(`${base}/painel${search}`);
  await signIn(page, user);
  await waitForPanel(page);
  return { page, complaints, paths };
};

/** Has the service say, in tokens and answers, that it is `time` now. */
export const setServiceClock = async (page: Page, time: string) => {
  await page.addInitScript((ahead) => {
    const { parse } = JSON;
    JSON.parse = (...given: Parameters<typeof parse>) => {
      const value = parse(...given);
      if (value?.iat) value.iat += Math.round(ahead / 1000);
      for (const part of [value, value?.frescor])
        if (part?.agora) part.agora = new Date(Date.parse(part.agora) + ahead).toISOString();
      return value;
    };
  }, Date.parse(time) - Date.now());
};

/** Fakes the clocks of the page and of the service. */
export const installClockAt = async (page: Page, time: string) => {
  await setServiceClock(page, time);
  await installFakeClock(page, time);
};
/** No test crosses midnight as its minutes pass, and no time in whole seconds is of the hour before. */
export const afterNoon = (day: string) => `${day}T12:10:00-03:00`;
export const installClock = (page: Page) => installClockAt(page, afterNoon(today));

/** Opens another view in the same page, as a link does, and waits for nothing. */
export const goTo = (page: Page, search: string) =>
  page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(`/painel${search}`)}); dispatchEvent(new Event("popstate"))`,
  );

/** Opens another view in the same page and waits until everything has arrived. */
export const navigate = async (page: Page, search: string) => {
  await goTo(page, search);
  await waitForPanel(page);
};

export const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** The table with a caption. */
export const tableOf = (page: Page, caption: string) =>
  page.locator("table").filter({ has: page.locator("caption", { hasText: caption }) });

/** The rows of the table with a caption, as the text of their cells. */
export const rowsOf = async (page: Page, caption: string): Promise<string[][]> => {
  const rows = await tableOf(page, caption)
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
  return rows.map((row) => row.map(plain));
};

/** The card with a title. */
export const cardOf = (page: Page, title: string | RegExp) =>
  page.locator("section").filter({ has: page.getByRole("heading", { name: title }) });

export const textOf = async (page: Page, selector: string) =>
  plain((await page.locator(selector).first().textContent()) ?? "");

const currency = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
export const money = (reais: number) => plain(currency.format(reais)).replace("-", "−");
export const count = (value: number) =>
  value.toLocaleString("pt-BR", { maximumFractionDigits: 20 }).replace("-", "−");
/** 0.123 becomes 12,3%. */
export const percent = (fraction: number, signDisplay: "auto" | "exceptZero" = "auto") =>
  fraction
    .toLocaleString("pt-BR", {
      style: "percent",
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
      signDisplay,
    })
    .replace("-", "−");

/** The request of Início. */
export const PANEL = "**/v1/relatorios/painel?**";

/** The amount of the chosen view on Início. */
export const headline = (page: Page) => textOf(page, ".headline .figure");
/** Above old figures: of when they are. */
export const stale = (page: Page) => page.getByRole("status").filter({ hasText: "Exibindo dados de" });
/** In place of figures: why there are none. */
export const failure = (page: Page) =>
  page.getByRole("alert").filter({ hasText: "Não foi possível carregar." });

/** Answers requests with an error, on 27 November at 15:00 by its `Date`. */
export const refuse =
  (status: number, retryAfter?: number | string) =>
  (route: Route): Promise<void> =>
    route.fulfill({
      status,
      headers: {
        Date: "Fri, 27 Nov 2026 15:00:00 GMT",
        ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
      },
      json: { error: "", message: "" },
    });

/** Holds the requests to a path until they are released. */
export const hold = async (page: Page, path: string) => {
  const held: (() => void)[] = [];
  let isHeld = true;
  await page.route(path, async (route) => {
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    await route.continue().catch(() => undefined);
  });
  return () => {
    isHeld = false;
    for (const release of held.splice(0)) release();
  };
};

const POLL = { timeout: 20_000 };
/** An expired token is renewed, and its request is sent again. */
const isFollowed = (response: Response | null | undefined) =>
  response?.url().endsWith("/auth/refresh") ? response.ok() : response?.status() === 401;

/** Waits for the whole response. A body that the page does not read has no end. Null for a request that failed. */
export const wholeResponse = async (request: Request): Promise<Response | null> => {
  const response = await request.response();
  if (response?.ok()) await response.finished();
  return response;
};

/** Waits until the page has run the tasks that are due. */
export const takeTurn = (page: Page) => page.evaluate("new Promise((resolve) => setTimeout(resolve))");

/** Advances the clock of the page, waits for what it requests, and returns each path with its status. */
export const advance = (page: Page) => {
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  return async (seconds: number) => {
    await page.clock.runFor(seconds * 1000);
    // Its requests are known once the page has answered.
    await takeTurn(page);
    const responses: (Response | null)[] = [];
    while (requests.length > 0) {
      const answered = await Promise.all(requests.splice(0).map(wholeResponse));
      responses.push(...answered);
      // The page reads them before this turn.
      await takeTurn(page);
      await waitForPanel(page);
      if (isFollowed(answered.at(-1))) await expect.poll(() => requests.length, POLL).toBeGreaterThan(0);
    }
    return responses
      .flatMap((one) => (one ? [`${new URL(one.url()).pathname} ${one.status()}`] : []))
      .filter((one) => /^\/(v1|auth)\//.test(one))
      .sort();
  };
};

/** Hides the page, as another tab in front of it does, or shows it again. */
export const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(
    `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
  );

export const signOut = async (page: Page) => {
  await page.getByRole("button", { name: /^Menu de/ }).click();
  await page.getByRole("button", { name: "Sair" }).click();
  await page.getByRole("alert").filter({ hasText: "Você saiu." }).waitFor();
};

/** Every tab, its parts, and the lists, of a view. */
export const placesOf = (view = ""): string[] =>
  [
    ...["", "aba=unidades", "aba=unidades&parte=comparar", "aba=equipe"],
    ...["aba=equipe&parte=pessoa&pessoa=5006", "aba=mais&parte=cliente&cliente=C1"],
    ...["resultado", "contas", "taxas", "envio", "pessoas"].map((part) => `aba=financeiro&parte=${part}`),
    "aba=mais",
    ...[
      "horarios",
      "servicos",
      "produtos",
      "clientes",
      "assiduos",
      "retorno",
      "fechamentos",
      "rotinas",
      "sem-centro",
      "pdf",
    ].map((part) => `aba=mais&parte=${part}`),
    ...["atendimentos", "vendas", "vencidos"].map((list) => `lista=${list}`),
  ].map((place) => {
    const search = [place, view].filter(Boolean).join("&");
    return search && `?${search}`;
  });

/** Opens the panel with a fake clock, and a function that advances it. */
export const openWithClock = async (search = "") => {
  const panel = await openPanel(search, { prepare: installClock });
  return { ...panel, advance: advance(panel.page) };
};
