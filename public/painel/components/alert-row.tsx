import { Icon } from "./icon.tsx";
import { Link } from "./links.tsx";

interface AlertRowProps {
  level: "bad" | "warn" | "info";
  title: string;
  detail: string;
  value: string;
  to: string;
}

/** One line of what needs attention. It leads to its list. */
export const AlertRow = ({ level, title, detail, value, to }: AlertRowProps) => (
  <li>
    <Link to={to} class={`alert ${level}`}>
      <span class="what">
        <strong>{title}</strong>
        <span class="more">{detail}</span>
      </span>
      <span class="value">{value}</span>
      <Icon name="seta" />
    </Link>
  </li>
);
