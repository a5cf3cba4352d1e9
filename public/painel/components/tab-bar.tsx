import { usePanel } from "../context.ts";
import { placeSearch, TABS } from "../place.ts";
import { Icon } from "./icon.tsx";
import { Link } from "./links.tsx";

/** The tabs: at the bottom of a phone, at the side of a desktop. */
export const TabBar = () => {
  const { view, tab } = usePanel().place;
  return (
    <nav class="tabs" aria-label="Seções">
      {TABS.map(({ tab: each, label }) => (
        <Link key={each} to={placeSearch(view, each)} isCurrent={tab === each}>
          <Icon name={each} />
          {label}
        </Link>
      ))}
    </nav>
  );
};
