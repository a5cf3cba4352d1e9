import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { type Read, readWorkbook } from "../support/workbook.ts";
import { base } from "./browser.ts";

/** The button that saves or shares the table with a caption. */
export const fileButton = (page: Page, caption: string, verb = "Baixar") =>
  page.getByRole("button", { name: new RegExp(`^${verb}: ${caption}`) });

/** Saves the table with a caption, and reads the workbook. */
export const downloaded = async (page: Page, caption: string): Promise<{ name: string; rows: Read[][] }> => {
  const arriving = page.waitForEvent("download");
  await fileButton(page, caption).click();
  const download = await arriving;
  return { name: download.suggestedFilename(), rows: readWorkbook(readFileSync(await download.path())) };
};

/** Answers a whole list with its first records; then the connection breaks, or says no more. */
export const breakOff = async (page: Page, ending: "breaks" | "waits") => {
  const server = createServer(async (incoming, outgoing) => {
    const { authorization = "" } = incoming.headers;
    const answer = await fetch(base + incoming.url, { headers: { authorization } });
    outgoing.writeHead(200, { "Content-Type": "application/x-ndjson" });
    const text = Buffer.from(await answer.arrayBuffer());
    outgoing.write(text.subarray(0, text.indexOf("\n", 10_000) + 20), () => {
      if (ending === "breaks") outgoing.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  await page.route(/tudo=true/, (route) =>
    route.continue({ url: route.request().url().replace(base, `http://127.0.0.1:${port}`) }),
  );
};
