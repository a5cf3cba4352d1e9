import { expect, it } from "vitest";
import clients from "../../../docs/clients.md?raw";
import { anyRange } from "../../../src/v1/relatorios/planner.ts";
import type { Source } from "../../../src/v1/relatorios/source.ts";
import { SOURCES } from "../../../src/v1/relatorios/sources/index.ts";
import { get } from "../../support/worker/api.ts";

it("what a rollup holds is answered over any range, and other measures need one (R22)", async () => {
  const errorOf = async (path: string) => {
    const response = await get(path);
    const { message = "" } = await response.json<{ message?: string }>();
    return /^This question reads each row/.test(message) ? message : undefined;
  };
  for (const source of SOURCES as readonly Source[])
    for (const data of Object.keys(source.dates)) {
      const path = `/v1/relatorios/${source.name}?${source.dataParameter ? `data=${data}&` : ""}`;
      const lines = anyRange(source, data);
      for (const { dimensions, measures } of lines)
        for (const por of dimensions)
          expect(await errorOf(`${path}por=${por}&medidas=${measures.filter((one) => one !== "meta")}`)).toBe(
            undefined,
          );
      const others = Object.keys(source.measures).filter(
        (name) => !lines.some(({ measures }) => measures.includes(name)),
      );
      for (const name of others) expect(await errorOf(`${path}medidas=${name}`), name).toBeDefined();
    }
});

it("every report that docs/clients.md asks for answers a strict request (R20, I5)", async () => {
  const paths = [...clients.matchAll(/^GET (\/v1\/relatorios\/\S+)$/gm)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(8);
  for (const path of paths) {
    const response = await get(path, { Prefer: "handling=strict" });
    expect(response.status, `${path}: ${(await response.text()).slice(0, 300)}`).toBe(200);
  }
});
