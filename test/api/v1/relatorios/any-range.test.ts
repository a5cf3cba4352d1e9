import { expect, it } from "vitest";
import clients from "../../../../docs/clients.md?raw";
import { get } from "../../../support/worker/api.ts";

it("every report that docs/clients.md asks for answers a strict request (R20, I5)", async () => {
  const paths = [...clients.matchAll(/^GET (\/v1\/relatorios\/\S+)$/gm)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(8);
  for (const path of paths) {
    const response = await get(path, { Prefer: "handling=strict" });
    expect(response.status, `${path}: ${(await response.text()).slice(0, 300)}`).toBe(200);
  }
});
