import { SwaggerUI } from "@hono/swagger-ui";
import { version } from "swagger-ui-dist/package.json";

/** Names the files of Swagger UI in the page. The page loads them while the user types. */
export const withSwaggerUi = (page: string): string =>
  SwaggerUI({
    // The platform redirects a path with `@`, so the version is a folder and not the option `version`.
    baseUrl: `/assets/${version}`,
    url: "/openapi.yaml",
    // `script-src 'self'` blocks the inline script of the default HTML.
    manuallySwaggerUIHtml: ({ css, js }) =>
      page.replace('id="swagger-ui"', `$& data-css="${css[0]}" data-js="${js[0]}"`),
  }).toString();
