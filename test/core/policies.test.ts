import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mountOf, POLICIES, policyOf } from "../../src/core/policies.ts";
import { readDocument, send } from "../support/worker/api.ts";
import { createClient } from "../support/worker/client.ts";

const mounts = Object.keys(POLICIES).filter((mount) => mount !== "*");

describe("the policy of a path", () => {
  it("is that of the longest path that it begins with", () => {
    for (const [path, mount] of [
      ["/", "/"],
      ["//", "/"],
      ["/v1", "/v1"],
      ["/v1/", "/v1"],
      ["/v1/nothing", "/v1"],
      ["/v1/transacoes/1", "/v1/transacoes"],
      ["/v1/transacoes2", "/v1"],
      ["/health2", "*"],
      ["/constructor", "*"],
      ["/docs/nothing", "/docs"],
    ] as const)
      expect([path, mountOf(path)]).toEqual([path, mount]);
    expect(policyOf("/auth/browser/refresh")).toMatchObject({ quotas: ["global"], isOwnPagesOnly: true });
    expect(policyOf("/auth/browser/login")).toMatchObject({
      quotas: ["global", "auth"],
      isOwnPagesOnly: true,
    });
    expect(policyOf("/auth/browser2")).toBe(POLICIES["/auth"]);
  });

  it("is known for any text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...mounts, "/", "/x", "/refresh", "%", "é")), (parts) => {
        expect(policyOf(parts.join("")).quotas).toContain("global");
      }),
    );
  });

  it("is declared for every path of the document, and accepts agent tokens only for GET /v1 (A10)", async () => {
    const { paths } = await readDocument();
    for (const path of Object.keys(paths)) {
      expect([path, mountOf(path)]).not.toEqual([path, "*"]);
      expect([path, policyOf(path).agentTokens.join()]).toEqual([
        path,
        path.startsWith("/v1/") ? "GET,HEAD" : "",
      ]);
    }
  });

  it("gives a browser a page for the error of each page, and JSON elsewhere (A2)", async () => {
    const pages = ["/", "/docs", "/painel", "/oauth/authorize"];
    for (const path of new Set([...mounts, ...pages])) {
      const { send } = createClient({ RATE_LIMIT_GLOBAL: 1 });
      await send("/health");
      const { status, headers } = await send(path, { headers: { Accept: "text/html" }, redirect: "manual" });
      const type = pages.includes(path) ? "text/html" : "application/json";
      expect([path, status, headers.get("Content-Type")]).toEqual([path, 429, expect.stringContaining(type)]);
    }
  });

  it("decides the headers of each response, also of a 404 (E6, E7)", async () => {
    for (const mount of mounts) {
      const path = `${mount}/nothing`;
      const { cache, isOwnPagesOnly } = policyOf(path);
      const { status, headers } = await send(path);
      const expected = { private: "private, no-cache", "no-store": "no-store", default: null }[cache];
      expect([path, headers.get("Cache-Control")]).toEqual([path, expected]);
      expect([path, status >= 400]).toEqual([path, true]);
      expect([path, headers.has("Access-Control-Allow-Origin")]).toEqual([path, !isOwnPagesOnly]);
    }
  });
});
