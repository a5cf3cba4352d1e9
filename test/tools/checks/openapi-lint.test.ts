import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, it } from "vitest";

it("the OpenAPI document has no errors or warnings by Redocly's recommended rules", async () => {
  const source = readFileSync("test/api/openapi/openapi.snapshot.yaml", "utf8");
  const problems = await lintFromString({ source, config: await createConfig({ extends: ["recommended"] }) });
  expect(
    problems.map(
      ({ ruleId, severity, message, location }) => `${severity} ${ruleId} ${message} ${location[0]?.pointer}`,
    ),
  ).toEqual([]);
});
