import { usePanel } from "../context.ts";
import { BRAND } from "../messages.ts";
import { OFTEN_OPENED, placeSearch, TABS } from "../place.ts";
import { Icon } from "./icon.tsx";
import { Link } from "./links.tsx";

/** The tabs: at the bottom of a phone, at the side of a desktop. */
export const TabBar = () => {
  const { view, tab, part } = usePanel().place;
  return (
    <nav class="tabs" aria-label="Seções">
      <p class="brand">{BRAND}</p>
      {TABS.map(({ tab: each, label }) => (
        <Link key={each} to={placeSearch(view, each)} isCurrent={tab === each}>
          <Icon name={each} />
          {label}
        </Link>
      ))}
      {OFTEN_OPENED.map(({ part: each, label }) => (
        <Link
          key={each}
          to={placeSearch(view, "mais", each)}
          class="often"
          isCurrent={tab === "mais" && part === each}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
};
