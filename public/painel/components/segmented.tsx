import { Link } from "./links.tsx";

interface Option {
  label: string;
  /** The query string that the option opens. */
  to: string;
  isCurrent: boolean;
}

/** A row of alternatives, each with its address. */
export const Segmented = ({ label, options }: { label: string; options: readonly Option[] }) => (
  <nav class="segmented" aria-label={label}>
    {options.map(({ label: text, to, isCurrent }) => (
      <Link key={text} to={to} scroll="here" isCurrent={isCurrent}>
        {text}
      </Link>
    ))}
  </nav>
);
