import { SwaggerUI } from "@hono/swagger-ui";

const ASSETS = "/assets";

const body = `<main id="sign-in">
  <h1>Salon-to-ERP data service</h1>
  <p>Sign in to read the API reference and try it out.</p>
  <form id="form" novalidate>
    <label for="email">E-mail</label>
    <input id="email" name="email" type="email" autocomplete="username" required aria-describedby="message">
    <label for="password">Password</label>
    <input id="password" name="password" type="password" autocomplete="current-password" required aria-describedby="message">
    <button id="submit" class="primary" type="submit">Sign in</button>
    <p id="message" role="alert"></p>
  </form>
  <p class="aside">For programs: <a href="/llms.txt">/llms.txt</a>. This page stores nothing: closing or reloading it signs you out.</p>
</main>
<div id="content" hidden>
  <header class="bar">
    <span>Signed in as <strong id="who"></strong></span>
    <button id="sign-out" class="primary" type="button">Sign out</button>
  </header>
  <div id="swagger-ui"></div>
</div>
<noscript><p>This page requires JavaScript. You can also request /openapi.yaml with a bearer token.</p></noscript>
`;

/** The page `/docs`: a sign-in form, then Swagger UI. It loads files from this origin only (A2). */
export const docsPage: string = SwaggerUI({
  baseUrl: ASSETS,
  url: "/openapi.yaml",
  // `script-src 'self'` blocks the inline script of the default HTML.
  manuallySwaggerUIHtml: ({ css, js }) => {
    const styles = [...css, `${ASSETS}/page.css`].map((href) => `<link rel="stylesheet" href="${href}">`);
    const scripts = js.map((src) => `<script src="${src}" defer></script>`);
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Salon-to-ERP data service · API reference</title>
<link rel="icon" href="${ASSETS}/swagger-ui-dist/favicon-32x32.png">
${[...styles, ...scripts].join("\n")}
<script src="${ASSETS}/docs/page.js" type="module"></script>
</head>
<body>
${body}</body>
</html>
`;
  },
}).toString();
