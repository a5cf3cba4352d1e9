import type { TestProject } from "vitest/node";
import { startDeployed } from "../../../tools/local/deployed.ts";

/** Starts one service, as deployed, over the warehouse that all tests in a browser share. */
const setup = async (project: TestProject) => {
  const { postgresUrl, isServer } = project.getProvidedContext();
  const [sessions, role] = isServer ? [8, "salon_api"] : [1, "postgres"];
  const { url, stop } = await startDeployed(postgresUrl, sessions, role);
  project.provide("pages", url.origin);
  return stop;
};

export default setup;
