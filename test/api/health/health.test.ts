import { describe, expect, it, vi } from "vitest";
import { databaseRequests, mendDatabase, send } from "../../support/worker/api.ts";

describe("GET /health", () => {
  it("returns the seconds since the first request to any path (E10)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await send("/llms.txt");
    vi.setSystemTime(Date.now() + 20_000);
    const { uptime } = await (await send("/health")).json<{ uptime: number }>();
    vi.useRealTimers();
    expect(uptime).toBeGreaterThanOrEqual(20);
  });

  it("needs neither a token nor the database (A1, E10)", async () => {
    await mendDatabase();
    const response = await send("/health");
    expect(response.status).toBe(200);
    const body = await response.json<Record<string, unknown>>();
    expect(body).toEqual({
      status: "ok",
      version: "1.0.0",
      uptime: expect.any(Number),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(Number.isInteger(body.uptime)).toBe(true);
    expect(await databaseRequests()).toBe(0);
  });
});
