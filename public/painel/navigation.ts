// Links within the panel change the URL without a reload. Going back shows what was there before.
import { useEffect, useReducer } from "preact/hooks";

/** Where the page was scrolled to, by URL. */
const positions = new Map<string, number>();
const listeners = new Set<() => void>();

/** Removes NUL from the URL: no id has it, and the service refuses it. */
const dropNul = () => {
  let { search } = location;
  while (search.includes("%00")) search = search.replaceAll("%00", "");
  if (search !== location.search) history.replaceState(null, "", location.pathname + search);
};

dropNul();
/** The place that is shown. */
let shown = location.search;

/** If the focused element is gone, focuses the link that was followed, or the title. */
const keepFocus = (left: string | undefined) => {
  const title = document.querySelector<HTMLElement>("#conteudo h1");
  if (document.activeElement !== document.body && document.activeElement !== title) return;
  const links = [...document.querySelectorAll<HTMLAnchorElement>("#conteudo a[data-internal]")];
  const followed = links.find(({ search }) => search === left);
  (followed ?? title)?.focus({ preventScroll: true });
};

const open = (top: number, { isBack = false } = {}) => {
  const left = isBack ? shown : undefined;
  dropNul();
  // The user went on from the picture, and may be back.
  if (openedBefore() !== undefined) history.replaceState(null, "", location.href);
  shown = location.search;
  for (const listener of listeners) listener();
  // The new view is drawn first, so that the page is long enough.
  requestAnimationFrame(() => {
    scrollTo({ top, behavior: "instant" });
    keepFocus(left);
  });
};

/** What a history entry keeps. `opened` is the place that the picture of another one is shown for. */
type Kept = { opened: string } | null;

/** The place that the user opened, if the picture of another one is shown meanwhile: also after a reload. */
export const openedBefore = (): string | undefined => (history.state as Kept)?.opened;

/** Names the place that is shown in more detail, or another one for a while, in its history entry. */
export const rename = (search: string, kept: Kept = null) => {
  history.replaceState(kept, "", `/painel${search}`);
  shown = search;
  for (const listener of listeners) listener();
};

/** Opens another place as a new history entry, where the page is scrolled to. */
export const navigate = (search: string) => {
  positions.set(location.search, scrollY);
  if (search !== location.search) history.pushState(null, "", `/painel${search}`);
  open(scrollY);
};

const onClick = (event: MouseEvent) => {
  const anchor = event.target instanceof Element ? event.target.closest("a[data-internal]") : null;
  if (!(anchor instanceof HTMLAnchorElement)) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const position = positions.get(anchor.search) ?? 0;
  positions.set(location.search, scrollY);
  if (anchor.search !== location.search) history.pushState(null, "", anchor.pathname + anchor.search);
  const { internal } = anchor.dataset;
  open(internal === "back" ? position : internal === "here" ? scrollY : 0, { isBack: internal === "back" });
};

/** Opens links and the browser's history in the page. Once for the whole page, by what is always shown. */
export const useNavigation = (): void => {
  useEffect(() => {
    shown = location.search;
    const onBack = () => open(positions.get(location.search) ?? 0, { isBack: true });
    document.addEventListener("click", onClick);
    addEventListener("popstate", onBack);
    return () => {
      document.removeEventListener("click", onClick);
      removeEventListener("popstate", onBack);
      positions.clear();
    };
  }, []);
};

/** Redraws the component when the URL changes. */
export const useLocation = (): string => {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const listener = () => redraw(undefined);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return location.search;
};
