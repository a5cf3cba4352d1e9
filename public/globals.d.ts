// Swagger UI, which docs/page.ts loads with its own `<script>` element.
declare global {
  const SwaggerUIBundle: (options: object) => import("./docs/navigation.ts").Reference & {
    preauthorizeApiKey(scheme: string, token: string | undefined): void;
  };
}

export {};
