import type { ComponentChildren } from "preact";

interface LinkProps {
  /** The query string of the place. */
  to: string;
  /** What it opens, if its text does not say so. */
  label?: string;
  class?: string;
  /** `here` keeps the scroll position, `back` returns to where the place was left. */
  scroll?: "top" | "here" | "back";
  isCurrent?: boolean;
  children: ComponentChildren;
}

/** A link within the panel: it opens without a reload. */
export const Link = ({ to, label, scroll = "top", isCurrent = false, children, ...rest }: LinkProps) => (
  <a
    href={`/painel${to}`}
    data-internal={scroll}
    aria-label={label}
    aria-current={isCurrent ? "page" : undefined}
    class={rest.class}
  >
    {children}
  </a>
);

/** The name of a row, whose whole width opens its page. Without a page it is text. */
export const RowName = ({ to, name }: { to: string | undefined; name: string }) => (
  <span class="name">
    {to === undefined ? (
      name
    ) : (
      <Link to={to} class="row-link">
        {name}
      </Link>
    )}
  </span>
);
