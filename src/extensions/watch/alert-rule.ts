/** A rule of alerts.toml, as tools/operate/alerts.ts checked it. */
export interface AlertRule {
  name: string;
  /** The report with its query. */
  path: string;
  /** The figure is `totais` of this name. */
  measure: string;
  /** The limit: one of the two. */
  above?: number;
  below?: number;
}
