import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { createNetwork } from "./test/support/network.ts";

const TOKEN_KEYS = `1:${"c2Vzc2lvbi1rZXktZm9yLXRlc3RzLW9ubHktb25lLi4"},2:${"c2Vzc2lvbi1rZXktZm9yLXRlc3RzLW9ubHktdHdvLi4"}`;

// Each project has a database of its own: an embedded one has a single session to share.
const globalSetup = "./test/support/global-setup.ts";

export default defineConfig({
  test: {
    silent: "passed-only",
    // The first request starts the runtime.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        plugins: [
          cloudflareTest(({ inject }) => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: { DATABASE_URL: inject("databaseUrl"), TOKEN_KEYS },
              outboundService: createNetwork(inject("endpoint")),
            },
          })),
        ],
        // One runtime for all files: starting one costs more than most files take.
        test: {
          name: "worker",
          globalSetup,
          include: ["test/**/*.test.ts"],
          exclude: ["test/tools/**"],
          isolate: false,
          maxWorkers: 1,
        },
      },
      {
        extends: true,
        test: { name: "tools", globalSetup, include: ["test/tools/**/*.test.ts"], maxWorkers: 1 },
      },
    ],
  },
});
