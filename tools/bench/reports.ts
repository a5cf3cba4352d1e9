import { generalReport } from "../../src/api/v1/relatorios/general-report.ts";
import { SOURCES } from "../../src/api/v1/relatorios/sources/index.ts";

type SourceName = (typeof SOURCES)[number]["name"];

/** The general reports by their source (R20). */
export const reports = Object.fromEntries(
  SOURCES.map((source) => [source.name, generalReport(source)]),
) as Record<SourceName, ReturnType<typeof generalReport>>;
