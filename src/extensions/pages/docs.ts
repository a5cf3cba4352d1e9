import { SwaggerUI } from "@hono/swagger-ui";
import { version } from "swagger-ui-dist/package.json";
import { fillPage } from "../../platform/http/html.ts";
import { periodsTable } from "./periods-table.ts";

/** Names the files of Swagger UI in the page. The page loads them while the user types. */
const withSwaggerUi = (page: string): string =>
  SwaggerUI({
    // The platform redirects a path with `@`, so the version is a folder and not the option `version`.
    baseUrl: `/assets/${version}`,
    url: "/openapi.yaml",
    // `script-src 'self'` blocks the inline script of the default HTML.
    manuallySwaggerUIHtml: ({ css, js }) =>
      page.replace('id="swagger-ui"', `$& data-css="${css[0]}" data-js="${js[0]}"`),
  }).toString();

/** The page of `/docs`, with what each `periodo` means today. */
export const fillDocs = (page: string): string => {
  const { today, html } = periodsTable(Date.now());
  return withSwaggerUi(fillPage(page, { today })).replace('<div class="halves">', `$&${html}`);
};
