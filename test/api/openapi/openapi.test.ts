import { describe, expect, it } from "vitest";
import { createClient, DEPLOYED_QUOTAS, signTokenOf } from "../../support/worker/client.ts";

let lastUserId = 900_000_000;

/** Reads a description from a service with these settings, as a new user each time because of the limits. */
const readDescription = async (path: string, settings: Partial<Env> = DEPLOYED_QUOTAS) => {
  lastUserId += 1;
  const Authorization = `Bearer ${await signTokenOf(lastUserId)}`;
  const response = await createClient(settings).send(path, { headers: { Authorization } });
  expect(response.status).toBe(200);
  return { response, text: new TextDecoder().decode(await response.arrayBuffer()) };
};

describe("GET /openapi.yaml", () => {
  it("equals the snapshot, so that every change of the API appears in a diff", async () => {
    const { response, text } = await readDescription("/openapi.yaml");
    expect(response.headers.get("Content-Type")).toBe("application/yaml");
    await expect(text).toMatchFileSnapshot("./openapi.snapshot.yaml");
  });

  it("states the configured limits, and so does /llms.txt (E3)", async () => {
    for (const [total, auth] of [
      [77, 7],
      [9, 3],
    ] as const) {
      const settings = { RATE_LIMIT_GLOBAL: total, RATE_LIMIT_AUTH: auth };
      const { text: document } = await readDescription("/openapi.yaml", settings);
      expect(document).toContain(`'"global";q=${total};w=900'`);
      expect(document).toContain(`'"global";r=${total - 1};t=900'`);
      const { text: instructions } = await readDescription("/llms.txt", settings);
      expect(instructions).toContain(
        `At most ${total} requests in any 15 minutes, at most ${auth} of them to /auth.`,
      );
    }
  });
});
