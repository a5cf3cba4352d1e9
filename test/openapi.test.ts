import { describe, expect, it } from "vitest";
import { expectError, get, send } from "./support/api.ts";

describe("GET /openapi.yaml", () => {
  it("is the document of the snapshot: a change of the API is a reviewable diff", async () => {
    const response = await get("/openapi.yaml");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/yaml");
    const text = new TextDecoder().decode(await response.arrayBuffer());
    await expect(text).toMatchFileSnapshot("./openapi.snapshot.yaml");
  });

  it("needs the bearer (A1)", async () => {
    await expectError(await send("/openapi.yaml"), 401, "Unauthorized", /Authorization: Bearer/);
  });
});
