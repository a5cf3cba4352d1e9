import type UPlot from "uplot";

// Libraries that the pages load with their own `<script>` element.
declare global {
  const uPlot: typeof UPlot;
  const SwaggerUIBundle: (options: object) => {
    preauthorizeApiKey(scheme: string, token: string | undefined): void;
  };
}
