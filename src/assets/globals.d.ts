import type UPlot from "uplot";

// The libraries whose files pages load with a script element of their own.
declare global {
  const uPlot: typeof UPlot;
  const SwaggerUIBundle: (options: object) => {
    preauthorizeApiKey(scheme: string, token: string | undefined): void;
  };
}
