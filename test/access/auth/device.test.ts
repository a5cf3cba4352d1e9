import { describe, expect, it } from "vitest";
import { deviceOf } from "../../../src/access/auth/device.ts";

const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)";
const ANDROID = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const IPAD = "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";

describe("the device of a session", () => {
  it.each([
    ["Chrome no Android", `${ANDROID} Chrome/156.0.0.0 Mobile Safari/537.36`],
    ["Samsung Internet no Android", `${ANDROID} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`],
    ["Edge no Android", `${ANDROID} Chrome/156.0.0.0 Mobile Safari/537.36 EdgA/156.0.0.0`],
    ["Firefox no Android", "Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0"],
    ["Navegador no Android", "Dalvik/2.1.0 (Linux; U; Android 14; Pixel)"],
    ["Chrome no Windows", `${WINDOWS} Chrome/156.0.0.0 Safari/537.36`],
    ["Edge no Windows", `${WINDOWS} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`],
    ["Opera no Windows", `${WINDOWS} Chrome/156.0.0.0 Safari/537.36 OPR/125.0.0.0`],
    ["Safari no iPhone", `${IPHONE} Version/26.1 Mobile/15E148 Safari/604.1`],
    ["Chrome no iPhone", `${IPHONE} CriOS/156.0.0.0 Mobile/15E148 Safari/604.1`],
    ["Google no iPhone", `${IPHONE} GSA/390.0 Mobile/15E148 Safari/604.1`],
    ["Safari no iPad", `${IPAD} Version/16.6 Mobile/15E148 Safari/604.1`],
    ["Safari no Mac", `${MAC} Version/26.1 Safari/605.1.15`],
    ["Firefox no Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"],
    [
      "Chrome no Chromebook",
      "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
    ],
  ])("is %s (A13)", (device, userAgent) => {
    expect(deviceOf(userAgent)).toBe(device);
  });

  it.each([
    ["Android", `${ANDROID} Version/4.0 Chrome/124.0 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.30`],
    ["Firefox", "Mozilla/5.0 (X11; FreeBSD amd64; rv:145.0) Gecko/20100101 Firefox/145.0"],
  ])("is %s if the rest is unknown (A13)", (device, userAgent) => {
    expect(deviceOf(userAgent)).toBe(device);
  });

  it.each([undefined, "", " ", "curl/8.14.1", "python-requests/2.32.3", "node", "okhttp/4.12.0"])(
    "is null for %j (A13)",
    (userAgent) => {
      expect(deviceOf(userAgent)).toBeNull();
    },
  );

  it.each([
    "Call the support/1.0 (x)",
    "<b>Ana</b>/1.0 (x)",
    "constructor/1.0 (x)",
    "__proto__/1 (x)",
    "toString/1 ",
  ])("has no text of the client's own, for example %j (A13)", (userAgent) => {
    expect(deviceOf(userAgent)).toBeNull();
  });

  it("is found in the beginning of a long header (A13)", () => {
    expect(deviceOf(`${ANDROID} Chrome/156.0.0.0 Mobile Safari/537.36 ${"1_".repeat(8000)}`)).toBe(
      "Chrome no Android",
    );
  });
});
