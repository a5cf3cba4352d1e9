// Swagger UI, which docs/page.js loads with its own `<script>` element.
declare global {
  const SwaggerUIBundle: (options: object) => import("./docs/navigation.js").Reference & {
    preauthorizeApiKey(scheme: string, token: string | undefined): void;
  };
}

export {};
