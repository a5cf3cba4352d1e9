import type { ComponentChildren } from "preact";

interface KpiProps {
  title: string;
  value: string;
  children?: ComponentChildren;
}

/** One figure with its name, and below it what it is compared with. */
export const Kpi = ({ title, value, children }: KpiProps) => (
  <section class="card kpi" aria-label={title}>
    <h3>{title}</h3>
    <p class="figure" style={{ "--chars": value.length }}>
      {value}
    </p>
    {children && <p class="more">{children}</p>}
  </section>
);
