// @module-tag slow
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { decodeJwt } from "jose";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { base, fits, openPage, shoot } from "./browser.ts";
import { DEMO, signIn } from "./panel.ts";

const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"];

describe.runIf(hasChromium)("an assistant that signs in by itself (A14)", () => {
  let vendor: Server;
  let vendorUrl = "";
  beforeAll(async () => {
    // The vendor's host: it serves the metadata document, and the address to which the browser returns.
    vendor = createServer((request, response) => {
      const isDocument = request.url === "/client.json";
      response.setHeader("Content-Type", isDocument ? "application/json" : "text/html");
      const document = {
        client_id: `${vendorUrl}/client.json`,
        redirect_uris: ["http://127.0.0.1/callback"],
      };
      response.end(isDocument ? JSON.stringify(document) : "<title>Back</title>");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => vendor.once("listening", resolve));
    vendorUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  }, 120_000);
  afterAll(() => vendor?.close());

  /** A client as the official SDK runs it. It keeps what it gets in memory. */
  const createAssistant = () => {
    const kept: { url?: URL; verifier?: string; tokens?: StoredOAuthTokens } = {};
    const provider: OAuthClientProvider = {
      redirectUrl: `${vendorUrl}/callback`,
      clientMetadata: { redirect_uris: [`${vendorUrl}/callback`] },
      clientInformation: () => ({ client_id: `${vendorUrl}/client.json` }),
      state: () => "state-of-the-assistant",
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void Object.assign(kept, { tokens }),
      redirectToAuthorization: (url) => void Object.assign(kept, { url }),
      saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
      codeVerifier: () => kept.verifier ?? "",
    };
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: provider });
    return { kept, transport };
  };
  const clientOf = (revision: string) =>
    new Client(
      { name: "test", version: "1.0.0" },
      revision === "2026-07-28"
        ? { versionNegotiation: { mode: { pin: revision } } }
        : { supportedProtocolVersions: [revision] },
    );
  /** Begins the flow and opens the page to which the assistant sends its user. */
  const beginFlow = async (revision = "2026-07-28") => {
    const { kept, transport } = createAssistant();
    const first = transport();
    await expect(clientOf(revision).connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    const { page, complaints } = await openPage("");
    await page.goto(String(kept.url));
    return { kept, transport, first, page, complaints };
  };
  const returned = async (page: Page) => {
    await page.waitForURL(`${vendorUrl}/callback?**`);
    return new URL(page.url()).searchParams;
  };

  it.each(REVISIONS)(
    "the official client goes through the whole flow with revision %s (A14, M1)",
    async (revision) => {
      const { kept, transport, first, page, complaints } = await beginFlow(revision);
      expect(await page.textContent("h1")).toBe("Conectar assistente");
      expect(await page.textContent("main")).toContain(new URL(vendorUrl).host);
      expect(await page.locator("#without-personal-data").isChecked()).toBe(true);
      await signIn(page);
      const query = await returned(page);
      expect(query.get("state")).toBe("state-of-the-assistant");
      expect(query.get("iss")).toBe(base);
      await first.finishAuth(query);
      const client = clientOf(revision);
      await client.connect(transport());
      expect((await client.listTools()).tools.length).toBeGreaterThan(10);
      const answer = await client.callTool({ name: "frescor", arguments: {} });
      expect(answer.isError ?? false).toBe(false);
      const before = kept.tokens;
      expect(decodeJwt(before?.access_token ?? "").rights).toMatchObject({ personalData: false });
      // With an expired access token the client renews by itself.
      kept.tokens = { ...(before as StoredOAuthTokens), access_token: `${before?.access_token}x` };
      const later = clientOf(revision);
      await later.connect(transport());
      expect((await later.listTools()).tools.length).toBeGreaterThan(10);
      expect(kept.tokens.refresh_token).not.toBe(before?.refresh_token);
      // The loopback page of the vendor is another origin, as it should be.
      expect(complaints.filter((complaint) => !complaint.startsWith(`request to ${vendorUrl}`))).toEqual([]);
    },
  );

  it("with personal data only if the user takes the tick away; says what is wrong and stays (A14)", async () => {
    const { kept, first, page } = await beginFlow();
    await page.click("#submit");
    expect(await page.textContent("#message")).toBe("Preencha o e-mail e a senha.");
    await signIn(page, { ...DEMO, password: "wrong" });
    await expect
      .poll(() => page.textContent("#message"))
      .toBe("E-mail ou senha incorretos. Confira e tente novamente.");
    await page.locator("#without-personal-data").uncheck();
    await page.setViewportSize({ width: 390, height: 844 });
    await shoot(page, "oauth-authorize");
    expect(await fits(page)).toBe(true);
    await signIn(page);
    await first.finishAuth(await returned(page));
    expect(decodeJwt(kept.tokens?.access_token ?? "").rights).toMatchObject({ personalData: true });
    expect(await page.context().cookies()).toEqual([]);
  });

  it("tells the assistant if the user cancels (A14)", async () => {
    const { first, page } = await beginFlow();
    await page.click("text=Cancelar e voltar");
    const query = await returned(page);
    expect(query.get("error")).toBe("access_denied");
    await expect(first.finishAuth(query)).rejects.toThrow(/access_denied/);
  });

  it("is not shown in a frame (A14)", async () => {
    const { kept, page } = await beginFlow();
    await page.goto(`${vendorUrl}/callback`);
    await page.evaluate(
      `new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.onload = resolve;
        frame.src = ${JSON.stringify(String(kept.url))};
        document.body.append(frame);
      })`,
    );
    const [, frame] = page.frames();
    expect(
      await frame
        ?.locator("#form")
        .count()
        .catch(() => 0),
    ).toBe(0);
  });

  it("shows a page with a sentence, and no way to the client, for an address that is not the client's (A14)", async () => {
    const { kept, page } = await beginFlow();
    const url = new URL(String(kept.url));
    url.searchParams.set("redirect_uri", "https://evil.test/callback");
    const response = await page.goto(String(url));
    expect(response?.status()).toBe(400);
    expect(await page.textContent("[role=alert]")).toContain("nada foi liberado");
    expect(await page.content()).not.toContain("evil.test");
    await shoot(page, "oauth-error");
  });
});
