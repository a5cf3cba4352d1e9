import { describe, expect, it } from "vitest";
import { expectError, send } from "../../support/worker/api.ts";

const HOST = "https://api.test".length;
const pathOf = (characters: number) => `/health?${"x".repeat(characters - HOST - "/health?".length)}`;

describe("a URL", () => {
  it("of 8 KiB is served (E1)", async () => {
    expect((await send(pathOf(8192))).status).toBe(200);
  });

  it.each([8193, 16_000])(
    "of %i characters is a 414 in the error shape, with CORS headers (E1)",
    async (characters) => {
      const response = await send(pathOf(characters));
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      await expectError(response, 414, "URI Too Long", /8192 characters/);
    },
  );
});
