// Vitest asks Vite for the main module at each request and at each call of a Durable Object, and gets the same one:
// tests do not isolate their modules. Load it once.
const MAIN = "/src/index.ts";

interface Runner {
  import: (id: string) => Promise<unknown>;
  /** Main modules by id, once this file has run. */
  loaded?: Map<string, unknown>;
}

const { moduleRunner: runner } = (globalThis as unknown as { __vitest_mocker__: { moduleRunner: Runner } })
  .__vitest_mocker__;

// Vitest runs this file before each test file.
if (!runner.loaded) {
  const load = runner.import.bind(runner);
  const loaded = new Map<string, unknown>();
  runner.loaded = loaded;
  runner.import = async (id) => {
    if (!id.endsWith(MAIN)) return load(id);
    if (!loaded.has(id)) loaded.set(id, await load(id));
    return loaded.get(id);
  };
}

export {};
