import { SwaggerUI } from "@hono/swagger-ui";
import body from "./page/page.html";

/** Where the page's own files and those of Swagger UI are. */
export const ASSETS = "/docs/assets";

/** The sign-in page, which becomes Swagger UI once somebody has signed in (A2). */
export const page = SwaggerUI({
  baseUrl: ASSETS,
  url: "/openapi.yaml",
  manuallySwaggerUIHtml: ({ css, js }) => {
    const styles = [...css, `${ASSETS}/page.css`].map((href) => `<link rel="stylesheet" href="${href}">`);
    const scripts = [...js, `${ASSETS}/page.js`].map((src) => `<script src="${src}" defer></script>`);
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Salon-to-ERP data service · API reference</title>
<link rel="icon" href="${ASSETS}/swagger-ui-dist/favicon-32x32.png">
${[...styles, ...scripts].join("\n")}
</head>
<body>
${body}</body>
</html>
`;
  },
});
