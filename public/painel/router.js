// Links within the panel change the URL without a reload. Going back shows what was there before.

/** @param {() => void} onChange called when a link or the browser has changed the URL */
export const onNavigation = (onChange) => {
  /** Where the page was scrolled to, by URL. @type {Map<string, number>} */
  const positions = new Map();
  const open = (/** @type {number} */ top) => {
    onChange();
    scrollTo({ top, behavior: "instant" });
  };
  document.addEventListener("click", (event) => {
    const jump = /** @type {Element} */ (event.target).closest("a[data-jump]");
    if (jump instanceof HTMLAnchorElement) {
      // Keep the URL, so that the back button returns to the previous view.
      event.preventDefault();
      const heading = document.querySelector(jump.hash);
      if (!(heading instanceof HTMLElement)) return;
      heading.closest("section")?.scrollIntoView();
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      return;
    }
    const anchor = /** @type {Element} */ (event.target).closest("a[data-internal]");
    if (!(anchor instanceof HTMLAnchorElement)) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const position = positions.get(anchor.search) ?? 0;
    positions.set(location.search, scrollY);
    history.pushState(null, "", anchor.pathname + anchor.search);
    open(anchor.hasAttribute("data-back") ? position : 0);
  });
  addEventListener("popstate", () => open(positions.get(location.search) ?? 0));
};
